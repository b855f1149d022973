# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite log-softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.parameters.tflm.exponent import log_softmax_argument
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import divide_by_power, multiply_quantized
from xymac.golden.tflm.checks import check_kind, check_scaled
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .exponential import exponential
from .logarithm import logarithm

__all__ = ["LogSoftmax"]

_SUM_BITS = 12  #: Bits dropped from a Q0.31 exponential in the sum.
_OUT_BITS = 22  #: Bits of a Q5.26 logarithm below an output step.
_COUNT    = 4096  #: Exclusive limit of a row's sum of exponentials.


@dataclass(frozen=True)
class LogSoftmax(TensorLayer):
    """LOG_SOFTMAX: elements minus the logarithm of the row's sum of exponentials, INT8.

    A row lies along the last dimension.
    Source: tensorflow/lite/kernels/internal/reference/log_softmax.h, ``LogSoftmaxQuantized``.

    Parameters
    ----------
    out : Quantisation, scale 2**-4, zero point 127
    """

    out: Quantisation

    def factor(self, x: Tensor) -> tuple[int, ...]:
        """Factor for a difference between two elements, see ``parameters.tflm.exponent``."""
        return log_softmax_argument(x.scaling.scale)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        check_kind("out", self.out, Quantisation)
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")
        if self.out.zero_point != 127 or self.out.scale != 2.0 ** -4:
            raise ValueError(f"out must have scale 2**-4 and zero point 127, "
                             f"not {self.out.scale:g} and {self.out.zero_point}")
        if x.scaling.scale * (1 << 26) <= 1:
            raise ValueError(f"Scale of the input must be more than 2**-26, "
                             f"not {x.scaling.scale:g}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; OverflowError where exponentials add up to too much."""
        multiplier, exponent, least, *inverse = self.factor(x)
        below  = x.data.astype(np.int64)
        below  = below - below.max(axis=-1, keepdims=True)
        scaled = multiply_quantized(np.maximum(below, least), multiplier, exponent)
        powers = divide_by_power(exponential(scaled, 5), _SUM_BITS)
        total  = np.where(below >= least, powers, 0).sum(axis=-1, keepdims=True)
        if total.max() >> 31:
            raise OverflowError(f"Exponentials of a row must add up to less than {_COUNT}, "
                                f"not {int(total.max()) / (1 << 31 - _SUM_BITS):g}")
        result = logarithm(total)
        lowest = np.maximum(least - 1, multiply_quantized(result - (1 << 31), *inverse))
        values = saturate(divide_by_power(scaled - result, _OUT_BITS) + 127, 8)
        values = np.where(below > lowest, values, -128)
        return Result(Tensor(values.astype(np.int8), self.out), overflow=False)
