# SPDX-License-Identifier: Apache-2.0
"""X and Y memory in plain loops over Python ints, after the text of xymac.hdl.isa."""

import numpy as np

from xymac.hdl.isa import Memory, Width

__all__ = ["Memories", "signed"]


def signed(value, bits):
    """The two's complement value of the low bits."""
    return value - (1 << bits) if value >> bits - 1 else value


class Memories:
    """X and Y as lists of cells, addressed by row, way and lane.

    ``late`` says whether a byte was read that is in ``written``: ``again`` marks reads of what the
    core has read before.
    """

    def __init__(self, config, x, y, written=None):
        self.ways, self.lanes = config.ways, config.lanes
        self.cells = {Memory.X: np.asarray(x).tolist(), Memory.Y: np.asarray(y).tolist()}
        self.written, self.late = set() if written is None else written, False

    def _note(self, memory, cell, shifts, again):
        self.late |= not again and any((memory, cell, shift) in self.written for shift in shifts)

    def _place(self, memory, width, index, way, lane):
        """Cell and lowest bit of element ``index`` of a column."""
        row  = index // 2 if width is Width.BITS8 else index
        ways = self.ways if memory is Memory.Y else 1
        return (row * ways + way) * self.lanes + lane, 8 * (index % 2) * (width is Width.BITS8)

    def read(self, memory, width, index, way, lane, again=False):
        cell, shift = self._place(memory, width, index, way, lane)
        bits = 8 if width is Width.BITS8 else 16
        self._note(memory, cell, range(shift, shift + bits, 8), again)
        return signed(self.cells[memory][cell] >> shift & (1 << bits) - 1, bits)

    def write(self, memory, width, index, way, lane, value):
        cell, shift = self._place(memory, width, index, way, lane)
        mask = (0xFF if width is Width.BITS8 else 0xFFFF) << shift
        old  = self.cells[memory][cell]
        self.cells[memory][cell] = old & ~mask | value << shift & mask
        self.written |= {(memory, cell, part) for part in range(0, 16, 8) if mask >> part & 1}

    def x_element(self, width, group, element, again=False):
        return self.read(Memory.X, width, group // 4, 0, group % 4 * self.ways + element, again)

    def bias(self, row, lane, again):
        rows   = -(-48 // (16 * self.ways))
        places = [((row + rows - 1 - part) * self.ways + way) * self.lanes + lane
                  for part in range(rows) for way in range(self.ways)]
        for place in places:
            self._note(Memory.Y, place, (0, 8), again)
        cells = [self.cells[Memory.Y][place] for place in places]
        return signed(cells[0] | cells[1] << 16 | cells[2] << 32, 48)
