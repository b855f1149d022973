# SPDX-License-Identifier: Apache-2.0
"""Rounding of a right shift."""

from xymac.hdl.isa import RoundMode

__all__ = ["shift_right"]


def shift_right(value, shift, rounding):
    """Divide by ``2**shift``, ``shift`` at least 1, and round."""
    if rounding is RoundMode.FLOOR:
        return value >> shift
    middle  = 1 << shift - 1
    shifted = value + middle >> shift
    if rounding is RoundMode.CONVERGENT:
        tie = value & (1 << shift) - 1 == middle
        shifted -= tie & shifted
    return shifted
