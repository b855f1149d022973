# SPDX-License-Identifier: Apache-2.0
"""Exponentials and reciprocals for softmax and sigmoid, on 32-bit fixed-point numbers.

``Qn.m`` is an integer divided by ``2**m``, with ``n`` integer bits. All functions take and return
int64 arrays of 32-bit integers.
"""

from __future__ import annotations

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.tflm.arithmetic import divide_by_power, doubling_high_mul

__all__ = ["ONE", "exponential", "half_reciprocal", "reciprocal"]

ONE = (1 << 31) - 1  #: The largest Q0.31 number, used as 1.

_EIGHTH    = 1 << 28     #: Q0.31.
_THIRD     = 715827883   #: Q0.31.
_EXP_START = 1895147668  #: exp(-1/8), Q0.31.
#: exp(-2**n), Q0.31, for n = -2, -1, ...
_EXP_BITS  = {-2: 1672461947, -1: 1302514674, 0: 790015084, 1: 290630308, 2: 39332535, 3: 720401,
              4: 242}

_SLOPE = -1010580540  #: -32/17, Q2.29: with _START the line next to 1/x for x from 1/2 to 1.
_START = 1515870810   #: 48/17, Q2.29.
_STEPS = 3            #: Iterations of Newton's method.


def _exponential_of_rest(x):
    """exp(x) for Q0.31 from -1/4 to 0: the fourth-order series around -1/8, Q0.31."""
    x      = x + _EIGHTH
    square = doubling_high_mul(x, x)
    cube   = doubling_high_mul(square, x)
    fourth = divide_by_power(doubling_high_mul(square, square), 2)
    curve  = divide_by_power(doubling_high_mul(fourth + cube, _THIRD) + square, 1)
    return _EXP_START + doubling_high_mul(_EXP_START, x + curve)


def exponential(x: np.ndarray, integer_bits: int) -> np.ndarray:
    """exp(x), Q0.31, for Q4.27 or Q5.26 numbers up to 0.

    Source: gemmlowp, fixedpoint/fixedpoint.h, ``exp_on_negative_values``.

    Parameters
    ----------
    x : int64 array, from -2**31 to 0
    integer_bits : int, 4 or 5
    """
    x       = np.asarray(x, np.int64)
    places  = 31 - integer_bits
    quarter = 1 << places - 2
    rest    = (x & quarter - 1) - quarter
    value   = _exponential_of_rest(rest << integer_bits)
    whole   = rest - x
    for place, factor in _EXP_BITS.items():
        if place < integer_bits:
            value = np.where(whole >> places + place & 1, doubling_high_mul(value, factor), value)
    return np.where(x == 0, ONE, value)


def half_reciprocal(x: np.ndarray) -> np.ndarray:
    """``2 / (1 + x)``, Q2.29, for Q0.31 numbers >= 0: the reciprocal of the mean of 1 and ``x``.

    Source: gemmlowp, fixedpoint/fixedpoint.h, ``one_over_one_plus_x_for_x_in_0_1``.
    """
    half  = (np.asarray(x, np.int64) + ONE + 1) >> 1
    value = _START + doubling_high_mul(half, _SLOPE)
    for _ in range(_STEPS):
        error = (1 << 29) - doubling_high_mul(half, value)
        value = value + saturate(doubling_high_mul(value, error) << 2, 32)
    return value


def reciprocal(x: np.ndarray) -> np.ndarray:
    """``1 / (1 + x)``, Q0.31, for Q0.31 numbers from 0 on."""
    return saturate(half_reciprocal(x) << 1, 32)
