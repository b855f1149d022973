"""Softmax of TensorFlow Lite: the passes of blocks of rows, and their tables."""
