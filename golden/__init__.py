"""Exact models of the kernels, a wing for each library, and one way to run them."""

from .layer import Layer, run

__all__ = ["Layer", "run"]
