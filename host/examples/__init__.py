"""Example networks, and the scripts that made them."""
