# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite L2 normalisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import check_out, check_scaled
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .root import inverse_root

__all__ = ["L2Normalization"]

_OUT_BITS  = 7  #: Fractional bits of an output.
_RANK_MAX  = 4


@dataclass(frozen=True)
class L2Normalization(TensorLayer):
    """L2_NORMALIZATION: elements divided by the root of the row's sum of squares, INT8.

    A row lies along the last dimension. Output steps are 2**-7; the ``out`` scale and zero point
    have no effect.
    Source: tensorflow/lite/kernels/internal/reference/integer_ops/l2normalization.h.
    """

    out: Quantisation

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        check_out(self.out, x.data.dtype)
        if not 1 <= x.data.ndim <= _RANK_MAX:
            raise ValueError(f"Input must have 1 to {_RANK_MAX} dimensions, not {x.data.ndim}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; OverflowError where a sum has more than 31 bits."""
        values = x.centred
        total  = (values ** 2).sum(axis=-1, keepdims=True)
        if total.max() >> 31:
            raise OverflowError(f"Squares of a row must add up to less than 2**31, "
                                f"not {int(total.max())}")
        multiplier, exponent = inverse_root(total)
        scaled = multiply_quantized(values, multiplier, exponent + _OUT_BITS)
        return Result(Tensor(saturate(scaled, 8).astype(np.int8), self.out), overflow=False)
