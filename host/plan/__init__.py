"""A graph of layers as one program: order, rows, waits, run."""
