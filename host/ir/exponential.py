# SPDX-License-Identifier: Apache-2.0
"""Exponentials, reciprocals and logarithms of 32-bit fixed-point numbers.

``Qn.m`` is an integer over ``2**m``, with ``n`` bits before the point. ``high_mul`` and
``reciprocal`` take ints or int64 arrays, all other functions int64 arrays.
Source: gemmlowp, fixedpoint/fixedpoint.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .rescale import divide

__all__ = ["BELOW", "SUM_BITS", "exponentials", "high_mul", "logarithm", "reciprocal", "share"]

BELOW    = np.arange(-255, 1)  #: 8-bit elements minus the largest element.
SUM_BITS = 12                  #: Right shift of an exponential in a sum.

_TOP = (1 << 31) - 1
_ARGUMENT_BITS = 26  #: Fraction bits of an argument.
#: exp(-1/8), and exp(-2**place) for the bits of an exponent from 1/4 on, Q0.31.
_START = 1895147668
_BITS  = {-2: 1672461947, -1: 1302514674, 0: 790015084, 1: 290630308, 2: 39332535, 3: 720401,
          4: 242}
_THIRD = 715827883
_LINE  = 1515870810, -1010580540  #: 48/17 and -32/17, Q2.29.
_STEPS = 3                        #: Steps of Newton's method.
_ROOT, _ROOT_4, _LOG_2 = 1518500250, 1805811301, 1488522236  #: Of 1/2, and of 2; Q0.31.
_CUBE, _SQUARE, _WHOLE, _QUARTER = 117049297, 127690142, 1057819769, 638450708


def high_mul(a: Any, b: Any) -> Any:
    """``a * b / 2**31``, rounded, halves up."""
    return a * b + (1 << 30) >> 31


def reciprocal(x: Any) -> Any:
    """``2 / (1 + x)``, Q2.29 over 2, for a Q0.31 number from 0 on.

    Source: ``one_over_one_plus_x_for_x_in_0_1``.
    """
    half  = x + (1 << 31) >> 1
    value = _LINE[0] + high_mul(half, _LINE[1])
    for _ in range(_STEPS):
        value = value + (high_mul(value, (1 << 29) - high_mul(half, value)) << 2)
    return value


def exponentials(multiplier: int, exponent: int, least: int) -> np.ndarray:
    """Exponentials, Q0.31, for all of ``BELOW``: 0 below ``least``.

    ``multiplier`` and ``exponent`` scale a difference to Q5.26.
    """
    counts  = np.maximum(BELOW, least).astype(np.int64)
    x       = high_mul(counts << exponent, np.int64(multiplier))
    quarter = 1 << _ARGUMENT_BITS - 2
    rest    = (x & quarter - 1) - quarter
    value   = _of_rest(rest << 31 - _ARGUMENT_BITS)
    for place, factor in _BITS.items():
        taken = (rest - x) >> _ARGUMENT_BITS + place & 1
        value = np.where(taken, high_mul(value, np.int64(factor)), value)
    return np.where(least > BELOW, 0, np.where(x == 0, _TOP, value))


def _of_rest(x):
    """exp(x), Q0.31, for numbers from -1/4 to 0."""
    x      = x + (1 << 28)
    square = high_mul(x, x)
    fourth = divide(high_mul(square, square), 2)
    curve  = divide(high_mul(fourth + high_mul(square, x), np.int64(_THIRD)) + square, 1)
    return _START + high_mul(np.int64(_START), x + curve)


def share(powers: np.ndarray, sums: np.ndarray, bits: int = 8) -> np.ndarray:
    """Shares of exponentials in sums below ``2**28``, in ``2**-bits`` steps, without a limit."""
    zeros   = 32 - _bits(sums)
    inverse = np.minimum(reciprocal((sums << zeros) - (1 << 31)) << 1, _TOP)
    return divide(high_mul(inverse, powers), 43 - bits - zeros)


def logarithm(sums: np.ndarray) -> np.ndarray:
    """Natural logarithm, Q5.26, of sums in units of ``2**-19``.

    Source: tensorflow/lite/kernels/internal/common.h,
    ``log_x_for_x_greater_than_or_equal_to_1_impl``.
    """
    above  = 31 - _bits(sums)
    first  = _shift(high_mul(sums << above, _ROOT), 1)
    below  = 31 - _bits(high_mul(sums, _ROOT))
    second = _shift(sums, below)
    powers = np.maximum((11 - above << 25) + (1 << 23), (12 - below << 25) - (1 << 23))
    rest   = np.minimum(first, second)
    twice  = rest - _ROOT_4 << 1
    square = high_mul(twice, twice)
    top    = high_mul(twice, rest) + high_mul(high_mul(twice, square), _CUBE)
    bottom = (high_mul(rest + _ROOT_4 + 1 >> 1, _WHOLE + twice + high_mul(_SQUARE, square))
              + high_mul(_QUARTER, twice))
    inverse = np.minimum(reciprocal(bottom) << 1, _TOP)
    return high_mul(powers, _LOG_2) + high_mul(divide(top, 6), inverse) << 1


def _bits(values):
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def _shift(values, places):
    """Values shifted left, saturated at 32 bits."""
    return np.clip(values << places, -_TOP - 1, _TOP)
