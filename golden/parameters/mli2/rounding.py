# SPDX-License-Identifier: Apache-2.0
"""Parameter shifts and norms at the library's widths, one integer at a time.

``xymac.golden.mli2.arithmetic`` has the corresponding functions for data; this module uses nothing
from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import container
from xymac.hdl.isa import RoundMode

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cast", "limit", "norm", "normalise", "of_each", "scale_ratio", "shift_left",
           "shift_round"]


def limit(x: int, bits: int) -> int:
    """An integer saturated to ``bits``."""
    low, high = container(bits)
    return min(max(x, low), high)


def _shift_left(x, places, bits):
    return limit(x << places, bits) if places >= 0 else x >> -places


def _shift_round(x, shift, bits, rounding):
    if shift <= 0:
        return limit(x << -shift, bits)
    if shift >= bits:
        return 0
    half = 1 << shift - 1
    if rounding is RoundMode.UP:
        return limit(x + half, bits) >> shift
    down, rest = x >> shift, x & 2 * half - 1
    return down + (rest > half or (rest == half and down % 2 == 1))


def of_each(function: Callable, *values: int | np.ndarray) -> np.ndarray:
    """Array with ``function(*integers)`` for every element in ints or arrays."""
    return np.vectorize(function, otypes=[np.int64])(*values)


def shift_left(x: int | np.ndarray, places: int | np.ndarray, bits: int) -> np.ndarray:
    """``x * 2**places`` saturated to ``bits`` bits; a negative shift moves right and rounds down.

    ``x`` and ``places`` are ints or arrays. Source: embARC MLI 2.0, pal/ref/mli_math.h,
    ``mli_math_asl_fx``.
    """
    return of_each(lambda each, by: _shift_left(each, by, bits), x, places)


def shift_round(x: int | np.ndarray, shift: int, bits: int, rounding: RoundMode) -> np.ndarray:
    """``x / 2**shift`` rounded at ``bits`` bits; a negative shift multiplies and saturates.

    ``x`` and ``shift`` are ints or arrays. The rounding addition saturates at ``bits``; a shift by
    ``bits`` or more gives 0.
    Source: embARC MLI 2.0, pal/ref/mli_math.h, ``mli_math_asr_rnd_fx``.
    """
    return of_each(lambda each, by: _shift_round(each, by, bits, rounding), x, shift)


def cast(x: int, shift: int, bits: int, out_bits: int, rounding: RoundMode) -> int:
    """``shift_round`` an integer at ``bits``, then saturate it to ``out_bits``."""
    return limit(_shift_round(x, shift, bits, rounding), out_bits)


def norm(x: int, bits: int) -> int:
    """Redundant sign bits of a ``bits``-bit integer.

    Source: embARC MLI 2.0, pal/ref/mli_math.h, ``mli_math_norm_fx``.
    """
    return bits - 1 - (~x if x < 0 else x).bit_length()


def normalise(x: int, bits: int, out_bits: int, rounding: RoundMode) -> tuple[int, int]:
    """An integer normalised to ``out_bits`` bits, and the right shift applied to it.

    Source: embARC MLI 2.0, pal/ref/mli_math.h, ``mli_math_norm_cast_fx``.
    """
    shift = bits - out_bits - norm(x, bits)
    return cast(x, shift, bits, out_bits, rounding), shift


def scale_ratio(scale: int, out_scale: int, places: int, rounding: RoundMode) -> tuple[int, int]:
    """``scale / out_scale`` as a 16-bit multiplier and its fractional bits.

    ``scale * 2**places`` has at most 32 bits; the quotient is cut, then rounded to 16 bits.
    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``define_requant_params``.
    """
    multiplier, shift = normalise((scale << places) // out_scale, 32, 16, rounding)
    return multiplier, places - shift
