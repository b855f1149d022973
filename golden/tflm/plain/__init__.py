"""Operators of TensorFlow Lite without quantisation; a host computes them."""
