# SPDX-License-Identifier: Apache-2.0
"""Elements moved: dimensions permuted, boxes taken."""

from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Box", "Permutation"]


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
