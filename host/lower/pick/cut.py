# SPDX-License-Identifier: Apache-2.0
"""Operators that select elements, cut into tiles of their output."""

import numpy as np

from xymac.golden import tflm
from xymac.host.ir.tile import Tile, along, cut_evenly

__all__ = ["cut_picked"]


def cut_picked(places, out, shape, count):
    """Tiles of an operator, ``count`` of them or None if there are fewer.

    The tiles divide the output dimension for which they read the fewest input elements.

    Parameters
    ----------
    places : int64 array, indices of elements of an input of ``shape`` for every output
    out : Quantisation of the output
    """
    choices = [_cut_along(places, axis, out, shape, count) for axis in range(places.ndim)]
    return min(filter(None, choices), key=_count_elements, default=None)


def _cut_along(places, axis, out, shape, count):
    ranges = cut_evenly(places.shape[axis], count)
    return ranges and [_tile(places, along(places.shape, axis, *range_), out, shape)
                       for range_ in ranges]


def _tile(places, target, out, shape):
    """The Tile for the output elements in the slices."""
    part  = places[target]
    known = part >= 0
    if not known.any():
        return Tile(tflm.Pick(np.full_like(part, -1), out), ((slice(0, 1),) * len(shape),), target)
    index = np.unravel_index(part[known], shape) if shape else ()
    box   = tuple(slice(int(each.min()), int(each.max()) + 1) for each in index)
    sizes = tuple(each.stop - each.start for each in box)
    numbers = np.full_like(part, -1)
    numbers[known] = np.ravel_multi_index(
        [each - side.start for each, side in zip(index, box, strict=True)], sizes) if shape else 0
    return Tile(tflm.Pick(numbers, out), (box,), target)


def _count_elements(tiles):
    """Number of elements in the largest part of the input."""
    return max(np.prod([side.stop - side.start for side in tile.sources[0]], dtype=int)
               for tile in tiles)
