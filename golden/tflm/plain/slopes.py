# SPDX-License-Identifier: Apache-2.0
"""float32 rectified elements with slopes of their own, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_most, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Tensor

__all__ = ["PlainPrelu"]

_RANK = 4  #: Dimensions at most.


@dataclass(frozen=True)
class PlainPrelu(TensorLayer):
    """PRELU, FLOAT32: ``x`` for ``x >= 0``, ``slope * x`` below.

    Source: tensorflow/lite/micro/kernels/prelu_common.cc, ``BroadcastPrelu4DSlowFloat``.
    slopes : Tensor whose shape broadcasts to the input's
    """

    slopes: Tensor

    out        = None
    by_element = True

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "FLOAT32")
        check_types("Slopes", self.slopes, "FLOAT32")
        check_most("Input", x, _RANK)
        try:
            shape = np.broadcast_shapes(x.shape, self.slopes.shape)
        except ValueError:
            shape = ()
        if shape != x.shape:
            raise ValueError(f"Slopes must have a shape that broadcasts to that of the input, "
                             f"{x.shape}, not {self.slopes.shape}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        with np.errstate(all="ignore"):
            values = np.where(x.data >= 0, x.data, x.data * self.slopes.data)
        return Result(Tensor(np.asarray(values, np.float32)), overflow=False)
