"""A whole board in simulation."""
