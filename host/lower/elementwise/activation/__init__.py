"""Activations as maps of elements."""
