# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tensor slices by index lists."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .move import check_axis
from .pick import Picked

__all__ = ["EmbeddingLookup", "Gather", "GatherNd"]


def _check_range(indices, size, axis):
    """Raise ValueError unless all ``indices`` lie within a dimension of ``size``."""
    wrong = indices[(indices < 0) | (indices >= size)]
    if wrong.size:
        raise ValueError(f"indices of dimension {axis} must be between 0 and {size - 1}, "
                         f"not {wrong.flat[0]}")


@dataclass(frozen=True)
class Gather(Picked):
    """GATHER: slices along one dimension, INT8 or INT16.

    Source: tensorflow/lite/micro/kernels/gather.cc; for INT16 tensorflow/lite/kernels/gather.cc.

    Parameters
    ----------
    indices : Tensor, INT32, indices along the dimension; its batch dimensions equal the input's
    axis : int, dimension; negative values count from the end
    batch_dims : int, count of common leading dimensions in indices and input; negative values
        count from the rank of the indices
    out : output Quantisation; None for the input's
    """

    indices:    Tensor
    axis:       int
    batch_dims: int = 0
    out:        Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        axis, batch = self._axes(len(x_shape))
        numbers = np.arange(prod(x_shape)).reshape(prod(x_shape[:batch]), *x_shape[batch:])
        lists   = self.indices.data.reshape(numbers.shape[0], -1)
        result  = np.stack([np.take(each, list_, axis - batch)
                            for each, list_ in zip(numbers, lists, strict=True)])
        return result.reshape((*x_shape[:axis], *self.indices.shape[batch:], *x_shape[axis + 1:]))

    def _axes(self, rank):
        """Axis and batch dimension count, both >= 0."""
        batch = self.batch_dims + (self.batch_dims < 0) * len(self.indices.shape)
        return self.axis % rank, batch

    def _check_place(self, x):
        check_types("Input", x, "INT8", "INT16", "FLOAT32")
        self._whole(x)
        check_types("indices", self.indices, "INT32")
        check_ints("batch_dims", (self.batch_dims,), 1)
        check_axis(self.axis, x.data.ndim)
        axis, batch = self._axes(x.data.ndim)
        most = min(axis, len(self.indices.shape))
        if not 0 <= batch <= most:
            raise ValueError(f"batch_dims must be between 0 and {most}, not {batch}")
        if x.shape[:batch] != self.indices.shape[:batch]:
            raise ValueError(f"Input and indices must have the same first {batch} dimensions, "
                             f"not {x.shape[:batch]} and {self.indices.shape[:batch]}")
        _check_range(self.indices.data, x.shape[axis], axis)


@dataclass(frozen=True)
class GatherNd(Picked):
    """GATHER_ND: slices at index vectors into the first dimensions, INT8 or INT16.

    Source: tensorflow/lite/micro/kernels/gather_nd.cc.

    Parameters
    ----------
    indices : Tensor, INT32; its last dimension holds one index for each of the input's first
        dimensions
    out : output Quantisation; None for the input's
    """

    indices: Tensor
    out:     Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        numbers = np.arange(prod(x_shape)).reshape(x_shape)
        return numbers[tuple(np.moveaxis(self.indices.data, -1, 0))]

    def _check_place(self, x):
        check_types("Input", x, "INT8", "INT16", "FLOAT32")
        self._whole(x)
        check_types("indices", self.indices, "INT32")
        depth = self.indices.shape[-1] if self.indices.shape else 0
        if not 1 <= depth <= x.data.ndim:
            raise ValueError(f"The last dimension of indices must be between 1 and "
                             f"{x.data.ndim}, not {depth}")
        for axis in range(depth):
            _check_range(self.indices.data[..., axis], x.shape[axis], axis)


@dataclass(frozen=True)
class EmbeddingLookup(Picked):
    """EMBEDDING_LOOKUP: table rows, INT8.

    Source: tensorflow/lite/micro/kernels/embedding_lookup.cc.

    Parameters
    ----------
    indices : Tensor, INT32, shape (n,), indices along the first dimension
    out : output Quantisation; None for the input's
    """

    indices: Tensor
    out:     Quantisation | None = None

    def places(self, x_shape: tuple[int, ...]) -> np.ndarray:
        """Flat input index (C order) per output element, int64 in the output shape."""
        return np.arange(prod(x_shape)).reshape(x_shape)[self.indices.data]

    def _check_place(self, x):
        check_types("Input", x, "INT8", "FLOAT32")
        self._whole(x)
        check_types("indices", self.indices, "INT32")
        if len(self.indices.shape) != 1:
            raise ValueError(f"indices must have 1 dimension, not {len(self.indices.shape)}")
        if x.data.ndim < 2:
            raise ValueError(f"Input must have 2 dimensions at least, not {x.data.ndim}")
        _check_range(self.indices.data, x.shape[0], 0)
