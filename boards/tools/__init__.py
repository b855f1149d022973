"""Synthesis, place and route, and their reports."""
