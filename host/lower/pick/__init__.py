"""Elements put into any order, each output a copy of one element."""
