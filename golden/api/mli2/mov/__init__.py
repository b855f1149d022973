"""MLI 2.0 functions that move tensors: ``mli_mov_*``."""
