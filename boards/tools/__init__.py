"""Synthesis, place and route, and what they report."""
