"""The core in C: a driver, and networks for it."""
