"""Operators on elements, one by one, that are no straight line, and softmax."""
