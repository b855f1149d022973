# SPDX-License-Identifier: Apache-2.0
"""Fixed-point arithmetic on single Python ints: slow, obvious, shares no code with golden."""

from fractions import Fraction
from math import floor

import numpy as np

from xymac.golden.mli1 import Tensor
from xymac.hdl.isa import RoundMode

__all__ = ["clip", "divide", "random_tensor", "wrap40"]


def clip(value, bits):
    """``value`` within a signed ``bits``-bit integer."""
    return max(-2 ** (bits - 1), min(value, 2 ** (bits - 1) - 1))


def divide(value, shift, rounding, bits):
    """``value / 2**shift`` rounded, then clipped to ``bits``; Python's ``round`` is convergent."""
    exact = Fraction(value) / Fraction(2) ** shift
    return clip({RoundMode.CONVERGENT: round(exact), RoundMode.UP: floor(exact + Fraction(1, 2)),
                 RoundMode.FLOOR: floor(exact)}[rounding], bits)


def wrap40(value):
    """The low 40 bits as a signed integer."""
    return (value + 2 ** 39) % 2 ** 40 - 2 ** 39


def random_tensor(rng, shape, dtype, frac_bits, top=1 << 15):
    """Tensor of values up to ``top`` in magnitude, often at the limits of its container."""
    info = np.iinfo(dtype)
    low, high = max(-top, info.min), min(top, info.max)
    data = rng.integers(low, high + 1, shape, dtype=dtype)
    edge = rng.choice(np.array([low, low + 1, -1, 0, 1, high], dtype), shape)
    return Tensor(np.where(rng.random(shape) < 0.25, edge, data).astype(dtype), frac_bits)
