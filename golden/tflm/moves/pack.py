# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's PACK."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .move import check_axis

__all__ = ["Pack"]

_TYPES = ("INT8", "INT16", "INT32", "INT64", "FLOAT32")


@dataclass(frozen=True)
class Pack(TensorLayer):
    """PACK: stack tensors of equal shape and type along a new dimension.

    The library copies elements without regard to scales.
    Source: tensorflow/lite/micro/kernels/pack.cc.

    Parameters
    ----------
    axis : int, output dimension; negative values count from the end
    out : output Quantisation; None for the first input's
    """

    axis: int
    out:  Quantisation | None = None

    inputs = None

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shapes ``x_shapes``."""
        first, *_ = x_shapes
        axis = self.axis % (len(first) + 1)
        return (*first[:axis], len(x_shapes), *first[axis:])

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        out = x[0].quantisation if self.out is None else self.out
        return Tensor.zeros(self.output_shape(*(each.shape for each in x)), x[0].data.dtype, out)

    def check(self, *inputs: Tensor) -> None:
        """Raise ValueError or TypeError unless the Tensors can be packed."""
        if not inputs:
            raise ValueError("Pack takes 1 tensor at least, not 0")
        for number, x in enumerate(inputs):
            check_types(f"Input {number}", x, *_TYPES)
            if x.type_name != inputs[0].type_name:
                raise ValueError(f"Input 0 is {inputs[0].type_name}, input {number} {x.type_name}")
            if x.shape != inputs[0].shape:
                raise ValueError(f"Input 0 has shape {inputs[0].shape}, input {number} {x.shape}")
            if x.quantisation is not None and x.scaling.axis >= 0:
                raise ValueError(f"Input must have one scale, not one along dimension "
                                 f"{x.scaling.axis}")
        check_axis(self.axis, inputs[0].data.ndim + 1)
        self.output_like(*inputs)  # Raises unless ``out`` fits the output type.

    def run(self, *inputs: Tensor) -> Result:
        """Result on Tensors."""
        data = np.stack([x.data for x in inputs], self.axis)
        return Result(Tensor(data, self.output_like(*inputs).quantisation), overflow=False)
