"""Memory layouts of tensors."""
