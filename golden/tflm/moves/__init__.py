"""Operators that move elements without changing them."""
