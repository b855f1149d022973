"""Layers of golden.tflm for the operators of TensorFlow Lite files."""
