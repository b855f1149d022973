# SPDX-License-Identifier: Apache-2.0
"""Sums that saturate after each block of products, or wrap, in one form for all kernels that have
them."""

from dataclasses import dataclass, field

import numpy as np

__all__ = ["Block", "RowRange", "SaturatingSum"]


@dataclass(frozen=True)
class Block:
    """Products that are added at once.

    Parameters
    ----------
    row, col : where they begin under a window
    first : int, the first of their inputs within a pixel
    weights : int8 or int16 [outputs, columns, inputs]; of a channel a lane [channels, 1, 1]
    x_zero : int, taken off every input
    """

    row:     int
    col:     int
    first:   int
    weights: np.ndarray
    x_zero:  int = 0


@dataclass(frozen=True)
class RowRange:
    """Rows of outputs, ``count`` from ``first`` on, whose blocks come in the same ``order``."""

    first: int
    count: int
    order: tuple


@dataclass(frozen=True)
class SaturatingSum:
    """What is added to every output, and what becomes of the sums.

    Parameters
    ----------
    bias : int64 [outputs], what the sums begin with, or what is added when they have wrapped
    blocks : tuple of Block
    row_ranges : tuple of RowRange, over all rows of outputs
    cols : int, columns of outputs
    kernel : (rows, columns) of a window
    start, stride : of the windows, in elements
    outside : int, value of the elements outside of the image, and between those of a spread one
    order, lanes, narrow_to : see ``Linear``
    records : tuple of int64 [outputs], parameters of a scaled pass over the sums
    output : dict of the fields of that pass
    wraps : bool, the sum of all blocks wraps at 32 bits; else it saturates after each
    spread : (rows, columns), elements of what windows walk over from one of the image to the next
    taken : int, what is taken off every element of the image, which have 16 bits then; or None
    lacks : int64 [outputs], what is added to sums that wrap before they do; or None
    """

    bias:       np.ndarray
    blocks:     tuple
    row_ranges: tuple
    cols:       int = 1
    kernel:     tuple = (1, 1)
    start:      tuple = (0, 0)
    stride:     tuple = (1, 1)
    outside:    int = 0
    order:      tuple | None = None
    lanes:      bool = False
    records:    tuple = ()
    output:     dict = field(default_factory=dict)
    narrow_to:  tuple | None = None
    wraps:      bool = False
    spread:     tuple = (1, 1)
    taken:      int | None = None
    lacks:      np.ndarray | None = None

    @property
    def begin(self):
        """What sums begin with, int64 [outputs], or None."""
        return self.lacks if self.wraps else self.bias

    @property
    def rows(self):
        """Rows of outputs."""
        return sum(part.count for part in self.row_ranges)
