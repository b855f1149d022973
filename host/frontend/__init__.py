"""Layers of the libraries as integer operations."""
