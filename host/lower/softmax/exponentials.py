# SPDX-License-Identifier: Apache-2.0
"""32-bit exponentials and softmax outputs, as TensorFlow Lite computes them.

Source: gemmlowp, fixedpoint/fixedpoint.h; tensorflow/lite/kernels/internal/reference/softmax.h,
``Softmax``. All functions take and return int64 arrays.
"""

import numpy as np

__all__ = ["BELOW", "SUM_BITS", "divide", "exponentials", "share"]

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


def divide(x, exponent):
    """``x / 2**exponent``, rounded, halves away from zero."""
    mask = (np.int64(1) << exponent) - 1
    return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0))


def _multiply(a, b):
    return (a * b + (1 << 30)) >> 31


def exponentials(multiplier, exponent, least):
    """Exponentials, Q0.31, for all of ``BELOW``: 0 below ``least``.

    For the parameters see ``xymac.golden.parameters.tflm.exponent.softmax_argument``.
    """
    counts  = np.maximum(BELOW, least).astype(np.int64)
    x       = _multiply(counts << exponent, np.int64(multiplier))
    quarter = 1 << _ARGUMENT_BITS - 2
    rest    = (x & quarter - 1) - quarter
    value   = _of_rest(rest << 31 - _ARGUMENT_BITS)
    for place, factor in _BITS.items():
        taken = (rest - x) >> _ARGUMENT_BITS + place & 1
        value = np.where(taken, _multiply(value, np.int64(factor)), value)
    return np.where(least > BELOW, 0, np.where(x == 0, _TOP, value))


def _of_rest(x):
    """exp(x), Q0.31, for numbers from -1/4 to 0."""
    x      = x + (1 << 28)
    square = _multiply(x, x)
    fourth = divide(_multiply(square, square), 2)
    curve  = divide(_multiply(fourth + _multiply(square, x), np.int64(_THIRD)) + square, 1)
    return _START + _multiply(np.int64(_START), x + curve)


def share(powers, sums):
    """Softmax outputs of exponentials in sums below ``2**28``, in steps of 1/256, without a limit.
    """
    zeros = 32 - np.frexp(sums.astype(np.float64))[1]
    half  = (sums << zeros) >> 1
    value = _LINE[0] + _multiply(half, np.int64(_LINE[1]))
    for _ in range(_STEPS):
        error = (1 << 29) - _multiply(half, value)
        value = value + (_multiply(value, error) << 2)
    inverse = np.minimum(value << 1, _TOP)
    return divide(_multiply(inverse, powers), 35 - zeros)
