# SPDX-License-Identifier: Apache-2.0
"""Natural logarithm for 32-bit fixed-point numbers, as TensorFlow Lite takes it."""

from __future__ import annotations

import numpy as np

from xymac.golden.tflm.arithmetic import divide_by_power, doubling_high_mul

from .exponential import reciprocal

__all__ = ["logarithm"]

_IN_BITS  = 12  #: Integer bits of an argument.
_POW_BITS = 6   #: Integer bits of a binary exponent.

# Q0.31.
_LOG_2, _ROOT, _ROOT_4 = 1488522236, 1518500250, 1805811301  #: ln 2, 2**-.5, 2**-.25.
_CUBE, _SQUARE, _WHOLE, _QUARTER = 117049297, 127690142, 1057819769, 638450708  #: Coefficients.


def _bits_of(values):
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def _shift_left(values, exponent):
    """``values << exponent``, at most 2**31 - 1; no value is negative."""
    return np.minimum(values << exponent, (1 << 31) - 1)


def logarithm(values: np.ndarray) -> np.ndarray:
    """Natural logarithm, Q5.26, for Q12.19 numbers >= 1.0, int64 array.

    The algorithm divides a number by the adjacent power of two that gives the smaller quotient. A
    rational function approximates the quotient's logarithm. Only the number itself can exceed 32
    bits: the exponent lies between -1 and 11, and the result is at most ln 4096.
    Source: tensorflow/lite/kernels/internal/common.h,
    ``log_x_for_x_greater_than_or_equal_to_1_impl``.
    """
    head  = 32 - _bits_of(values)
    one   = _shift_left(doubling_high_mul(_shift_left(values, head - 1), _ROOT), 1)
    power = (_IN_BITS - head << 31 - _POW_BITS) + (1 << 23)

    head  = 31 - _bits_of(doubling_high_mul(values, _ROOT))
    other = _shift_left(values, head)
    more  = (_IN_BITS - head << 31 - _POW_BITS) - (1 << 23)

    rest  = np.minimum(one, other)
    power = np.maximum(power, more)
    mean  = rest + _ROOT_4 + 1 >> 1
    twice = rest - _ROOT_4 << 1
    square    = doubling_high_mul(twice, twice)
    numerator = (doubling_high_mul(twice, rest)
                 + doubling_high_mul(doubling_high_mul(twice, square), _CUBE))
    divisor   = (doubling_high_mul(mean, _WHOLE + twice + doubling_high_mul(_SQUARE, square))
                 + doubling_high_mul(_QUARTER, twice))
    rest = doubling_high_mul(divide_by_power(numerator, _POW_BITS), reciprocal(divisor))
    return doubling_high_mul(power, _LOG_2) + rest << 1
