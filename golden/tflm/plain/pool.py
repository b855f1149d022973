# SPDX-License-Identifier: Apache-2.0
"""float32 pooling operators as the host computes them, layout NHWC."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from xymac.golden.checks import check_kind, check_rank, check_windows
from xymac.golden.parameters.tflm.options import Activation, Padding
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_steps, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.shapes import PoolShapes
from xymac.golden.tflm.tensor import Tensor

from .limits import limit_real
from .windows import each_tap

__all__ = ["PlainPool", "PlainPooling"]


class PlainPooling(Enum):
    """Reduction of a window; the value is the operator's name."""

    AVERAGE_POOL_2D = "AVERAGE_POOL_2D"
    MAX_POOL_2D     = "MAX_POOL_2D"
    L2_POOL_2D      = "L2_POOL_2D"


@dataclass(frozen=True)
class PlainPool(PoolShapes, TensorLayer):
    """Pool FLOAT32 windows, padding ignored; L2_POOL_2D is the root of the mean square.

    Source: tensorflow/lite/kernels/internal/reference/pooling.h.

    Parameters
    ----------
    kernel, stride : (rows, columns), elements, at least 1
    padding : Padding
    activation : Activation
    """

    op:         PlainPooling
    kernel:     tuple[int, ...]
    stride:     tuple[int, ...] = (1, 1)
    padding:    Padding = Padding.VALID
    activation: Activation = Activation.NONE

    out = None

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_kind("op", self.op, PlainPooling)
        check_types("Input", x, "FLOAT32")
        check_rank("Input", x, 4)
        check_steps("kernel", self.kernel)
        check_steps("stride", self.stride)
        check_kind("padding", self.padding, Padding)
        check_kind("activation", self.activation, Activation)
        check_windows(self.kernel, self.stride, self.pads(x.shape), x.shape[1:3])

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        shape  = self.output_shape(x.shape)
        firsts = tuple(np.arange(count) * step - pad for count, step, pad
                       in zip(shape[1:3], self.stride, self.pads(x.shape)[::2], strict=True))
        is_max = self.op == PlainPooling.MAX_POOL_2D
        values = np.full(shape, np.finfo(np.float32).min if is_max else 0, np.float32)
        counts = np.zeros((*shape[1:3], 1), np.float32)
        with np.errstate(all="ignore"):
            for _, _, elements, inside in each_tap(x.data, firsts, self.kernel):
                if is_max:
                    values = np.where(inside & (values < elements), elements, values)
                else:
                    terms = elements
                    if self.op == PlainPooling.L2_POOL_2D:
                        terms = elements * elements
                    values = np.where(inside, values + terms, values)
                counts = counts + inside
            if not is_max:
                values = values / counts.astype(np.float32)
            if self.op == PlainPooling.L2_POOL_2D:
                values = np.sqrt(values)
        return Result(Tensor(np.asarray(limit_real(values, self.activation), np.float32)),
                      overflow=False)
