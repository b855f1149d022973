"""Operators with a state."""
