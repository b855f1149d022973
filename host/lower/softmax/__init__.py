"""Softmax and L2 normalisation: shares of a sum along a dimension."""
