"""Look-ups in tables."""
