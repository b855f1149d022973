# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite quotients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import wrap
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.pairs import quotient_multiplier
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import doubling_high_mul
from xymac.golden.tflm.checks import check_activation, check_factors, check_types
from xymac.golden.tflm.curves.exponential import reciprocal
from xymac.golden.tflm.eltwise import NAMES, Binary
from xymac.golden.tflm.limits import store
from xymac.golden.tflm.tensor import Quantisation

if TYPE_CHECKING:
    from xymac.golden.tflm.tensor import Tensor

__all__ = ["Div"]

_EXPONENT_MAX = 23  #: Largest factor exponent; it keeps the last shift to the right.


def _bits_of(values):
    """Bit count for each int up to 2**31, from 0 on."""
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def _divide_by_power(x, exponent):
    """``x / 2**exponent``, rounded, halves away from zero, for exponents up to 31.

    The library also shifts by more where a quotient is small: the shift then counts modulo 32, and
    its 32-bit mask is all ones.
    """
    mask = wrap(np.left_shift(1, exponent & 63, dtype=np.int64) - 1, 32)
    return (x >> (exponent & 31)) + ((x & mask) > (mask >> 1) + (x < 0))


@dataclass(frozen=True)
class Div(Binary):
    """DIV: quotient of two elements, INT8, by a 31-bit reciprocal.

    Source: tensorflow/lite/kernels/internal/reference/div.h, ``DivElementwise``;
    tensorflow/lite/kernels/internal/common.h, ``GetReciprocal``.

    Parameters
    ----------
    out : output Quantisation
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    """

    out:        Quantisation
    activation: Activation = Activation.NONE

    def factor(self, a: Tensor, b: Tensor) -> tuple[int, int]:
        """Multiplier and exponent for the quotients."""
        return quotient_multiplier(a.scaling.scale, b.scaling.scale, self.out.scale)

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        for name, x in zip(NAMES, (a, b), strict=True):
            check_types(name, x, "INT8")
        super().check(a, b)
        check_activation(self.activation, self.out, a.data.dtype)
        if not b.scaling.scale:
            raise ValueError(f"Scale of {NAMES[1].lower()} must be more than 0, not 0.0")
        check_factors([self.factor(a, b)], _EXPONENT_MAX)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``; ValueError for a divisor of 0."""
        divisor = b.centred
        if not divisor.all():
            raise ValueError(f"No element of the second input must be its zero point, "
                             f"{b.scaling.zero_point}")
        return Result(store(a, self.divide(a.centred * np.sign(divisor), np.abs(divisor),
                                           self.factor(a, b)), self.out, self.activation),
                      overflow=False)

    @staticmethod
    def divide(dividend: np.ndarray, divisor: np.ndarray, factor: tuple[int, int]) -> np.ndarray:
        """Quotients of int64 arrays (9-bit dividends, 8-bit divisors) times a (multiplier,
        exponent) factor.
        """
        multiplier, exponent = factor
        digits   = _bits_of(divisor) - 1
        inverse  = reciprocal((divisor << 31 - digits) - (1 << 31))
        headroom = 31 - _bits_of(np.where(dividend < 0, -dividend - 1, dividend))
        scaled   = doubling_high_mul(doubling_high_mul(dividend << headroom, inverse), multiplier)
        return _divide_by_power(scaled, headroom + digits - exponent)
