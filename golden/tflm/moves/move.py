# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators that copy elements, whatever their scales: reshape, transpose, split,
join.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.dimensions import check_order, join_shapes, remove_dimension
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_most, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import TYPES, Quantisation, Tensor

__all__ = ["Concatenation", "Moved", "Reshape", "Split", "Transpose", "check_axis", "check_index"]

_CONCATENATED = 10  #: Inputs at most. Source: tensorflow/lite/micro/kernels/concatenation.cc.
_JOINED       = 6   #: Largest rank of joined tensors.
#: The same. Source: tensorflow/lite/kernels/internal/reference/transpose.h.
_TRANSPOSED   = 5


def check_axis(axis: int, rank: int) -> None:
    """Raise unless ``axis`` lies between ``-rank`` and ``rank - 1``."""
    check_ints("axis", (axis,), 1)
    if not -rank <= axis < rank:
        raise ValueError(f"axis must be between {-rank} and {rank - 1}, not {axis}")


def check_index(index: int, count: int) -> None:
    """Raise unless ``index`` lies between 0 and ``count - 1``."""
    check_ints("index", (index,), 1)
    if not 0 <= index < count:
        raise ValueError(f"index must be between 0 and {count - 1}, not {index}")


class Moved(TensorLayer):
    """Base class for operators that copy elements, whatever their scales.

    Its field ``out`` is the output Quantisation; None for the input's.
    """

    @abstractmethod
    def take(self, data: np.ndarray) -> int | np.ndarray | Tensor:
        """The output elements from the input elements ``data``."""

    @abstractmethod
    def _check_place(self, x):
        """Raise unless ``x`` has the elements that the operator copies."""

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        shape = self.output_shape(*(tensor.shape for tensor in x))
        return Tensor.zeros(shape, x[0].data.dtype, self.output_quantisation(x[0]))

    def output_quantisation(self, x: Tensor) -> Quantisation | None:
        """Output Quantisation for a first input ``x``."""
        return x.quantisation if self.out is None else self.out

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, *TYPES)
        self._check_place(x)
        self.output_like(x)  # Raises unless ``out`` fits the output type.

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        data = np.array(self.take(x.data), order="C")
        return Result(Tensor(data, self.output_quantisation(x)), overflow=False)

    def _whole(self, x):
        if x.quantisation is not None and x.scaling.axis >= 0:
            raise ValueError(f"Input must have one scale, not one along dimension "
                             f"{x.scaling.axis}")


