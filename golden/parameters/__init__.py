# SPDX-License-Identifier: Apache-2.0
"""Constants that the libraries derive from scales, fractional bits, zero points and options.

Golden kernels and the host's lowering share these multipliers, shifts, aligned biases and limits,
and nothing else. No function here works on tensor data, or uses code that does. Tests compare every
function with exact fractions.
"""
