"""The commands that need no simulation."""
