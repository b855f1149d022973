# SPDX-License-Identifier: Apache-2.0
"""Some rows of a tensor that a memory cannot hold whole."""

from dataclasses import dataclass

import numpy as np

from .layout import TensorLayout

__all__ = ["LayoutRows"]


@dataclass(frozen=True)
class LayoutRows:
    """Rows of a TensorLayout that are written one behind the other.

    Parameters
    ----------
    layout : TensorLayout
    row : int, first row of its memory that they are written to
    ranges : tuple of pairs (first, end) of rows, counted from the first row of the tensor
    """

    layout: TensorLayout
    row:    int
    ranges: tuple

    @property
    def memory(self):
        """Memory of the rows."""
        return self.layout.memory

    @property
    def bits(self):
        """Bits of an element."""
        return self.layout.bits

    @property
    def first_cell(self):
        """First cell of the rows in their memory."""
        return self.row * self.layout.row_cells

    @property
    def count(self):
        """Cells of the rows."""
        return sum(end - first for first, end in self.ranges) * self.layout.row_cells

    def cells(self, data):
        """Cells of the rows of the user's array ``data``, uint16 [count]."""
        rows = self.layout.cells(data).reshape(-1, self.layout.row_cells)
        return np.concatenate([rows[first:end] for first, end in self.ranges]).ravel()
