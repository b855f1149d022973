"""Compile a component into a simulator."""
