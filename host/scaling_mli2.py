"""Shifts and scales of MLI 2.0, which round at the width of their operand, as fields of passes."""

import numpy as np

from golden.fx import container
from hdl.isa import SHIFT_MAX, SHIFT_MIN, RoundMode

from .refuse import NoPassesError

__all__ = ["affine_clip", "clamped", "folded", "rounded_clip"]

POST_MAX = 63  #: A right shift of 64 bits by more gives what this one gives.


def affine_clip(limits, zero):
    """Fields that saturate to 16 bits, add a zero point and limit to ``limits`` of 8 bits."""
    low, high = limits
    return {"clip": (max(low - zero, -(1 << 15)), min(max(low, high) - zero, (1 << 15) - 1)),
            "zero": zero}


def clamped(shift, rounding):
    """Fields of a right shift by any number of bits; beyond the limits nothing changes."""
    return {"shift": min(max(shift, SHIFT_MIN), SHIFT_MAX), "rounding": rounding}


def rounded_clip(out_bits, shift, bits, rounding):
    """Limits of ``out_bits`` for what the library rounds at ``bits``.

    Its addition that rounds up saturates, so that nothing above ``(2**(bits - 1) - 1) >> shift``
    comes out: a limit like any other, as shifts keep the order.
    """
    low, high = container(out_bits)
    if shift > 0 and rounding is RoundMode.UP:
        high = min(high, container(bits)[1] >> min(shift, bits))
    return low, high


def folded(multiplier, shift):
    """The same scale with a right shift of 0 .. 63; NoPassesError if the multiplier is too long."""
    left   = np.maximum(-shift, 0)
    longer = np.asarray(multiplier).astype(object) << left
    if max(map(abs, np.ravel(longer).tolist())) >= 1 << 31:
        raise NoPassesError(f"A left shift by {left.max()} bits must fit the multiplier of 32 bits")
    return np.asarray(longer, np.int64), np.clip(shift, 0, POST_MAX)
