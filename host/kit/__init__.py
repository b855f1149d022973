"""The kit: check an accelerator of your own against the exact models."""
