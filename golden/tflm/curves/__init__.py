"""Non-linear element-wise operators, and softmax."""