@dataclass(frozen=True)
class Reshape(Moved):
    """RESHAPE: the same elements in the same order in another shape.

    Source: tensorflow/lite/micro/kernels/reshape_common.cc.

    Parameters
    ----------
    shape : tuple of int; a single size can be -1 and follows from the others
    out : output Quantisation; None for the input's
    """

    shape: tuple[int, ...]
    out:   Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        rest = prod(size for size in self.shape if size != -1)
        return tuple(prod(x_shape) // rest if size == -1 else size for size in self.shape)

    def _check_place(self, x):
        self._whole(x)
        check_ints("shape", self.shape)
        if any(size < 1 and size != -1 for size in self.shape) or self.shape.count(-1) > 1:
            raise ValueError(f"shape must hold sizes from 1 on, and -1 once at most, "
                             f"not {self.shape}")
        if prod(self.output_shape(x.shape)) != x.data.size:
            raise ValueError(f"shape must be one of {x.data.size} elements, not {self.shape}")

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        return data.reshape(self.output_shape(data.shape))


@dataclass(frozen=True)
class Transpose(Moved):
    """TRANSPOSE: permute the dimensions.

    Source: tensorflow/lite/kernels/internal/reference/transpose.h, ``Transpose``.

    Parameters
    ----------
    order : tuple of int, the input dimension for each output dimension
    out : output Quantisation; None for the input's
    """

    order: tuple[int, ...]
    out:   Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(x_shape[axis] for axis in self.order)

    def _check_place(self, x):
        self._whole(x)
        check_most("Input", x, _TRANSPOSED)
        check_order(self.order, x.data.ndim)

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        return data.transpose(self.order)


@dataclass(frozen=True)
class Split(Moved):
    """SPLIT: a part of several equal parts along a dimension; each output has its own layer.

    Source: tensorflow/lite/micro/kernels/split.cc.

    Parameters
    ----------
    axis : int, dimension; negative values count from the end
    count : int, part count
    index : int, part number, >= 0
    out : output Quantisation; None for the input's
    """

    axis:  int
    count: int
    index: int
    out:   Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        axis = self.axis % len(x_shape)
        return (*x_shape[:axis], x_shape[axis] // self.count, *x_shape[axis + 1:])

    def _check_place(self, x):
        self._whole(x)
        check_axis(self.axis, x.data.ndim)
        check_ints("count", (self.count,), 1)
        size = x.shape[self.axis]
        if self.count < 1 or size % self.count:
            raise ValueError(f"count must divide the {size} elements of dimension {self.axis}, "
                             f"not be {self.count}")
        check_index(self.index, self.count)

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        return np.split(data, self.count, self.axis)[self.index]


@dataclass(frozen=True)
class Concatenation(TensorLayer):
    """CONCATENATION: concatenate tensors of equal type along a dimension.

    INT8 inputs have the output scale and zero point; INT16 inputs have zero point 0.
    Source: tensorflow/lite/micro/kernels/concatenation.cc.

    Parameters
    ----------
    axis : int, dimension; negative values count from the end
    out : output Quantisation; None for the first input's
    """

    axis: int
    out:  Quantisation | None = None

    inputs = None

    def output_shape(self, *x_shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shapes ``x_shapes``."""
        return join_shapes(x_shapes, self.axis % len(x_shapes[0]))

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        out = x[0].quantisation if self.out is None else self.out
        return Tensor.zeros(self.output_shape(*(each.shape for each in x)), x[0].data.dtype, out)

    def check(self, *inputs: Tensor) -> None:
        """Raise ValueError or TypeError unless the Tensors can be joined."""
        if not 1 <= len(inputs) <= _CONCATENATED:
            raise ValueError(f"Concatenation takes 1 to {_CONCATENATED} tensors, "
                             f"not {len(inputs)}")
        for number, x in enumerate(inputs):
            check_types(f"Input {number}", x, *TYPES)
            self._check_input(number, x, inputs[0])
        out = self.output_like(*inputs).quantisation
        for number, x in enumerate(inputs):
            self._check_format(number, x, out)

    def _check_input(self, number, x, first):
        check_most(f"Input {number}", x, _JOINED)
        check_axis(self.axis, first.data.ndim)
        axis = self.axis % first.data.ndim
        if x.type_name != first.type_name:
            raise ValueError(f"Input 0 is {first.type_name}, input {number} {x.type_name}")
        if (len(x.shape) != len(first.shape) or remove_dimension(x.shape, axis)
                != remove_dimension(first.shape, axis)):
            raise ValueError(f"Input 0 has shape {first.shape}, input {number} has {x.shape}, "
                             f"which may differ in dimension {axis} only")

    def _check_format(self, number, x, out):
        if x.type_name == "INT8" and x.quantisation != out:
            raise ValueError(f"Input {number} must have the scale and zero point of the output, "
                             f"{out}, not {x.quantisation}")
        kinds = (x.quantisation, out)
        if x.type_name == "INT16" and any(kind is not None and any(kind.zero_points)
                                          for kind in kinds):
            raise ValueError(f"Input {number} and the output must have zero point 0, not "
                             f"{' and '.join(str(kind and kind.zero_point) for kind in kinds)}")

    def run(self, *inputs: Tensor) -> Result:
        """Result on Tensors."""
        data = np.concatenate([x.data for x in inputs], self.axis)
        return Result(Tensor(data, self.output_like(*inputs).quantisation), overflow=False)
