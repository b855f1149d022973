# SPDX-License-Identifier: Apache-2.0
"""Some of a tensor's rows, for a tensor larger than its memory."""

from dataclasses import dataclass

import numpy as np

from .layout import TensorLayout

__all__ = ["LayoutRows"]


@dataclass(frozen=True)
class LayoutRows:
    """Rows from a TensorLayout that are written contiguously.

    Parameters
    ----------
    layout : TensorLayout
    row : int, first destination row in the layout's memory
    ranges : tuple of row ranges (first, end), relative to the layout's first row
    """

    layout: TensorLayout
    row:    int
    ranges: tuple

    @property
    def memory(self):
        """The rows' memory."""
        return self.layout.memory

    @property
    def bits(self):
        """Element width."""
        return self.layout.bits

    @property
    def first_cell(self):
        """First destination word, an index in its memory."""
        return self.row * self.layout.row_cells

    @property
    def count(self):
        """Word count."""
        return sum(end - first for first, end in self.ranges) * self.layout.row_cells

    def cells(self, data):
        """Row words for the user's array ``data``, uint16 [count]."""
        rows = self.layout.cells(data).reshape(-1, self.layout.row_cells)
        return np.concatenate([rows[first:end] for first, end in self.ranges]).ravel()
