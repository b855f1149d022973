"""Functions of MLI 2.0 that move tensors: ``mli_mov_*``."""
