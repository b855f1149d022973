"""Layers of golden.tflm for operators of TensorFlow Lite files."""
