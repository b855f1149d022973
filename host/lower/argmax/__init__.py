"""Places of the largest elements."""
