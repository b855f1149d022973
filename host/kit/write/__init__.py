"""Cases as files, for use outside Python."""
