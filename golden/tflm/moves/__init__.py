"""Operators that only put elements elsewhere."""
