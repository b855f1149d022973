# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 shifts and scales, which round at their operand's width, as Pass fields."""

import numpy as np

from xymac.hdl.isa import RoundMode
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.fields import ZERO_MAX, container_clip

__all__ = ["POST_MAX", "check_zero", "fold_shift", "narrow",
           "round_clip", "saturate_clip", "ties"]

POST_MAX   = 63  #: Right shifts of 64-bit values by more bits give the same result.
_FAR       = 1 << 30
SHIFT_ZERO = 31  #: Right shift that rounds every product of 16-bit factors to 0 at 32 bits.


def check_zero(name, zero):
    """Raise Refusal unless 8-bit elements minus and plus a zero point have 16 bits.

    ``name`` is the tensor's name in the message, with its article.
    """
    if abs(zero) > ZERO_MAX:
        raise Refusal(RefusalKind.VALUE, f"Zero point of {name} must be between {-ZERO_MAX} and "
                      f"{ZERO_MAX}, not {zero}")


def round_clip(out_bits, shift, bits, rounding):
    """Limits for ``out_bits``-bit outputs that the library rounds at width ``bits``.

    The library's rounding addition saturates, so that outputs are at most ``(2**(bits - 1) - 1) >>
    shift``. A shift is monotonic, so this is an output limit.
    """
    low, high = container_clip(out_bits)
    if shift > 0 and rounding is RoundMode.UP:
        high = min(high, container_clip(bits)[1] >> min(shift, bits))
    return low, high


def saturate_clip(out_bits, shift, rounding):
    """Limits for outputs that the library saturates to 32 bits and then rounds; see ``round_clip``.
    """
    low, high = round_clip(out_bits, shift, 32, rounding)
    if shift <= 0:
        return low, high
    most = 1 << 31 - shift if shift < 32 else 0
    return max(low, -most), min(high, most)


def fold_shift(multiplier, shift):
    """Equivalent multiplier, and right shift 0 .. 63, for results saturated at 16 bits.

    After a left shift, a multiplier of ``_FAR`` moves every value except 0 beyond 16 bits.
    """
    left   = np.maximum(-shift, 0)
    longer = np.asarray(multiplier).astype(object) << left
    longer = np.where(left > 0, np.clip(longer, -_FAR, _FAR), longer)
    return np.asarray(longer, np.int64), np.clip(shift, 0, POST_MAX)


def narrow(multiplier, shift):
    """Multiplier and right shift of a scaled pass for 16-bit factors, ints or arrays.

    Left shifts are limited: elements other than 0 still saturate 16 bits.
    """
    multiplier, shift = np.asarray(multiplier, np.int64), np.asarray(shift)
    left   = np.clip(-shift, 0, 17)
    longer = np.clip(multiplier << left, -(1 << 16), 1 << 16)
    zero   = shift >= SHIFT_ZERO
    return np.where(zero, 0, longer), np.where(zero, 0, np.clip(shift, 0, None))


def ties(multiplier, post, peak):
    """Whether ``multiplier`` times an integer up to ``peak`` in magnitude can be a tie.

    A tie is halfway between two multiples of ``2**post``; all arguments are int.
    """
    if not post or not multiplier:
        return False
    places = (multiplier & -multiplier).bit_length() - 1
    return places < post and 1 << post - 1 - places <= peak
