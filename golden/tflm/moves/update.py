# SPDX-License-Identifier: Apache-2.0
"""Box replacement in a TensorFlow Lite tensor."""

from __future__ import annotations

from dataclasses import dataclass

from xymac.golden.checks import check_ints
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["DynamicUpdateSlice"]


@dataclass(frozen=True)
class DynamicUpdateSlice(TensorLayer):
    """DYNAMIC_UPDATE_SLICE: the first input with a box replaced by the second, INT8, INT16, INT32.

    The library copies elements without regard to scales. It moves a box that would exceed the
    bounds inside.
    Source: tensorflow/lite/micro/kernels/dynamic_update_slice.cc.

    Parameters
    ----------
    start : tuple of int, first index along each dimension
    out : output Quantisation; None for the first input's
    """

    start: tuple[int, ...]
    out:   Quantisation | None = None

    inputs = 2

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        out = x[0].quantisation if self.out is None else self.out
        return Tensor.zeros(x[0].shape, x[0].data.dtype, out)

    def check(self, x: Tensor, update: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        for name, each in (("Input", x), ("Update", update)):
            check_types(name, each, "INT8", "INT16", "INT32", "FLOAT32")
        if x.type_name != update.type_name:
            raise ValueError(f"First input is {x.type_name}, second input is {update.type_name}")
        check_ints("start", self.start, x.data.ndim)
        if update.data.ndim != x.data.ndim or any(
                part > size for part, size in zip(update.shape, x.shape, strict=True)):
            raise ValueError(f"Update must fit into the input of shape {x.shape}, "
                             f"not have shape {update.shape}")
        self.output_like(x)  # Raises unless ``out`` fits the output type.

    def first(self, x_shape: tuple[int, ...], update_shape: tuple[int, ...]) -> tuple[int, ...]:
        """The box's first index along each dimension."""
        return tuple(max(0, min(begin, size - part)) for begin, size, part in
                     zip(self.start, x_shape, update_shape, strict=True))

    def run(self, x: Tensor, update: Tensor) -> Result:
        """Result on the Tensors."""
        data  = x.data.copy()
        first = self.first(x.shape, update.shape)
        data[tuple(slice(begin, begin + size) for begin, size in
                   zip(first, update.shape, strict=True))] = update.data
        return Result(Tensor(data, self.output_like(x).quantisation), overflow=False)
