# SPDX-License-Identifier: Apache-2.0
"""Base classes with operator shapes, shared by TensorFlow Lite's integer and float32 layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.parameters.tflm.windows import pads_of
from xymac.golden.windows import count_windows

if TYPE_CHECKING:
    from xymac.golden.parameters.tflm.options import Padding

    from .tensor import Tensor

__all__ = ["ConvShapes", "MatmulShapes", "PairShapes", "PoolShapes"]


class ConvShapes:
    """Convolution shapes, layout NHWC; the subclass has the fields of ``Conv2d``."""

    weights:  Tensor
    stride:   tuple[int, ...]
    padding:  Padding
    dilation: tuple[int, ...]

    _axis = 0  #: Weight dimension with the output channels.

    @property
    def outputs(self) -> int:
        """Output channels."""
        return self.weights.shape[self._axis]

    @property
    def kernel(self) -> tuple[int, ...]:
        """Rows and columns that the dilated kernel spans."""
        return tuple((size - 1) * step + 1 for size, step
                     in zip(self.weights.shape[1:3], self.dilation, strict=True))

    def pads(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Padding for an input of ``x_shape``: (top, bottom, left, right), elements."""
        return pads_of(self.padding, x_shape[1:3], self.kernel, self.stride)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        windows = count_windows(x_shape[1:3], self.kernel, self.stride, self.pads(x_shape))
        return (x_shape[0], *windows, self.outputs)


class PoolShapes:
    """Pooling shapes, layout NHWC; the subclass has the fields.

    Attributes
    ----------
    kernel, stride : (rows, columns), elements
    padding : Padding
    """

    kernel:  tuple[int, ...]
    stride:  tuple[int, ...]
    padding: Padding

    def pads(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Padding for an input of ``x_shape``: (top, bottom, left, right), elements."""
        return pads_of(self.padding, x_shape[1:3], self.kernel, self.stride)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        windows = count_windows(x_shape[1:3], self.kernel, self.stride, self.pads(x_shape))
        return (x_shape[0], *windows, x_shape[3])


class PairShapes:
    """Output shape for two input shapes that broadcast."""

    def output_shape(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape: both input shapes broadcast."""
        return np.broadcast_shapes(a_shape, b_shape)

    def check_shapes(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError unless the shapes of both Tensors broadcast."""
        try:
            self.output_shape(a.shape, b.shape)
        except ValueError:
            raise ValueError(f"First input has shape {a.shape}, second input has "
                             f"{b.shape}") from None


class MatmulShapes(PairShapes):
    """Matrix product shapes: matrices lie in the last two dimensions, the others broadcast.

    Attributes
    ----------
    adj_x, adj_y : bool, whether the first and the second input's matrices are transposed
    """

    adj_x: bool
    adj_y: bool

    def turned(self, *shapes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """``shapes`` after the transpositions; a shape per input, first and second."""
        return tuple((*shape[:-2], *shape[-2:][::-1]) if turn else tuple(shape)
                     for shape, turn in zip(shapes, (self.adj_x, self.adj_y), strict=True))

    def output_shape(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for two input shapes; ValueError unless the leading dimensions broadcast."""
        first, second = self.turned(a_shape, b_shape)
        return (*np.broadcast_shapes(first[:-2], second[:-2]), first[-2], second[-1])

    def work(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> int:
        """Number of products, for two input shapes."""
        depth = self.turned(a_shape, b_shape)[0][-1]
        return depth * int(np.prod(self.output_shape(a_shape, b_shape)))

    def check_shapes(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError unless both Tensors' matrices can be multiplied."""
        first, second = self.turned(a.shape, b.shape)
        if first[-1] != second[-2]:
            raise ValueError(f"The first input's matrices have {first[-1]} columns, the second "
                             f"input's matrices {second[-2]} rows")
        super().check_shapes(a, b)
