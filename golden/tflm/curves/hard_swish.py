# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite hard swish."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.parameters.tflm.hard_swish import hard_swish_multipliers
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import divide_by_power
from xymac.golden.tflm.checks import check_out, check_scaled
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["HardSwish"]

_SHIFT_MAX = 31  #: Largest left shift of the line; smaller shifts already saturate.


def _high_mul(a, b):
    """``a * b / 2**15``, rounded, halves up; ``b`` is not negative."""
    return a * b + (1 << 14) >> 15


def _divide(x, exponent):
    """``x / 2**exponent`` for 16-bit ``x``, rounded, halves away from 0.

    From an exponent of 16 on the library's mask is all ones and treats every remainder as the
    larger half.
    """
    return divide_by_power(x, exponent) if exponent < 16 else np.where(x < 0, -1, 1)


def _line(x, multiplier, exponent):
    """``relu6(x + 3) / 6`` from shifted elements, 0 .. 2**15."""
    left = min(max(exponent, 0), _SHIFT_MAX)
    line = saturate(x << max(left - 1, 0), 16)
    line = _high_mul(line, multiplier)
    if left:
        line = saturate(line << 1, 16)
    return _divide(line, max(-exponent, 0)) + (1 << 15) >> 1


@dataclass(frozen=True)
class HardSwish(TensorLayer):
    """HARD_SWISH: ``x * relu6(x + 3) / 6``, INT8, by 15-bit factors.

    Source: tensorflow/lite/kernels/internal/reference/hard_swish.h, ``HardSwish``.
    """

    out: Quantisation

    by_element = True

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        check_out(self.out, x.data.dtype)
        (_, exponent), _ = hard_swish_multipliers(x.scaling.scale, self.out.scale)
        if exponent > 0:
            raise ValueError(f"Scale of the input must be less than 128 times that of the output, "
                             f"not {x.scaling.scale / self.out.scale:g} times")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        first, second = hard_swish_multipliers(x.scaling.scale, self.out.scale)
        shifted = x.centred << 7
        values  = _high_mul(shifted, first[0])
        product = values * _line(shifted, *second)
        cut     = np.sign(product) * (np.abs(product) >> 15)  # towards 0
        values  = _divide(cut, -first[1]) + self.out.zero_point
        return Result(Tensor(np.asarray(saturate(values, 8), np.int8), self.out), overflow=False)
