# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic for MLI 2.0: shifts that round and saturate at the operand width."""

from __future__ import annotations

from enum import Enum

import numpy as np

from xymac.golden.fixed import container, saturate
from xymac.hdl.isa import RoundMode

__all__ = ["Build", "cast", "norm", "shift_left", "shift_round"]


class Build(Enum):
    """The library's build options: its rounding, and the width it keeps for an 8-bit sum."""

    UP_FULL         = "up-full"
    UP_REDUCED      = "up-reduced"
    CONVERGENT_FULL = "convergent-full"

    @property
    def rounding(self) -> RoundMode:
        """RoundMode."""
        return RoundMode.CONVERGENT if self is Build.CONVERGENT_FULL else RoundMode.UP

    @property
    def reduced(self) -> bool:
        """Whether sums of SA_8 products are cut to 16 bits before they are scaled."""
        return self is Build.UP_REDUCED


def shift_left(x: np.ndarray, places: int | np.ndarray, bits: int) -> np.ndarray:
    """``x * 2**places`` saturated to ``bits`` bits; a negative shift moves right and rounds down.

    Source: embARC MLI 2.0, pal/ref/mli_math.h, ``mli_math_asl_fx``.

    Parameters
    ----------
    x : int64 array, values within ``bits`` bits
    places : int or array, left shift in bits
    bits : int, up to 64
    """
    x, places = np.asarray(x, np.int64), np.asarray(places)
    low, high = container(bits)
    left      = np.clip(places, 0, bits - 1)
    shifted   = np.where(x > high >> left, high, np.where(x < low >> left, low, x << left))
    return np.where(places < 0, x >> np.clip(-places, 0, bits - 1), shifted)


def shift_round(x: int | np.ndarray, shift: int | np.ndarray, bits: int,
                rounding: RoundMode) -> np.ndarray:
    """``x / 2**shift`` rounded at ``bits`` bits; a negative shift multiplies and saturates.

    The rounding addition saturates at ``bits``, so the largest values come out lower by 1; a shift
    by ``bits`` or more gives 0.
    Source: embARC MLI 2.0, pal/ref/mli_math.h, ``mli_math_asr_rnd_fx``.

    Parameters
    ----------
    x : int64 array, values within ``bits`` bits
    shift : int or array, right shift in bits
    bits : int, up to 64
    rounding : RoundMode, UP or CONVERGENT
    """
    x, shift = np.asarray(x, np.int64), np.asarray(shift)
    right = np.clip(shift, 1, bits - 1).astype(np.int64)
    half  = np.int64(1) << right - 1
    if rounding is RoundMode.UP:
        rounded = np.minimum(x, container(bits)[1] - half) + half >> right
    else:
        rounded = x >> right
        rest    = x & (half | half - 1)
        rounded = rounded + ((rest > half) | (rest == half) & (rounded & 1 == 1))
    rounded = np.where(shift >= bits, 0, rounded)
    return np.where(shift > 0, rounded, shift_left(x, np.maximum(-shift, 0), bits))


def cast(x: int | np.ndarray, shift: int | np.ndarray, bits: int, out_bits: int,
         rounding: RoundMode) -> np.ndarray:
    """``shift_round`` at ``bits``, saturated to ``out_bits``."""
    return saturate(shift_round(x, shift, bits, rounding), out_bits)


def norm(x: int | np.ndarray, bits: int) -> np.ndarray:
    """Redundant sign bits of ``bits``-bit integers, an int or an array.

    Source: embARC MLI 2.0, pal/ref/mli_math.h, ``mli_math_norm_fx``.
    """
    x = np.asarray(x, np.int64)
    # frexp of an integer below 2**53 is exact: 32-bit values are.
    used = np.frexp(np.where(x < 0, ~x, x).astype(np.float64))[1]
    return bits - 1 - used
