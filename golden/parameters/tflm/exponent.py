# SPDX-License-Identifier: Apache-2.0
"""Factors for the exponential arguments in softmax, sigmoid and hyperbolic tangent."""

from __future__ import annotations

from math import floor, frexp, log2

import numpy as np

from .multiplier import quantize_multiplier

__all__ = ["log_softmax_argument", "radius_of", "sigmoid_argument", "softmax_argument",
           "softmax_table_argument", "table_argument"]

_SOFTMAX_BITS = 5  #: Integer bits of a softmax argument.
_SIGMOID_BITS = 4  #: Integer bits of a sigmoid or tangent argument.
_TABLE_RANGE  = 10.0 / 65535.0  #: Step of the softmax table's argument.
_TABLE_UNIT   = 4096 * 3        #: Sigmoid and tangent table steps for an argument of 1, times 2**9.
_TABLE_TOP    = 32767.0 / 2
_TABLE_SHIFT  = 31
_NEAR         = np.float32(1e-3)  #: Largest distance of a logarithm from an integer.


def radius_of(integer_bits: int, exponent: int) -> int:
    """Largest argument, in input steps, that fits ``integer_bits`` after multiplication by its
    factor.

    Source: tensorflow/lite/kernels/internal/quantization_util.cc, ``CalculateInputRadius``.
    """
    return floor(((1 << integer_bits) - 1) * 2.0 ** (31 - integer_bits - exponent))


def softmax_argument(x_scale: float, beta: float) -> tuple[int, int, int]:
    """``(multiplier, exponent, least)`` for differences from the largest int8 element, to Q5.26.

    A difference below ``least``, which is not above 0, has no exponential.
    Source: tensorflow/lite/kernels/internal/quantization_util.cc, ``PreprocessSoftmaxScaling``.
    """
    factor = min(beta * x_scale * (1 << 31 - _SOFTMAX_BITS), (1 << 31) - 1.0)
    multiplier, exponent = quantize_multiplier(factor)
    return multiplier, exponent, -radius_of(_SOFTMAX_BITS, exponent)


def log_softmax_argument(x_scale: float) -> tuple[int, ...]:
    """``softmax_argument``, then ``quantize_multiplier`` for its inverse: five ints.

    Source: tensorflow/lite/kernels/internal/quantization_util.cc,
    ``PreprocessLogSoftmaxScalingExp``.
    """
    multiplier, exponent, least = softmax_argument(x_scale, 1.0)
    inverse = quantize_multiplier((1 << 31 - exponent) / multiplier)
    return multiplier, exponent, least, *inverse


def softmax_table_argument(x_scale: float, beta: float) -> tuple[int, int]:
    """``quantize_multiplier`` from differences to the row's largest int16 element to table steps.

    Source: tensorflow/lite/micro/kernels/softmax_common.cc, ``CalculateSoftmaxParams``.
    """
    return quantize_multiplier(x_scale * beta / _TABLE_RANGE)


def sigmoid_argument(x_scale: float) -> tuple[int, int, int]:
    """``(multiplier, exponent, radius)`` from centred int8 elements to Q4.27.

    From the radius on, on either side, the output is its limit.
    Source: tensorflow/lite/micro/kernels/logistic_common.cc; tanh.cc.
    """
    fraction, exponent = frexp(x_scale * (1 << 31 - _SIGMOID_BITS))
    whole = int(fraction * (1 << 53))  # exact
    return (whole >> 21) + 1 >> 1, exponent, radius_of(_SIGMOID_BITS, exponent)


def _power_of(scale):
    """Rounded binary logarithm of a scale close to a power of two, else None; in float32."""
    logarithm = np.float32(log2(scale)) if scale else np.float32(0.5)
    nearest   = np.round(logarithm)
    return int(nearest) if abs(logarithm - nearest) < _NEAR else None


def table_argument(x_scale: float, doubles: bool) -> tuple[int, int]:
    """``(factor, right shift)`` from int16 elements to table steps.

    Scales close to 2**-12, and with ``doubles`` also to 2**-11, give the integer factors 3 and 6.
    Other scales give a factor truncated to 15 bits.
    Source: tensorflow/lite/micro/kernels/logistic_common.cc; tanh.cc.

    Parameters
    ----------
    x_scale : float, input scale
    doubles : bool, whether the scale 2**-11 has an integer factor, as for the tangent
    """
    left = None if (power := _power_of(x_scale)) is None else power + 12
    if left == 0 or (doubles and left == 1):
        return 3 << left, 0
    factor, shift = x_scale * _TABLE_UNIT, 0
    while factor <= _TABLE_TOP and shift < _TABLE_SHIFT:
        factor, shift = 2 * factor, shift + 1
    return int(factor), shift
