"""Cases as files, for those who run them elsewhere."""
