# SPDX-License-Identifier: Apache-2.0
"""Elements selected by constant indices, and elements with another width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, cast

import numpy as np

from .tile import along

__all__ = ["Pick", "PickAmong", "Update", "Widths"]


@dataclass(frozen=True, eq=False)
class Pick:
    """Elements from a tensor.

    Parameters
    ----------
    places : int64 array in the output shape: input element indices in array order, -1 for a 0
    """

    places: np.ndarray

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """The output for an array."""
        return np.where(self.places < 0, 0, a.reshape(-1)[self.places])

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Pick, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and the input slices:
        the smallest box with all its elements.
        """
        part  = self.places[along(self.places.shape, axis, first, end)]
        known = part >= 0
        if not known.any():
            return Pick(np.full_like(part, -1)), ((slice(0, 1),) * len(shape),)
        index   = np.unravel_index(part[known], shape) if shape else ()
        box     = tuple(slice(int(each.min()), int(each.max()) + 1) for each in index)
        sizes   = tuple(each.stop - each.start for each in box)
        numbers = np.full_like(part, -1)
        numbers[known] = np.ravel_multi_index(
            [each - side.start for each, side in zip(index, box, strict=True)],
            sizes) if shape else 0
        return Pick(numbers), (box,)


@dataclass(frozen=True, eq=False)
class PickAmong:
    """Elements from several tensors.

    Parameters
    ----------
    places : tuple of arrays as in ``Pick``, one per tensor; at most one index is not -1
    """

    places: tuple[np.ndarray, ...]

    def evaluate(self, bits: int, *inputs: np.ndarray) -> np.ndarray:
        """The output for arrays."""
        return cast("np.ndarray", sum(Pick(places).evaluate(bits, a) for places, a in zip(
            self.places, inputs, strict=True)))


@dataclass(frozen=True)
class Update:
    """A tensor with a box replaced by a second tensor; ``first`` is the box's first index."""

    first: tuple[int, ...]

    def evaluate(self, bits: int, a: np.ndarray, update: np.ndarray) -> np.ndarray:
        """The output for two arrays."""
        made = a.copy()
        made[tuple(slice(first, first + size) for first, size
                   in zip(self.first, update.shape, strict=True))] = update
        return made

    def split(self, axis: int, first: int, end: int,
              *shapes: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for indices ``first`` to ``end`` along a dimension that the box fully covers,
        and both inputs' slices.
        """
        return self, tuple(along(shape, axis, first, end) for shape in shapes)


@dataclass(frozen=True)
class Widths:
    """Integers with another width: the sign is extended, or the lowest bits are taken."""

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for an array."""
        return a.astype(f"int{bits}")
