"""Layers of the XS3 library as integer operations."""
