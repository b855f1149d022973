# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators that add and remove size-1 dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xymac.golden.checks import check_ints
from xymac.golden.tflm.tensor import Quantisation

from .move import Moved, check_axis

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ExpandDims", "Squeeze"]


@dataclass(frozen=True)
class ExpandDims(Moved):
    """EXPAND_DIMS: insert a dimension of size 1.

    Source: tensorflow/lite/micro/kernels/expand_dims.cc.

    Parameters
    ----------
    axis : int, output dimension; negative values count from the end
    out : output Quantisation; None for the input's
    """

    axis: int
    out:  Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        axis = self.axis % (len(x_shape) + 1)
        return (*x_shape[:axis], 1, *x_shape[axis:])

    def _check_place(self, x):
        self._whole(x)
        check_axis(self.axis, x.data.ndim + 1)

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        return data.reshape(self.output_shape(data.shape))


@dataclass(frozen=True)
class Squeeze(Moved):
    """SQUEEZE: remove dimensions of size 1.

    Source: tensorflow/lite/micro/kernels/squeeze.cc.

    Parameters
    ----------
    axes : tuple of int, dimensions; negative values count from the end; () for all of size 1
    out : output Quantisation; None for the input's
    """

    axes: tuple[int, ...] = ()
    out:  Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        gone = {axis % len(x_shape) for axis in self.axes}
        return tuple(size for axis, size in enumerate(x_shape)
                     if (axis not in gone if self.axes else size != 1))

    def _check_place(self, x):
        self._whole(x)
        check_ints("axes", self.axes)
        for axis in self.axes:
            check_axis(axis, x.data.ndim)
            if x.shape[axis] != 1:
                raise ValueError(f"Dimension {axis} must have 1 element to be removed, "
                                 f"not {x.shape[axis]}")

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        return data.reshape(self.output_shape(data.shape))
