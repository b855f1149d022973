"""Kernels that move elements as copies of whole groups."""
