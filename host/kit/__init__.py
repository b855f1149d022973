"""The kit: check your own accelerator against the exact models."""
