# SPDX-License-Identifier: Apache-2.0
"""Moved elements: permuted, joined, padded, sliced, or reshaped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Self, cast

import numpy as np

from .tile import along, whole

__all__ = ["Box", "Join", "Padding", "Permutation", "Rename", "Stack", "first_steps"]


@dataclass(frozen=True)
class Permutation:
    """Output dimensions in input dimension terms: ``order``, an int tuple."""

    order: tuple[int, ...]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """The output for an array."""
        return a.transpose(self.order)

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and the input slices for
        an input with shape ``shape``; so in all other forms.
        """
        return self, (along(shape, self.order[axis], first, end),)


@dataclass(frozen=True)
class Box:
    """Strided tensor slice.

    Parameters
    ----------
    first, step, count : tuples of int, per dimension the first index, the index distance (signed,
        not 0), and the index count
    gone : tuple of int, single-index dimensions that the output lacks
    """

    first: tuple[int, ...]
    step:  tuple[int, ...]
    count: tuple[int, ...]
    gone:  tuple[int, ...] = ()

    @property
    def axes(self) -> tuple[int, ...]:
        """Input dimensions kept in the output."""
        return tuple(axis for axis in range(len(self.first)) if axis not in self.gone)

    def is_whole(self, axis: int, shape: tuple[int, ...]) -> bool:
        """Whether the box has all ``shape`` indices along ``axis`` in order."""
        return (self.count[axis] == shape[axis]
                and (self.step[axis] == 1 or shape[axis] == 1))

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """The output for an array."""
        places = (start + step * np.arange(count) for start, step, count
                  in zip(self.first, self.step, self.count, strict=True))
        return a[np.ix_(*places)].squeeze(self.gone)

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """See ``Permutation``."""
        slices, starts, counts = [], [], list(self.count)
        counts[self.axes[axis]] = end - first
        for place, (start, step, count) in enumerate(zip(self.first, self.step, counts,
                                                         strict=True)):
            begin = start + first * step * (place == self.axes[axis])
            low, high = sorted((begin, begin + (count - 1) * step))
            slices.append(slice(low, high + 1))
            starts.append(begin - low)
        return replace(self, first=tuple(starts), count=tuple(counts)), (tuple(slices),)


@dataclass(frozen=True)
class Join:
    """Tensors joined along dimension ``axis``."""

    axis: int

    def evaluate(self, bits: int, *inputs: np.ndarray) -> np.ndarray:
        """The output for arrays."""
        return np.concatenate(inputs, self.axis)

    def split(self, axis: int, first: int, end: int,
              *shapes: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...] | None, ...]]:
        """See ``Permutation``; None for an input without a part."""
        if axis != self.axis:
            return self, tuple(along(shape, axis, first, end) for shape in shapes)
        parts, start = [], 0
        for shape in shapes:
            low, high = max(first - start, 0), min(end - start, shape[axis])
            parts.append(along(shape, axis, low, high) if low < high else None)
            start += shape[axis]
        return self, tuple(parts)


@dataclass(frozen=True)
class Stack:
    """Tensors stacked along a new dimension ``axis``."""

    axis: int

    def evaluate(self, bits: int, *inputs: np.ndarray) -> np.ndarray:
        """The output for arrays."""
        return np.stack(inputs, self.axis)

    def split(self, axis: int, first: int, end: int,
              *shapes: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...] | None, ...]]:
        """See ``Permutation``; None for an input without a part."""
        if axis == self.axis:
            return self, tuple(whole(shape) if first <= number < end else None
                               for number, shape in enumerate(shapes))
        own = axis - (axis > self.axis)
        return self, tuple(along(shape, own, first, end) for shape in shapes)


@dataclass(frozen=True)
class Rename:
    """The same elements, in array order, in another ``shape``."""

    shape: tuple[int, ...]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """The output for an array."""
        return a.reshape(self.shape)

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Rename, tuple[tuple[slice, ...], ...]]:
        """See ``Permutation``; ``axis`` is the first dimension with several indices."""
        step = prod(self.shape[axis + 1:])
        own, own_step = cast("tuple[int, int]", first_steps(shape))
        part = (*self.shape[:axis], end - first, *self.shape[axis + 1:])
        return Rename(part), (along(shape, own, first * step // own_step, end * step // own_step),)


@dataclass(frozen=True)
class Padding:
    """Elements ``value`` around a tensor.

    Parameters
    ----------
    widths : tuple of (before, behind), for every dimension
    value : int
    rows : int or None, an image's row dimension, before its column dimension
    """

    widths: tuple[tuple[int, int], ...]
    value:  int
    rows:   int | None = None

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """The output for an array."""
        return np.pad(a, self.widths, constant_values=self.value)

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """See ``Permutation``; every range has input elements."""
        (before, _), size, widths = self.widths[axis], shape[axis], list(self.widths)
        widths[axis] = max(before - first, 0), max(end - before - size, 0)
        return replace(self, widths=tuple(widths)), (
            along(shape, axis, max(first - before, 0), min(end - before, size)),)


def first_steps(shape: tuple[int, ...]) -> tuple[int, int] | None:
    """First dimension with several indices, and elements per index; None for a single element."""
    axis = next((axis for axis, size in enumerate(shape) if size > 1), None)
    return None if axis is None else (axis, prod(shape[axis + 1:]))
