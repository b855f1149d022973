# SPDX-License-Identifier: Apache-2.0
"""Element selection from several TensorFlow Lite tensors by index."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["PickAmong"]


@dataclass(frozen=True, eq=False)
class PickAmong(TensorLayer):
    """Any elements from several INT8 tensors, without regard to scales.

    Parameters
    ----------
    sources : int64 array in the output shape: each element's input number, -1 for a zero
    numbers : int64 array in the output shape: flat index (C order) into that input
    out : output Quantisation; None for the first input's
    """

    sources: np.ndarray = field(repr=False)
    numbers: np.ndarray = field(repr=False)
    out:     Quantisation | None = None

    inputs = None

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape."""
        return self.sources.shape

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        out = x[0].quantisation if self.out is None else self.out
        return Tensor.zeros(self.sources.shape, x[0].data.dtype, out)

    def check(self, *inputs: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        for name in ("sources", "numbers"):
            check_kind(name, getattr(self, name), np.ndarray)
        if self.sources.max() >= len(inputs):
            raise ValueError(f"sources must be between -1 and {len(inputs) - 1}, "
                             f"not {self.sources.max()}")
        for number, x in enumerate(inputs):
            check_types(f"Input {number}", x, "INT8")
            chosen = self.numbers[self.sources == number]
            if chosen.size and not 0 <= chosen.min() <= chosen.max() < x.data.size:
                raise ValueError(f"numbers of input {number} must be between 0 and "
                                 f"{x.data.size - 1}, not {chosen.min()} to {chosen.max()}")
        self.output_like(*inputs)  # Raises unless ``out`` fits the output type.

    def places(self, number: int) -> np.ndarray:
        """Flat index into input ``number`` for every output element, -1 for elements from other
        inputs.
        """
        return np.where(self.sources == number, self.numbers, -1)

    def run(self, *inputs: Tensor) -> Result:
        """Result on Tensors."""
        result = np.zeros(self.sources.shape, np.int8)
        for number, x in enumerate(inputs):
            there = self.sources == number
            result[there] = x.data.reshape(-1)[self.numbers[there]]
        return Result(Tensor(result, self.output_like(*inputs).quantisation), overflow=False)
