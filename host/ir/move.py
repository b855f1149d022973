# SPDX-License-Identifier: Apache-2.0
"""Elements moved: permuted, joined, padded, taken, or the same in another shape."""

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Box", "Join", "Padding", "Permutation", "Rename", "Stack"]


@dataclass(frozen=True)
class Permutation:
    """Dimensions of the output, by those of the input: ``order``, a tuple of int."""

    order: tuple

    def evaluate(self, bits, a):
        """The output, of an array."""
        return a.transpose(self.order)


@dataclass(frozen=True)
class Box:
    """Elements of a tensor.

    Parameters
    ----------
    first, step, count : tuples of int, for each dimension the first index, how far apart the
        indices are (signed, not 0), and how many
    gone : tuple of int, dimensions of one index that the output does not have
    """

    first: tuple
    step:  tuple
    count: tuple
    gone:  tuple = ()

    @property
    def axes(self):
        """Dimensions that the output has."""
        return tuple(axis for axis in range(len(self.first)) if axis not in self.gone)

    def is_whole(self, axis, shape):
        """Whether it has all indices of a dimension of ``shape`` in their order."""
        return (self.count[axis] == shape[axis]
                and (self.step[axis] == 1 or shape[axis] == 1))

    def evaluate(self, bits, a):
        """The output, of an array."""
        places = (start + step * np.arange(count) for start, step, count
                  in zip(self.first, self.step, self.count, strict=True))
        return a[np.ix_(*places)].squeeze(self.gone)

    def split(self, axis, first, end):
        """Indices ``first`` to ``end`` of a dimension of the output: a Box, and the slices of the
        input that it is of."""
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
        """The output, of arrays."""
        return np.concatenate(inputs, self.axis)


@dataclass(frozen=True)
class Stack:
    """Tensors as the indices of a further dimension ``axis``."""

    axis: int

    def evaluate(self, bits, *inputs):
        """The output, of arrays."""
        return np.stack(inputs, self.axis)


@dataclass(frozen=True)
class Rename:
    """The same elements, in the order of the array, in another shape."""

    def evaluate(self, bits, a):
        """The output, of an array."""
        return a


@dataclass(frozen=True)
class Padding:
    """Elements ``value`` around a tensor.

    Parameters
    ----------
    widths : tuple of (before, behind), of every dimension
    value : int
    rows : int or None, of an image the dimension of its rows, before that of its columns
    """

    widths: tuple
    value:  int
    rows:   int | None = None

    def evaluate(self, bits, a):
        """The output, of an array."""
        return np.pad(a, self.widths, constant_values=self.value)

    def split(self, axis, first, end, size):
        """The padding of indices ``first`` to ``end`` of a dimension of ``size``, and the range of
        the output (first, end) that it makes; the first and the last range have their padding."""
        before, after = self.widths[axis]
        widths = list(self.widths)
        widths[axis] = (0 if first else before, after if end == size else 0)
        return (replace(self, widths=tuple(widths)),
                (before + first if first else 0, before + end + widths[axis][1]))
