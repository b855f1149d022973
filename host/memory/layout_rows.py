# SPDX-License-Identifier: Apache-2.0
"""Part of a tensor's rows, for a tensor larger than its memory."""

from dataclasses import dataclass

import numpy as np

from .layout import TensorLayout

__all__ = ["LayoutRows"]


@dataclass(frozen=True)
class LayoutRows:
    """Rows of a TensorLayout that are written contiguously.

    Parameters
    ----------
    layout : TensorLayout
    row : int, first destination row in the layout's memory
    ranges : tuple of pairs (first, end) of rows, relative to the layout's first row
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
        """Width of an element."""
        return self.layout.bits

    @property
    def first_cell(self):
        """Index of the first destination word in its memory."""
        return self.row * self.layout.row_cells

    @property
    def count(self):
        """Words of the rows."""
        return sum(end - first for first, end in self.ranges) * self.layout.row_cells

    def cells(self, data):
        """Words of the rows for the user's array ``data``, uint16 [count]."""
        rows = self.layout.cells(data).reshape(-1, self.layout.row_cells)
        return np.concatenate([rows[first:end] for first, end in self.ranges]).ravel()
