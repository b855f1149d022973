"""Multipliers, limits and paddings that TensorFlow Lite derives from scales and options."""
