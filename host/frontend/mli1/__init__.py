"""Layers of MLI 1.x as integer operations."""
