# SPDX-License-Identifier: Apache-2.0
"""A layer's constants in Y memory."""

from dataclasses import dataclass, field

import numpy as np

from xymac.hdl.isa import BANKS, Access

from .packing import pack_lanes

__all__ = ["Constants", "lane_words"]

_IN_WORD = {8: 2, 16: 1}  #: Elements in a word of Y, by their bits.


@dataclass(frozen=True)
class Constants:
    """A layer's constants in Y memory: whole rows, biases first, then weights, then free rows.

    Parameters
    ----------
    weights : uint16 array
    row_cells : int, words per Y row
    bias : uint16 array
    room : int, rows that the layer's passes write and read
    align : int, first row alignment, rows
    shared : bool, whether layers with equal words can share them
    y_row : int, first Y row
    """

    weights:   np.ndarray
    row_cells: int
    bias:      np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint16))
    room:      int = 0
    align:     int = 1
    shared:    bool = False
    y_row:     int = 0

    @property
    def y_rows(self):
        """Y row count."""
        return self.cells.size // self.row_cells + self.room

    @property
    def cells(self):
        """Words to write before the program, in row order."""
        return np.concatenate([self.bias, self.weights])

    @property
    def weights_row(self):
        """First weight row."""
        return self.y_row + self.bias.size // self.row_cells

    @property
    def room_row(self):
        """First row of the room."""
        return self.y_row + self.cells.size // self.row_cells

    def word(self, index, bits, ways, count=1, **strides):
        """Access to ``count`` vectors of ``bits``-bit weights, one per lane, from ``index`` on.

        ``strides`` are the Access's ``outer`` and ``taps``.
        """
        base = self.weights_row * _IN_WORD[bits] * ways + index
        return Access(base=base, low=base, high=base + count - 1, **strides)


def lane_words(values, ways, room=0):
    """Constants with a vector for each entry in ``values`` (int8 or int16 [vectors]), equal in all
    lanes.
    """
    lanes = BANKS * ways
    cells = pack_lanes(np.tile(values, (lanes, 1)), ways)
    return Constants(cells, lanes * ways, room=room)
