"""A small network of each operator, as somebody wishes it to be."""
