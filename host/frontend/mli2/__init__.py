"""Layers of MLI 2.0 as integer operations."""
