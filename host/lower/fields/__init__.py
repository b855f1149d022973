"""Numbers of a library as fields of a pass."""
