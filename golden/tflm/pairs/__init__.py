"""Operators on two tensors, element by element: comparisons, quotients, squared differences."""
