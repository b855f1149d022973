# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite integer arithmetic on data: multiplication by 31-bit and 15-bit factors.

All functions take int64 arrays or ints, and are exact for every value of the stated width.
"""

from __future__ import annotations

import numpy as np

from xymac.golden.fixed import wrap
from xymac.golden.parameters.tflm.multiplier import reduce_multiplier

__all__ = ["divide_by_power", "divide_rounded", "doubling_high_mul", "multiply_quantized",
           "multiply_quantized_long"]

_TOP = (1 << 31) - 1


def doubling_high_mul(a: int | np.ndarray, b: int | np.ndarray) -> np.ndarray:
    """``a * b / 2**31`` for 32-bit integers, rounded, halves up; -2**31 * -2**31 saturates.

    Source: gemmlowp, fixedpoint/fixedpoint.h, ``SaturatingRoundingDoublingHighMul``.
    """
    # Equal to the library: add 2**30, or 1 - 2**30 below 0, then truncate towards zero.
    return np.minimum((np.multiply(a, b, dtype=np.int64) + (1 << 30)) >> 31, _TOP)


def divide_by_power(x: int | np.ndarray, exponent: int | np.ndarray) -> np.ndarray:
    """``x / 2**exponent``, rounded, halves away from zero; ``exponent`` from 0 to 31.

    Source: gemmlowp, fixedpoint/fixedpoint.h, ``RoundingDivideByPOT``.
    """
    x    = np.asarray(x, np.int64)
    mask = np.left_shift(1, exponent, dtype=np.int64) - 1
    return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0))


def divide_rounded(x: int | np.ndarray, count: int | np.ndarray) -> np.ndarray:
    """``x / count``, rounded, halves away from zero; ``count`` at least 1."""
    x = np.asarray(x, np.int64)
    return np.sign(x) * ((np.abs(x) + count // 2) // count)


def multiply_quantized(x: int | np.ndarray, multiplier: int | np.ndarray,
                       exponent: int | np.ndarray) -> np.ndarray:
    """``x * multiplier * 2**(exponent - 31)`` in 32 bits, rounded twice.

    ``x`` wraps at 32 bits, after it was shifted left by a positive exponent.
    Source: tensorflow/lite/kernels/internal/common.cc, ``MultiplyByQuantizedMultiplier``.

    Parameters
    ----------
    x : int64 array
    multiplier : int, or array, from 0 to 2**31 - 1
    exponent : int, or array, from -31 to 30
    """
    left = np.maximum(exponent, 0)
    high = doubling_high_mul(wrap(np.left_shift(x, left, dtype=np.int64), 32), multiplier)
    return divide_by_power(high, np.maximum(-np.asarray(exponent, np.int64), 0))


def multiply_quantized_long(x: int | np.ndarray, multiplier: int | np.ndarray,
                            exponent: int | np.ndarray) -> np.ndarray:
    """``x * multiplier * 2**(exponent - 31)`` for 64-bit ``x``, by the multiplier's upper 15 bits.

    The result is rounded once, halves up, and wraps at 32 bits; a product wraps at 64.
    Source: tensorflow/lite/kernels/internal/common.cc, ``MultiplyByQuantizedMultiplier`` for
    int64_t.

    Parameters
    ----------
    x : int64 array
    multiplier : int or array, 0 .. 2**31 - 1
    exponent : int or array, -31 .. 7
    """
    short = np.vectorize(reduce_multiplier, otypes=[np.int64])(multiplier)
    shift = 15 - np.asarray(exponent, np.int64)
    with np.errstate(over="ignore"):
        product = np.multiply(x, short, dtype=np.int64)
        return wrap((product + np.left_shift(1, shift - 1, dtype=np.int64)) >> shift, 32)
