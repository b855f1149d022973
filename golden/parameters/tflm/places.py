# SPDX-License-Identifier: Apache-2.0
"""Input indices for the operators that move data."""

from __future__ import annotations

import numpy as np

__all__ = ["UNIT_BITS", "bilinear_places", "nearest_places", "strided_range"]

UNIT_BITS = 10  #: Fractional bits of a bilinear interpolation weight along one axis.


def nearest_places(size: int, out_size: int, align_corners: bool,
                   half_pixel_centers: bool) -> tuple[int, ...]:
    """Input index for every output index along one axis in a resized image, a tuple of int.

    The computation uses float32, as in the library.
    Source: tensorflow/lite/kernels/internal/reference/resize_nearest_neighbor.h,
    ``GetNearestNeighbor``.
    """
    spread = align_corners and out_size > 1
    scale  = (np.float32(size - 1) / np.float32(out_size - 1) if spread
              else np.float32(size) / np.float32(out_size))
    offset = np.float32(0.5 if half_pixel_centers else 0)
    places = (np.arange(out_size, dtype=np.float32) + offset) * scale
    # A float32 has 24 bits: half of one more is exact in double.
    places = np.floor(places.astype(np.float64) + (0.5 if align_corners else 0))
    return tuple(np.minimum(places, size - 1).astype(int).tolist())


def bilinear_places(size: int, out_size: int, align_corners: bool,
                    half_pixel_centers: bool) -> tuple[tuple[int, ...], ...]:
    """``(first, second, weight)`` for every output index along one axis in a resized image.

    An output is the mean of input ``first`` with weight ``2**UNIT_BITS - weight`` and input
    ``second`` with ``weight``. If both indices are equal, ``weight`` has no effect and can be
    negative.
    Source: tensorflow/lite/kernels/internal/reference/resize_bilinear.h,
    ``ComputeInterpolationValuesInteger``.
    """
    unit = 1 << UNIT_BITS
    spread = align_corners and out_size > 1
    counts = (size - 1, out_size - 1) if spread else (size, out_size)
    step   = (unit * counts[0] + counts[1] // 2) // counts[1]
    start  = step // 2 - unit // 2 if half_pixel_centers else 0
    values = [start + index * step for index in range(out_size)]
    # C divides towards 0, which is 0 for a value below the first index.
    firsts = [max(value, 0) // unit for value in values]
    return tuple((first, min(max(value + unit - 1, 0) // unit, size - 1), value - unit * first)
                 for value, first in zip(values, firsts, strict=True))


def strided_range(size: int, begin: int | None, end: int | None,
                  stride: int) -> tuple[int, int, int]:
    """``(start, stop, stride)`` for a slice along one axis, as for ``range``; it can be empty.

    Source: tensorflow/lite/kernels/internal/strided_slice_logic.h, ``StartForAxis``.

    Parameters
    ----------
    size : int, elements along the axis
    begin, end : int, negative values count from the end; None for no limit on that side
    stride : int, not 0
    """
    low, high = (0, size) if stride > 0 else (-1, size - 1)
    first, last = (low, high) if stride > 0 else (high, low)
    first, last = (default if place is None else
                   min(max(place + size if place < 0 else place, low), high)
                   for place, default in ((begin, first), (end, last)))
    return first, last, stride
