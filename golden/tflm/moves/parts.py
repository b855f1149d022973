# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators for parts of unequal size, and for slices without their dimension."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.dimensions import remove_dimension
from xymac.golden.tflm.tensor import Quantisation

from .move import Moved, check_axis, check_index

__all__ = ["SplitV", "Unpack"]


@dataclass(frozen=True)
class SplitV(Moved):
    """SPLIT_V: a part along a dimension; each output has its own layer.

    Source: tensorflow/lite/micro/kernels/split_v.cc.

    Parameters
    ----------
    axis : int, dimension; negative values count from the end
    sizes : tuple of int, elements in each part
    index : int, part number, >= 0
    out : output Quantisation; None for the input's
    """

    axis:  int
    sizes: tuple[int, ...]
    index: int
    out:   Quantisation | None = None

    @property
    def first(self) -> int:
        """The part's first index along the dimension."""
        return sum(self.sizes[:self.index])

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        axis = self.axis % len(x_shape)
        return (*x_shape[:axis], self.sizes[self.index], *x_shape[axis + 1:])

    def _check_place(self, x):
        self._whole(x)
        check_axis(self.axis, x.data.ndim)
        check_ints("sizes", self.sizes)
        if min(self.sizes, default=0) < 1 or sum(self.sizes) != x.shape[self.axis]:
            raise ValueError(f"sizes must be at least 1 and add up to the {x.shape[self.axis]} "
                             f"elements of dimension {self.axis}, not be {self.sizes}")
        check_index(self.index, len(self.sizes))

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        return np.take(data, range(self.first, self.first + self.sizes[self.index]), self.axis)


@dataclass(frozen=True)
class Unpack(Moved):
    """UNPACK: the slice at one index along a dimension, which is removed; there is one layer per
    output.

    Source: tensorflow/lite/micro/kernels/unpack.cc.

    Parameters
    ----------
    axis : int, dimension; negative values count from the end
    index : int, index along that dimension
    out : output Quantisation; None for the input's
    """

    axis:  int
    index: int
    out:   Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return remove_dimension(x_shape, self.axis % len(x_shape))

    def _check_place(self, x):
        self._whole(x)
        check_axis(self.axis, x.data.ndim)
        check_index(self.index, x.shape[self.axis])

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        return np.take(data, self.index, self.axis)
