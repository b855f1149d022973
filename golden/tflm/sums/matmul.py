# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite matrix products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import in_range, matmul, wrap
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.linear import output_multipliers
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX, EXPONENT_MAX_LONG
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized, multiply_quantized_long
from xymac.golden.tflm.checks import (
    check_factors,
    check_flag,
    check_out,
    check_types,
    check_whole,
    check_zero,
)
from xymac.golden.tflm.eltwise import NAMES
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import store
from xymac.golden.tflm.shapes import MatmulShapes
from xymac.golden.tflm.tensor import Quantisation

if TYPE_CHECKING:
    from xymac.golden.tflm.tensor import Tensor

__all__ = ["BatchMatmul"]

_LONG = 48  #: Width of an INT16 sum of products, bits.


@dataclass(frozen=True)
class BatchMatmul(MatmulShapes, TensorLayer):
    """BATCH_MATMUL: matrix products over the last two dimensions.

    INT8, or INT16 with zero point 0; the leading dimensions broadcast.
    Source: tensorflow/lite/micro/kernels/batch_matmul.cc;
    tensorflow/lite/kernels/internal/reference/batch_matmul.h, ``BatchMatMul``.

    Parameters
    ----------
    out : output Quantisation
    adj_x, adj_y : bool, whether the first and the second matrices are transposed
    """

    out:   Quantisation
    adj_x: bool = False
    adj_y: bool = False

    inputs    = 2
    work_unit = WorkUnit.PRODUCTS

    def factor(self, a: Tensor, b: Tensor) -> tuple[int, ...]:
        """(multiplier, exponent) for the sums of products."""
        return output_multipliers(a.scaling.scale, b.scaling.scales, self.out.scale)[0]

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        for name, x in zip(NAMES, (a, b), strict=True):
            check_types(name, x, "INT8", "INT16")
            check_whole(name, x)
            if x.data.ndim < 2:
                raise ValueError(f"{name} must have at least 2 dimensions, not {x.data.ndim}")
        if a.type_name != b.type_name:
            raise ValueError(f"First input is {a.type_name}, second input is {b.type_name}")
        check_flag("adj_x", self.adj_x)
        check_flag("adj_y", self.adj_y)
        self.check_shapes(a, b)
        check_out(self.out, a.data.dtype)
        if a.bits == 16:
            for name, kind in (*zip(NAMES, (a.scaling, b.scaling), strict=True),
                               ("Output", self.out)):
                check_zero(f"{name} of INT16", kind)
        check_factors([self.factor(a, b)], EXPONENT_MAX if a.bits == 8 else EXPONENT_MAX_LONG)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        first  = np.swapaxes(a.centred, -1, -2) if self.adj_x else a.centred
        second = np.swapaxes(b.centred, -1, -2) if self.adj_y else b.centred
        sums   = matmul(first, second)
        if a.bits == 8:
            values = multiply_quantized(wrap(sums, 32), *self.factor(a, b))
        else:
            values = multiply_quantized_long(sums, *self.factor(a, b))
        return Result(store(a, values, self.out, Activation.NONE),
                      not in_range(sums, 32 if a.bits == 8 else _LONG))
