"""Conversions as maps of elements."""
