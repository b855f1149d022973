"""Compilation of a component into a simulator."""
