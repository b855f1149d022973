"""Places of the largest elements of a tensor that X cannot hold."""
