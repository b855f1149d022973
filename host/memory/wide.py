# SPDX-License-Identifier: Apache-2.0
"""Elements above 16 bits, in several words each."""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory

__all__ = ["WideScatter"]


@dataclass(frozen=True, eq=False)
class WideScatter:
    """Memory positions for the half-words of elements minus their zero point.

    Parameters
    ----------
    memory : Memory
    first_cell : int, first word index
    pieces : int64 array [count]: per word twice its element's index, plus 1 for the sign bit word;
        -1 for a zero word
    zero : int, element zero point
    """

    memory:     Memory
    first_cell: int
    pieces:     np.ndarray
    zero:       int = 0

    @property
    def count(self):
        """Words written."""
        return len(self.pieces)

    def cells(self, data):
        """Words with an array's elements, uint16 [count]."""
        values = data.reshape(-1).astype(np.int64) - self.zero
        cells  = values[np.maximum(self.pieces, 0) // 2] >> CELL_BITS * (self.pieces % 2)
        return np.where(self.pieces < 0, 0, cells & (1 << CELL_BITS) - 1).astype(np.uint16)
