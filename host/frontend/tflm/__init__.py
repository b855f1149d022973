"""Layers of TensorFlow Lite as integer operations."""
