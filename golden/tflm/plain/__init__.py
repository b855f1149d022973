"""Operators of TensorFlow Lite on elements that stand for themselves, which a host computes."""
