# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite factors, a 31-bit multiplier and an exponent: as pass parameters, and computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.hdl.isa import RoundMode, Scale

from .sums import first_record

if TYPE_CHECKING:
    from xymac.golden.array import Ints

__all__ = ["RESCALED", "divide", "factor_records", "rescale", "rescale_fields",
           "rescale_records", "wraps"]

#: Fields of a pass that multiplies its sums by a factor.
RESCALED = {"scale": Scale.BITS32, "rounding": RoundMode.TWICE}

_PLACES = 31  #: Fraction bits of a multiplier.
_HALF   = 1 << _PLACES - 1
_WORD   = 1 << 32


def factor_records(multiplier: int | np.ndarray,
                   exponent: int | np.ndarray) -> tuple[int | np.ndarray]:
    """First parameter word for a factor, ints or arrays: a 1-tuple."""
    return (first_record(np.asarray(multiplier, np.int64), 0,
                         _PLACES - np.asarray(exponent, np.int64)),)


def rescale_records(multiplier: int, exponent: int) -> tuple[int, ...]:
    """Parameters (a 1-tuple of int) for a pass with ``RESCALED``, for sums that do not wrap."""
    return tuple(map(int, factor_records(multiplier, exponent)))


def rescale_fields(zero: int,
                   limits: tuple[int, int]) -> dict[str, Any]:
    """Fields for a ``RESCALED`` pass with an added zero point and output limits."""
    low, high = limits
    return {**RESCALED, "clip": (low - zero, max(low, high) - zero), "zero": zero}


def wraps(peak: int, exponent: int) -> bool:
    """Whether integers up to ``peak`` in magnitude leave 32 bits as the library shifts them."""
    return peak << max(exponent, 0) >= 1 << 31


def divide(x: Ints, shift: int) -> Ints:
    """``x / 2**shift``, rounded, halves away from zero; ints or int64 arrays."""
    return x + ((1 << shift) >> 1) - (x < 0) * (shift > 0) >> shift


def rescale(x: Ints, multiplier: int, exponent: int) -> Ints:
    """``x * multiplier * 2**(exponent - 31)`` as the library rounds it, twice.

    A left shift wraps at 32 bits.

    Parameters
    ----------
    x : 32-bit int, or int64 array
    """
    shifted = (x << max(exponent, 0)) + (1 << 31)
    wrapped = shifted % _WORD - (1 << 31)
    return divide(wrapped * multiplier + _HALF >> _PLACES, max(-exponent, 0))
