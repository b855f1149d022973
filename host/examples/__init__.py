"""Example networks, and how they were made."""
