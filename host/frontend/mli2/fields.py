# SPDX-License-Identifier: Apache-2.0
"""Shifts and scales of MLI 2.0, which round at the width of their operand, as fields of passes."""

import numpy as np

from xymac.hdl.isa import RoundMode
from xymac.host.ir.fields import ZERO_MAX, container_clip
from xymac.host.ir.refuse import NoPassesError

__all__ = ["POST_MAX", "affine_clip", "check_zero", "fold_shift", "narrow",
           "round_clip", "saturate_clip", "ties"]

POST_MAX   = 63  #: A right shift of 64 bits by more gives what this one gives.
_FAR       = 1 << 30
SHIFT_ZERO = 31  #: A product of 16 bits each rounds to 0 at 32 bits by so many.


def check_zero(name, zero):
    """Raise NoPassesError unless 16 bits hold any element of 8 bits less a zero point, or plus it.

    ``name`` is that of the tensor, with its article.
    """
    if abs(zero) > ZERO_MAX:
        raise NoPassesError(f"Zero point of {name} must be between {-ZERO_MAX} and {ZERO_MAX}, "
                            f"not {zero}")


def affine_clip(limits, zero):
    """Fields that saturate to 16 bits, add a zero point and limit to ``limits`` of 8 bits."""
    low, high = limits
    return {"clip": (max(low - zero, -(1 << 15)), min(max(low, high) - zero, (1 << 15) - 1)),
            "zero": zero}


def round_clip(out_bits, shift, bits, rounding):
    """Limits of ``out_bits`` for what the library rounds at ``bits``.

    Its addition that rounds up saturates, so that nothing above ``(2**(bits - 1) - 1) >> shift``
    comes out: a limit like any other, as shifts keep the order.
    """
    low, high = container_clip(out_bits)
    if shift > 0 and rounding is RoundMode.UP:
        high = min(high, container_clip(bits)[1] >> min(shift, bits))
    return low, high


def saturate_clip(out_bits, shift, rounding):
    """The same for what is saturated to 32 bits before it is rounded there."""
    low, high = round_clip(out_bits, shift, 32, rounding)
    if shift <= 0:
        return low, high
    most = 1 << 31 - shift if shift < 32 else 0
    return max(low, -most), min(high, most)


def fold_shift(multiplier, shift):
    """The same scale with a right shift of 0 .. 63, of what saturates at 16 bits.

    After a left shift anything but 0 that a multiplier of ``_FAR`` scales is beyond them.
    """
    left   = np.maximum(-shift, 0)
    longer = np.asarray(multiplier).astype(object) << left
    longer = np.where(left > 0, np.clip(longer, -_FAR, _FAR), longer)
    return np.asarray(longer, np.int64), np.clip(shift, 0, POST_MAX)


def narrow(multiplier, shift):
    """Multiplier and right shift of a scaled pass for factors of 16 bits, ints or arrays.

    What saturates 16 bits does so as well: a left shift may come out shorter, and elements other
    than 0 beyond 16 bits all the same.
    """
    multiplier, shift = np.asarray(multiplier, np.int64), np.asarray(shift)
    left   = np.clip(-shift, 0, 17)
    longer = np.clip(multiplier << left, -(1 << 16), 1 << 16)
    zero   = shift >= SHIFT_ZERO
    return np.where(zero, 0, longer), np.where(zero, 0, np.clip(shift, 0, None))


def ties(multiplier, post, peak):
    """Whether an integer of magnitude up to ``peak`` times ``multiplier`` can be halfway between
    two multiples of ``2**post``; all int."""
    if not post or not multiplier:
        return False
    places = (multiplier & -multiplier).bit_length() - 1
    return places < post and 1 << post - 1 - places <= peak
