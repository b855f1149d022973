# SPDX-License-Identifier: Apache-2.0
"""Moved elements: permuted, joined, padded, sliced, or reshaped."""

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Box", "Join", "Padding", "Permutation", "Rename", "Stack"]


@dataclass(frozen=True)
class Permutation:
    """Output dimensions in terms of input dimensions: ``order``, a tuple of int."""

    order: tuple

    def evaluate(self, bits, a):
        """The output for an array."""
        return a.transpose(self.order)


@dataclass(frozen=True)
class Box:
    """Strided tensor slice.

    Parameters
    ----------
    first, step, count : tuples of int, per dimension the first index, the index distance (signed,
        not 0), and the number of indices
    gone : tuple of int, single-index dimensions that the output lacks
    """

    first: tuple
    step:  tuple
    count: tuple
    gone:  tuple = ()

    @property
    def axes(self):
        """Input dimensions kept in the output."""
        return tuple(axis for axis in range(len(self.first)) if axis not in self.gone)

    def is_whole(self, axis, shape):
        """Whether the box has all dimension indices of ``shape`` in order."""
        return (self.count[axis] == shape[axis]
                and (self.step[axis] == 1 or shape[axis] == 1))

    def evaluate(self, bits, a):
        """The output for an array."""
        places = (start + step * np.arange(count) for start, step, count
                  in zip(self.first, self.step, self.count, strict=True))
        return a[np.ix_(*places)].squeeze(self.gone)

    def split(self, axis, first, end):
        """Box for indices ``first`` to ``end`` of an output dimension, and the input slices it
        reads.
        """
        slices, starts, counts = [], [], list(self.count)
        counts[self.axes[axis]] = end - first
        for place, (start, step, count) in enumerate(zip(self.first, self.step, counts,
                                                         strict=True)):
            begin = start + first * step * (place == self.axes[axis])
            low, high = sorted((begin, begin + (count - 1) * step))
            slices.append(slice(low, high + 1))
            starts.append(begin - low)
        return replace(self, first=tuple(starts), count=tuple(counts)), tuple(slices)


@dataclass(frozen=True)
class Join:
    """Tensors joined along dimension ``axis``."""

    axis: int

    def evaluate(self, bits, *inputs):
        """The output for arrays."""
        return np.concatenate(inputs, self.axis)


@dataclass(frozen=True)
class Stack:
    """Tensors stacked along a new dimension ``axis``."""

    axis: int

    def evaluate(self, bits, *inputs):
        """The output for arrays."""
        return np.stack(inputs, self.axis)


@dataclass(frozen=True)
class Rename:
    """The same elements, in array order, in another shape."""

    def evaluate(self, bits, a):
        """The output for an array."""
        return a


@dataclass(frozen=True)
class Padding:
    """Elements ``value`` around a tensor.

    Parameters
    ----------
    widths : tuple of (before, behind), for every dimension
    value : int
    rows : int or None, the row dimension of an image, before its column dimension
    """

    widths: tuple
    value:  int
    rows:   int | None = None

    def evaluate(self, bits, a):
        """The output for an array."""
        return np.pad(a, self.widths, constant_values=self.value)

    def split(self, axis, first, end, size):
        """The padding for indices ``first`` to ``end`` of a dimension with ``size`` indices, and
        its output range (first, end). The first and the last range keep their padding.
        """
        before, after = self.widths[axis]
        widths = list(self.widths)
        widths[axis] = (0 if first else before, after if end == size else 0)
        return (replace(self, widths=tuple(widths)),
                (before + first if first else 0, before + end + widths[axis][1]))
