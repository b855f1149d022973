"""Two tensors combined element by element."""
