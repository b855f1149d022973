# SPDX-License-Identifier: Apache-2.0
"""float32 sums over tensors and along a dimension, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_flag, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.moves.move import check_axis
from xymac.golden.tflm.tensor import Tensor

__all__ = ["PlainAddN", "PlainCumSum"]


@dataclass(frozen=True)
class PlainAddN(TensorLayer):
    """ADD_N: sum of two or more FLOAT32 tensors of equal shape, in their order.

    Source: tensorflow/lite/kernels/internal/reference/add_n.h, ``AddN``.
    """

    inputs     = None
    out        = None
    by_element = True

    def check(self, *inputs: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        if len(inputs) < 2:
            raise ValueError(f"AddN takes 2 tensors at least, not {len(inputs)}")
        for number, x in enumerate(inputs):
            check_types(f"Input {number}", x, "FLOAT32")
            if x.shape != inputs[0].shape:
                raise ValueError(f"Input 0 has shape {inputs[0].shape}, input {number} has "
                                 f"{x.shape}")

    def run(self, *inputs: Tensor) -> Result:
        """Result on Tensors."""
        with np.errstate(all="ignore"):
            total = sum((x.data for x in inputs), np.zeros(inputs[0].shape, np.float32))
        return Result(Tensor(np.asarray(total, np.float32)), overflow=False)


@dataclass(frozen=True)
class PlainCumSum(TensorLayer):
    """CUMSUM: cumulative sums along a dimension, FLOAT32; parameters as in ``CumSum``.

    Source: tensorflow/lite/kernels/internal/reference/cumsum.h, ``CumSum``.
    """

    axis:      int
    exclusive: bool = False
    reverse:   bool = False

    out = None

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "FLOAT32")
        check_ints("axis", (self.axis,), 1)
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")
        check_axis(self.axis, x.data.ndim)
        check_flag("exclusive", self.exclusive)
        check_flag("reverse", self.reverse)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        terms = np.moveaxis(x.data, self.axis, 0)[::-1 if self.reverse else 1]
        terms = np.concatenate([np.zeros_like(terms[:1]), terms])
        with np.errstate(all="ignore"):
            sums = np.add.accumulate(terms, axis=0, dtype=np.float32)
        sums = (sums[:-1] if self.exclusive else sums[1:])[::-1 if self.reverse else 1]
        return Result(Tensor(np.ascontiguousarray(np.moveaxis(sums, 0, self.axis))),
                      overflow=False)
