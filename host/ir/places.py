# SPDX-License-Identifier: Apache-2.0
"""Positions of a tensor's largest or smallest elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, cast

import numpy as np

from xymac.hdl.isa import Op

from .tile import along

__all__ = ["FirstExtreme", "Ranking"]


@dataclass(frozen=True)
class FirstExtreme:
    """First index of the largest or smallest element.

    Parameters
    ----------
    op : Op.MAX or Op.MIN
    axis : int, dimension along which to search; None for the index in the full tensor
    """

    op:   Op
    axis: int | None = None

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """Indices for an array."""
        return (np.argmax if self.op is Op.MAX else np.argmin)(a, self.axis)

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and the input slices."""
        return self, (along(shape, axis + (axis >= cast("int", self.axis)), first, end),)


@dataclass(frozen=True)
class Ranking:
    """Positions of the ``count`` largest elements of each slice, in the full tensor's array order.

    A min-heap decides the selection and the order among equal elements. It starts with the first
    elements; each further element replaces the root unless it is smaller.

    Parameters
    ----------
    count : int, positions per slice
    axis : int, dimension whose indices are the slices; None for the full tensor as a single slice
    is_sorted : bool, the largest element first; otherwise in heap order, the smallest first
    """

    count:     int
    axis:      int | None = None
    is_sorted: bool = True

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """Positions for an array, [slices, count]."""
        places = np.arange(a.size).reshape(a.shape)
        slices = [places] if self.axis is None else np.moveaxis(places, self.axis, 0)
        return np.array([self._rank(a.reshape(-1), each.reshape(-1)) for each in slices])

    def slices(self, shape: tuple[int, ...]) -> int:
        """Slice count in a tensor with shape ``shape``."""
        return 1 if self.axis is None else shape[self.axis]

    def _rank(self, values, places):
        heap = list(places[:self.count])
        for root in reversed(range(self.count // 2)):
            _sink(values, heap, self.count, root)
        for place in places[self.count:]:
            if values[place] >= values[heap[0]]:
                heap[0] = place
                _sink(values, heap, self.count, 0)
        for last in reversed(range(1, self.count if self.is_sorted else 0)):
            heap[0], heap[last] = heap[last], heap[0]
            _sink(values, heap, last, 0)
        return heap


def _sink(values, heap, size, root):
    """Swap the root with its smaller child, the left if both are equal, while it is larger."""
    while (child := 2 * root + 1) < size:
        child += child + 1 < size and values[heap[child + 1]] < values[heap[child]]
        if values[heap[child]] >= values[heap[root]]:
            return
        heap[root], heap[child] = heap[child], heap[root]
        root = child
