# SPDX-License-Identifier: Apache-2.0
"""Shapes of TensorFlow Lite operators that integer and float32 layers share, as base classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.parameters.tflm.windows import pads_of
from xymac.golden.windows import count_windows

if TYPE_CHECKING:
    from xymac.golden.parameters.tflm.options import Padding

    from .tensor import Tensor

__all__ = ["ConvShapes", "MatmulShapes", "PairShapes"]


class ConvShapes:
    """Shapes of a convolution, layout NHWC; the subclass has the fields of ``Conv2d``."""

    weights:  Tensor
    stride:   tuple[int, ...]
    padding:  Padding
    dilation: tuple[int, ...]

    _axis = 0  #: Weight dimension of the outputs.

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


class PairShapes:
    """Output shape of an operator on two tensors whose shapes broadcast."""

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
    """Shapes of matrix products over the last two dimensions; the others broadcast."""

    adj_x: bool
    adj_y: bool

    def turned(self, *shapes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Matrix shapes as they are multiplied."""
        return tuple((*shape[:-2], *shape[-2:][::-1]) if turn else tuple(shape)
                     for shape, turn in zip(shapes, (self.adj_x, self.adj_y), strict=True))

    def output_shape(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape."""
        first, second = self.turned(a_shape, b_shape)
        return (*np.broadcast_shapes(first[:-2], second[:-2]), first[-2], second[-1])

    def work(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> int:
        """Products."""
        depth = self.turned(a_shape, b_shape)[0][-1]
        return depth * int(np.prod(self.output_shape(a_shape, b_shape)))

    def check_shapes(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError unless the matrices of both Tensors can be multiplied."""
        first, second = self.turned(a.shape, b.shape)
        if first[-1] != second[-2]:
            raise ValueError(f"Matrices of the first input have {first[-1]} columns, those of the "
                             f"second have {second[-2]} rows")
        super().check_shapes(a, b)
