# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite image resizing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints, check_rank
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.places import UNIT_BITS, bilinear_places, nearest_places
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import divide_rounded
from xymac.golden.tflm.checks import check_flag, check_out, check_scaled, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .move import Moved

__all__ = ["ResizeBilinear", "ResizeNearestNeighbor"]


def _check_size(layer, x):
    """Raise unless ``x`` is an image, and the layer's size and flags are valid."""
    check_rank("Input", x, 4)
    check_ints("size", layer.size, 2)
    if min(layer.size) < 1:
        raise ValueError(f"size must be at least 1, not {min(layer.size)}")
    check_flag("align_corners", layer.align_corners)
    check_flag("half_pixel_centers", layer.half_pixel_centers)


@dataclass(frozen=True)
class ResizeNearestNeighbor(Moved):
    """RESIZE_NEAREST_NEIGHBOR: an image (N, H, W, C) resized with the nearest elements.

    Source: tensorflow/lite/kernels/internal/reference/resize_nearest_neighbor.h.

    Parameters
    ----------
    size : output (rows, columns), at least 1
    align_corners : bool, whether input and output corners coincide
    half_pixel_centers : bool, whether elements lie at the centres of their squares
    out : output Quantisation; None for the input's
    """

    size:               tuple[int, ...]
    align_corners:      bool = False
    half_pixel_centers: bool = False
    out:                Quantisation | None = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return x_shape[0], *self.size, x_shape[3]

    def _check_place(self, x):
        check_types("Input", x, "INT8", "INT16", "FLOAT32")
        self._whole(x)
        _check_size(self, x)

    def take(self, data: np.ndarray) -> np.ndarray:
        """The output elements."""
        rows, columns = (nearest_places(whole, size, self.align_corners, self.half_pixel_centers)
                         for whole, size in zip(data.shape[1:3], self.size, strict=True))
        return data[:, np.array(rows)[:, None], np.array(columns)[None, :]]


@dataclass(frozen=True)
class ResizeBilinear(TensorLayer):
    """RESIZE_BILINEAR: an image (N, H, W, C) resized by interpolation between four elements, INT8.

    Scales have no effect. Weights have ``UNIT_BITS`` bits along each axis; a sum is rounded once,
    halves away from zero.
    Source: tensorflow/lite/kernels/internal/reference/resize_bilinear.h, ``ResizeBilinearInteger``.

    Parameters
    ----------
    size : output (rows, columns), at least 1
    align_corners : bool, whether input and output corners coincide
    half_pixel_centers : bool, whether elements lie at the centres of their squares; not with
        align_corners
    """

    size:               tuple[int, ...]
    align_corners:      bool
    half_pixel_centers: bool
    out:                Quantisation

    work_unit = WorkUnit.LANES

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return x_shape[0], *self.size, x_shape[3]

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Count of products with non-zero weights."""
        rows, columns = (sum(1 + (first != second and weight > 0) for first, second, weight in each)
                         for each in self.places(x_shape))
        return x_shape[0] * rows * columns * x_shape[3]

    def places(self, x_shape: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """``bilinear_places`` for the rows and for the columns."""
        return tuple(bilinear_places(whole, size, self.align_corners, self.half_pixel_centers)
                     for whole, size in zip(x_shape[1:3], self.size, strict=True))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        _check_size(self, x)
        if self.align_corners and self.half_pixel_centers:
            raise ValueError("align_corners must be False with half_pixel_centers, not True")
        check_out(self.out, x.data.dtype)
        for size, places in zip(x.shape[1:3], self.places(x.shape), strict=True):
            last = max(first for first, *_ in places)
            if last >= size:
                raise ValueError(f"Every output must begin at one of the {size} elements of its "
                                 f"axis, not at {last}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        data = x.data.astype(np.int64)
        for axis, places in enumerate(self.places(x.shape), 1):
            first, second, weight = np.array(places).T
            weight = weight.reshape([-1 if axis == each else 1 for each in range(4)])
            data   = (data.take(first, axis) * ((1 << UNIT_BITS) - weight)
                      + data.take(second, axis) * weight)
        values = divide_rounded(data, 1 << 2 * UNIT_BITS)
        return Result(Tensor(values.astype(np.int8), self.out), overflow=False)
