# SPDX-License-Identifier: Apache-2.0
"""Elements as numbers of more than 16 bits, in several cells each."""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory

__all__ = ["WideScatter"]


@dataclass(frozen=True, eq=False)
class WideScatter:
    """Where the cells of elements, less their zero point, lie.

    Parameters
    ----------
    memory : Memory
    first_cell : int
    pieces : array of int64 [count]: for each cell twice the number of its element, and 1 more for a
        cell of its sign; -1 for a zero
    zero : int, zero point of the elements
    """

    memory:     Memory
    first_cell: int
    pieces:     np.ndarray
    zero:       int = 0

    @property
    def count(self):
        """Cells that are written."""
        return len(self.pieces)

    def cells(self, data):
        """Cells that hold the elements of an array, uint16 [count]."""
        values = data.reshape(-1).astype(np.int64) - self.zero
        cells  = values[np.maximum(self.pieces, 0) // 2] >> CELL_BITS * (self.pieces % 2)
        return np.where(self.pieces < 0, 0, cells & (1 << CELL_BITS) - 1).astype(np.uint16)
