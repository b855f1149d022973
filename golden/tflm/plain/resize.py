# SPDX-License-Identifier: Apache-2.0
"""float32 interpolation, as a host computes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints, check_rank
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_flag, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Tensor

__all__ = ["PlainResize"]

_HALF, _ONE = np.float32(0.5), np.float32(1)


@dataclass(frozen=True)
class PlainResize(TensorLayer):
    """RESIZE_BILINEAR, FLOAT32, layout NHWC; parameters as in ``ResizeBilinear``.

    Source: tensorflow/lite/kernels/internal/reference/resize_bilinear.h, ``ResizeBilinear``.
    """

    size:               tuple[int, ...]
    align_corners:      bool = False
    half_pixel_centers: bool = False

    out = None

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return x_shape[0], *self.size, x_shape[3]

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "FLOAT32")
        check_rank("Input", x, 4)
        check_ints("size", self.size, 2)
        if min(self.size) < 1:
            raise ValueError(f"size must be at least 1, not {min(self.size)}")
        check_flag("align_corners", self.align_corners)
        check_flag("half_pixel_centers", self.half_pixel_centers)
        if self.align_corners and self.half_pixel_centers:
            raise ValueError("align_corners must be False with half_pixel_centers, not True")

    def _places(self, whole, size):
        """Lower and upper index and the upper weight of each output along an axis."""
        scale = np.float32(whole) / np.float32(size)
        if self.align_corners and size > 1:
            scale = np.float32(whole - 1) / np.float32(size - 1)
        place = np.arange(size).astype(np.float32)
        place = (place + _HALF) * scale - _HALF if self.half_pixel_centers else place * scale
        lower = np.maximum(np.floor(place).astype(np.int64), 0)
        upper = np.minimum(np.ceil(place).astype(np.int64), whole - 1)
        return np.minimum(lower, whole - 1), upper, place - lower.astype(np.float32)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        (top, bottom, down), (left, right, across) = (
            self._places(whole, size) for whole, size in zip(x.shape[1:3], self.size, strict=True))
        down, across = down[:, None, None], across[None, :, None]
        total = np.float32(0)
        with np.errstate(all="ignore"):
            for columns, beside in ((left, _ONE - across), (right, across)):
                for rows, along in ((top, _ONE - down), (bottom, down)):
                    total = total + x.data[:, rows[:, None], columns[None, :]] * along * beside
        return Result(Tensor(np.asarray(total, np.float32)), overflow=False)
