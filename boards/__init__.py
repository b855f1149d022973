"""Boards and synthesis: place and route of the core with open tools."""
