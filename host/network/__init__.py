"""What the user has: a network, its file, its images."""
