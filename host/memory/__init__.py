"""Where a tensor is stored."""
