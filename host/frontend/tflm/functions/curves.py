# SPDX-License-Identifier: Apache-2.0
"""Sigmoids, tangents and roots of TensorFlow Lite fixed-point numbers, in ints.

``Qn.m`` is an int over ``2**m``, with ``n`` bits before the point.
"""

from xymac.host.ir.exponential import high_mul, reciprocal
from xymac.host.ir.rescale import divide

__all__ = ["inverse_root", "sigmoid", "tanh"]

_ONE   = (1 << 31) - 1  #: Q0.31, the largest.
_EIGHTH, _THIRD = 1 << 28, 715827883  #: Q0.31.
_START = 1895147668     #: exp(-1/8), Q0.31.
#: exp(-2**(place - 2)), Q0.31, by place.
_POWERS = 1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242
_ROOT_STEPS = 5           #: Newton steps of a root.
_HALF_ROOT  = 1518500250  #: sqrt(1/2), Q0.31.


def _exponential(x, integer_bits):
    """exp(x), Q0.31, for an int up to 0 with 4 or 5 ``integer_bits``.

    Source: gemmlowp, fixedpoint/fixedpoint.h, ``exp_on_negative_values``.
    """
    if x == 0:
        return _ONE
    quarter = 1 << 29 - integer_bits
    rest    = x % quarter - quarter
    near    = (rest << integer_bits) + _EIGHTH
    square  = high_mul(near, near)
    fourth  = divide(high_mul(square, square), 2)
    curve   = divide(high_mul(fourth + high_mul(square, near), _THIRD) + square, 1)
    value   = _START + high_mul(_START, near + curve)
    for place in range(integer_bits + 2):
        if (rest - x) // quarter >> place & 1:
            value = high_mul(value, _POWERS[place])
    return value


def sigmoid(x):
    """``1 / (1 + exp(-x))``, Q0.31, for a Q4.27 number."""
    if x == 0:
        return 1 << 30
    value = min(reciprocal(_exponential(-abs(x), 4)) << 1, _ONE)
    return value if x > 0 else _ONE - value


def tanh(x):
    """Hyperbolic tangent, Q0.31, for a Q4.27 number."""
    if x == 0:
        return 0
    # The same number with an additional integer bit is twice as large.
    value = min(reciprocal(_exponential(-abs(x), 5)) - (1 << 29) << 2, _ONE)
    return value if x > 0 else -value


def inverse_root(value):
    """``(multiplier, exponent)`` for ``1 / sqrt(value)``, of an int from 1 on.

    Source: tensorflow/lite/kernels/internal/common.h, ``GetInvSqrtQuantizedMultiplierExp``.
    """
    if value == 1:
        return _ONE, 0
    shift = 11
    while value >= 1 << 29:
        value, shift = value >> 2, shift + 1
    while value < 1 << 27:
        value, shift = value << 2, shift - 1
    half = (value >> 1) + 1 >> 1
    root = 1 << 28
    for _ in range(_ROOT_STEPS):
        cube = min(high_mul(high_mul(root, root), root) << 6, _ONE)
        root = min(high_mul(3 << 27, root) - high_mul(half, cube) << 3, _ONE)
    root = high_mul(root, _HALF_ROOT)
    return (root << -shift, 0) if shift < 0 else (root, -shift)
