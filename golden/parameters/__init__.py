"""What the libraries derive from scales, fractional bits and zero points before they touch data.

Multipliers, shifts, aligned biases, limits: golden kernels and the host's lowering take them from
here, and from nowhere else in common. Nothing here works on data, and nothing that works on data
is used here; tests hold every function to exact fractions.
"""
