# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's SELECT_V2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["SelectV2"]


@dataclass(frozen=True)
class SelectV2(TensorLayer):
    """SELECT_V2: elements of the second input where the first is true, else of the third.

    INT8, INT16, INT32 or FLOAT32, without regard to scales; shapes broadcast.
    Source: tensorflow/lite/micro/kernels/select.cc; for INT32 and SELECT
    tensorflow/lite/kernels/select.cc.

    Parameters
    ----------
    out : output Quantisation; None for the second input's
    """

    out: Quantisation | None = None

    inputs = 3

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shapes ``x_shapes``."""
        return np.broadcast_shapes(*x_shapes)

    def output_dtype(self, *x: Tensor) -> np.dtype:
        """Numpy output type."""
        return x[1].data.dtype

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        out = x[1].quantisation if self.out is None else self.out
        return Tensor.zeros(self.output_shape(*(each.shape for each in x)), x[1].data.dtype, out)

    def data_type(self, *x: Tensor) -> str:
        """Type that the selected elements have."""
        return x[1].type_name

    def check(self, condition: Tensor, x: Tensor, y: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        check_types("Condition", condition, "BOOL")
        for name, each in (("First input", x), ("Second input", y)):
            check_types(name, each, "INT8", "INT16", "INT32", "FLOAT32")
        if x.type_name != y.type_name:
            raise ValueError(f"First input is {x.type_name}, second input is {y.type_name}")
        shapes = condition.shape, x.shape, y.shape
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            raise ValueError(f"Inputs must have shapes that can be repeated to one, not "
                             f"{shapes[0]}, {shapes[1]} and {shapes[2]}") from None
        self.output_like(condition, x, y)  # Raises unless ``out`` fits the output type.

    def run(self, condition: Tensor, x: Tensor, y: Tensor) -> Result:
        """Result on the Tensors."""
        data = np.where(condition.data, x.data, y.data)
        return Result(Tensor(data, self.output_like(condition, x, y).quantisation), overflow=False)
