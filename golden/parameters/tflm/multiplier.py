# SPDX-License-Identifier: Apache-2.0
"""Quantisation of a real factor to a 31-bit or 15-bit multiplier and an exponent."""

from __future__ import annotations

from math import frexp

__all__ = ["EXPONENT_MAX", "EXPONENT_MAX_LONG", "quantize_multiplier", "reduce_multiplier"]

EXPONENT_MAX      = 30  #: Largest exponent for 32-bit sums, which are shifted left first.
EXPONENT_MAX_LONG = 7   #: Largest exponent for 64-bit sums.

_EXPONENT_MIN = -31
_FRACTION     = 53  #: Significand bits of a double.


def quantize_multiplier(factor: float) -> tuple[int, int]:
    """``(multiplier, exponent)`` with ``factor`` about ``multiplier * 2**(exponent - 31)``.

    The multiplier has a full 31 bits, rounded, halves away from zero; it is 0, and so is the
    exponent, for 0 and where the exponent would be less than -31.
    Source: tensorflow/lite/kernels/internal/quantization_util.cc, ``QuantizeMultiplier``.

    Parameters
    ----------
    factor : float, at least 0
    """
    fraction, exponent = frexp(factor)
    whole      = int(fraction * (1 << _FRACTION))  # exact
    multiplier = (whole >> _FRACTION - 32) + 1 >> 1
    if multiplier == 1 << 31:
        multiplier, exponent = 1 << 30, exponent + 1
    return (multiplier, exponent) if multiplier and exponent >= _EXPONENT_MIN else (0, 0)


def reduce_multiplier(multiplier: int) -> int:
    """The upper 15 of a multiplier's 31 bits, rounded, at most ``0x7fff``.

    Source: tensorflow/lite/kernels/internal/common.cc, ``MultiplyByQuantizedMultiplier`` for
    int64_t.
    """
    return min((multiplier + (1 << 15)) >> 16, 0x7fff)
