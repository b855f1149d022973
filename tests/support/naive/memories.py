# SPDX-License-Identifier: Apache-2.0
"""X and Y memory in plain loops over Python ints, after the text of xymac.hdl.isa."""

import numpy as np

from xymac.hdl.isa import Memory, Width

__all__ = ["Memories", "signed"]


def signed(value, bits):
    """The two's complement value of the low bits."""
    return value - (1 << bits) if value >> bits - 1 else value


class Memories:
    """X and Y as lists of cells, addressed by row, way and lane."""

    def __init__(self, config, x, y):
        self.ways, self.lanes = config.ways, config.lanes
        self.cells = {Memory.X: np.asarray(x).tolist(), Memory.Y: np.asarray(y).tolist()}

    def _place(self, memory, width, index, way, lane):
        """Cell and lowest bit of element ``index`` of a column."""
        row  = index // 2 if width is Width.BITS8 else index
        ways = self.ways if memory is Memory.Y else 1
        return (row * ways + way) * self.lanes + lane, 8 * (index % 2) * (width is Width.BITS8)

    def read(self, memory, width, index, way, lane):
        cell, shift = self._place(memory, width, index, way, lane)
        bits = 8 if width is Width.BITS8 else 16
        return signed(self.cells[memory][cell] >> shift & (1 << bits) - 1, bits)

    def write(self, memory, width, index, way, lane, value):
        cell, shift = self._place(memory, width, index, way, lane)
        mask = (0xFF if width is Width.BITS8 else 0xFFFF) << shift
        old  = self.cells[memory][cell]
        self.cells[memory][cell] = old & ~mask | value << shift & mask

    def x_element(self, width, group, element):
        return self.read(Memory.X, width, group // 4, 0, group % 4 * self.ways + element)

    def bias(self, row, lane):
        rows  = -(-48 // (16 * self.ways))
        cells = [self.cells[Memory.Y][((row + rows - 1 - part) * self.ways + way) * self.lanes
                                      + lane]
                 for part in range(rows) for way in range(self.ways)]
        return signed(cells[0] | cells[1] << 16 | cells[2] << 32, 48)
