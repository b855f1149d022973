# SPDX-License-Identifier: Apache-2.0
"""Images [images, rows, columns, channels] in another size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .fields import container_clip
from .requantiser import Requantiser
from .rescale import rescale_fields, rescale_records
from .tile import along

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["Interpolation", "Resampling"]

IMAGE = (1, 2)  #: Rows and columns.


@dataclass(frozen=True)
class _Resize:
    """Base for both forms; ``rows`` and ``columns`` have an entry per output index."""

    rows:    tuple[Any, ...]
    columns: tuple[Any, ...]

    reads: ClassVar[Callable[[Any], tuple[int, ...]]]  #: Input indices of an entry.
    moved: ClassVar[Callable[[Any, int], Any]]         #: The entry of an input that begins later.

    @property
    def axes(self) -> dict[int, tuple[Any, ...]]:
        """Dict from image dimension to its entries."""
        return dict(zip(IMAGE, (self.rows, self.columns), strict=True))

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and the input slices."""
        if axis not in IMAGE:
            return self, (along(shape, axis, first, end),)
        here = self.axes[axis][first:end]
        read = [index for entry in here for index in self.reads(entry)]
        low  = min(read)
        part = replace(self, **{("rows", "columns")[axis - 1]: tuple(
            self.moved(entry, low) for entry in here)})
        return part, (along(shape, axis, low, max(read) + 1),)


@dataclass(frozen=True)
class Resampling(_Resize):
    """Every output pixel copies an input pixel: the entries are its row and column."""

    @staticmethod
    def reads(entry: int) -> tuple[int, ...]:
        """Input indices that an output index reads."""
        return (entry,)

    @staticmethod
    def moved(entry: int, low: int) -> int:
        """The entry for an input from index ``low`` on."""
        return entry - low

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """The output for an array."""
        return a[:, self.rows][:, :, self.columns]


@dataclass(frozen=True)
class Interpolation(_Resize):
    """Every output pixel is a mean over four input pixels.

    An entry is ``(first, second, weight)``: input index ``second`` counts ``weight / 2**bits``, the
    index ``first`` the rest; a weight has no effect if both indices are equal.
    """

    bits: int

    @staticmethod
    def reads(entry: tuple[int, int, int]) -> tuple[int, ...]:
        """Input indices that an output index reads."""
        return entry[:2]

    @staticmethod
    def moved(entry: tuple[int, int, int], low: int) -> tuple[int, int, int]:
        """The entry for an input from index ``low`` on."""
        first, second, weight = entry
        return first - low, second - low, weight

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        a = a.astype(np.int64)
        for axis, entries in self.axes.items():
            first, second, weight = np.array(entries).T
            weight = weight.reshape([-1 if each == axis else 1 for each in range(4)])
            a = a.take(first, axis) * ((1 << self.bits) - weight) + a.take(second, axis) * weight
        return Requantiser(bits, (*rescale_records(1 << 30, -2 * self.bits), 0),
                           rescale_fields(0, container_clip(bits))).compute(2 * a)
