"""Operators that add up products or elements of a window, and what becomes of the sums."""
