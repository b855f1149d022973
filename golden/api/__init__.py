"""The functions of the libraries by their documented C names."""
