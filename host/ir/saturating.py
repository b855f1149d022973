# SPDX-License-Identifier: Apache-2.0
"""Sums that saturate after each product block, or wrap, in one form for all kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .requantiser import Requantiser

__all__ = ["Block", "RowRange", "SaturatingSum"]


_LIMIT = (1 << 31) - 1


@dataclass(frozen=True)
class Block:
    """Products added in a single step, before the sum saturates.

    Parameters
    ----------
    row, col : first row and column in the window
    first : int, first input channel index
    weights : int8 or int16 [outputs, columns, inputs]; for a channel per lane [channels, 1, 1]
    x_zero : int, subtracted from every input
    """

    row:     int
    col:     int
    first:   int
    weights: np.ndarray
    x_zero:  int = 0


@dataclass(frozen=True)
class RowRange:
    """``count`` output rows from ``first`` on, whose blocks are added in the same ``order``."""

    first: int
    count: int
    order: tuple[int, ...]


@dataclass(frozen=True)
class SaturatingSum:
    """Product blocks per output, and the scaling of their sums.

    Parameters
    ----------
    bias : int64 [outputs], initial value for saturating sums; added to wrapping sums at the end
    blocks : tuple of Block
    row_ranges : tuple of RowRange, all output rows
    cols : int, output columns
    kernel : (rows, columns), window size
    start, stride : (rows, columns), first element and window stride
    outside : int, value for padding, and for elements inserted by ``spread``
    order, lanes, narrow_to : see ``Linear``
    records : tuple, int64 [outputs] each, parameters for a scaled pass over the sums
    output : dict, fields for that pass
    wraps : bool, the sum over all blocks wraps at 32 bits; else it saturates after each
    spread : (rows, columns), distance between image elements after padding is inserted between them
    taken : int, subtracted from every image element, which then has 16 bits; or None
    lacks : int64 [outputs], initial value for wrapping sums; or None
    """

    bias:       np.ndarray
    blocks:     tuple[Block, ...]
    row_ranges: tuple[RowRange, ...]
    cols:       int = 1
    kernel:     tuple[int, ...] = (1, 1)
    start:      tuple[int, ...] = (0, 0)
    stride:     tuple[int, ...] = (1, 1)
    outside:    int = 0
    order:      tuple[int, ...] | None = None
    lanes:      bool = False
    records:    tuple[np.ndarray, ...] = ()
    output:     dict[str, Any] = field(default_factory=dict)
    narrow_to:  tuple[int, int] | None = None
    wraps:      bool = False
    spread:     tuple[int, ...] = (1, 1)
    taken:      int | None = None
    lacks:      np.ndarray | None = None

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array: an image, or a single run."""
        image = a.reshape(1, 1, -1) if self.order is None else a.transpose(self.order)
        sums  = np.zeros((self.rows, self.cols, len(self.bias)), np.int64)
        walk  = self._walk(image.astype(np.int64) - (self.taken or 0))
        for part in self.row_ranges:
            sums[part.first:part.first + part.count] = self._sum_rows(walk, part)
        bias = self.bias if self.wraps else 0
        wide = 16 if self.narrow_to else bits
        made = Requantiser(wide, (*self.records, bias), self.output).compute(sums)
        if self.narrow_to:
            made = Requantiser.narrow(bits, self.narrow_to).compute(made)
        return made

    def _walk(self, image):
        """Spread and padded image, from the first window's first element on."""
        sizes  = [(size - 1) * step + 1 for size, step in zip(image.shape, self.spread,
                                                              strict=False)]
        spread = np.full((*sizes, image.shape[2]), self.outside)
        spread[::self.spread[0], ::self.spread[1]] = image
        rows, cols = (range(start, start + (count - 1) * step + size) for start, count, step, size
                      in zip(self.start, (self.rows, self.cols), self.stride, self._reach,
                             strict=True))
        padded = np.pad(spread, ((0, 1), (0, 1), (0, 0)), constant_values=self.outside)
        return padded[[[row if 0 <= row < sizes[0] else sizes[0]] for row in rows],
                      [col if 0 <= col < sizes[1] else sizes[1] for col in cols]]

    @property
    def _reach(self):
        """Rows and columns that the blocks cover."""
        return (max(block.row for block in self.blocks) + 1,
                max(block.col + block.weights.shape[1] for block in self.blocks))

    def _sum_rows(self, walk, part):
        """Sums for the rows of a RowRange, int64 [rows, columns, outputs]."""
        begin = 0 if self.begin is None else self.begin
        total = np.zeros((part.count, self.cols, len(self.bias)), np.int64) + begin
        for block in (self.blocks[index] for index in part.order):
            weights = block.weights.astype(np.int64)
            for col in range(weights.shape[1]):
                under = walk[part.first * self.stride[0] + block.row:, block.col + col:]
                under = under[::self.stride[0], ::self.stride[1]][:part.count, :self.cols]
                under = under - block.x_zero
                product = (under * weights[:, col, 0] if self.lanes else
                           under[..., block.first:block.first + weights.shape[2]]
                           @ weights[:, col].T)
                total = total + product
            total = total if self.wraps else np.clip(total, -_LIMIT, _LIMIT)
        return (total + (1 << 31)) % (1 << 32) - (1 << 31) if self.wraps else total

    @property
    def begin(self) -> np.ndarray | None:
        """Initial sum value, int64 [outputs], or None."""
        return self.lacks if self.wraps else self.bias

    @property
    def rows(self) -> int:
        """Output row count."""
        return sum(part.count for part in self.row_ranges)
