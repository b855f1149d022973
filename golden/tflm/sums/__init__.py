"""Operators that sum products or window elements."""
