"""What the passes of a cell work on and with: vectors in X and Y, matrices, records, words.

Passes ask for it as they are made; made twice, first without a place, they know what they need.
"""

from dataclasses import dataclass, replace

import numpy as np

from hdl.isa import BANKS, CELL_BITS, Access, Memory, Move, bias_rows
from host.memory.constants import Constants
from host.memory.packing import pack_lanes, pack_records, pack_vectors

__all__ = ["Matrix", "Tiles", "Workspace"]


@dataclass(frozen=True)
class Tiles:
    """Tiles that lie one after the other from the group ``base`` on, in a window of groups."""

    base:   int
    low:    int
    high:   int
    memory: Memory = Memory.X
    move:   Move = Move.NONE

    def groups(self, first, loop=0):
        """Access by groups, from tile ``first`` on, a tile for every index of an output loop."""
        return Access(self.base + first * BANKS, self.low, self.high, _strides(BANKS, loop),
                      move=self.move)

    def words(self, first, loop=0):
        """Access to Y by lanes, from tile ``first`` on."""
        low, high = self.low // BANKS, self.high // BANKS
        return Access(self.base // BANKS + first, low, high, _strides(1, loop))

    def output(self, first, loop=0):
        """Fields of a pass whose output goes there, from tile ``first`` on."""
        return {"z": self.groups(first, loop), "z_memory": self.memory}

    def part(self, first, tiles):
        """Some of the tiles, from tile ``first`` on."""
        base = self.base + first * BANKS
        return replace(self, base=base, low=base, high=base + tiles * BANKS - 1)


def _strides(stride, loop):
    return tuple(stride if loop == index else 0 for index in range(3))


@dataclass(frozen=True)
class Matrix:
    """Weights of whole tiles of outputs in Y.

    Parameters
    ----------
    low : int, address of the first word
    bits : int, of a weight
    tiles, words : int, tiles and words of a tile, a word for every group of inputs
    """

    low:   int
    bits:  int
    tiles: int
    words: int

    def access(self, first, column):
        """Access to the words of the tiles from ``first`` on, each from group ``column`` on."""
        return Access(self.low + first * self.words + column, self.low,
                      self.low + self.tiles * self.words - 1, (self.words, 0, 0), (0, 0, 1))


class Workspace:
    """Hand out what passes need, one after the other.

    Parameters
    ----------
    ways : int, elements of a group
    values : Constants, placed, as a Workspace without them returned them; or None
    row : int, first row of X for vectors

    Attributes
    ----------
    x_rows : int, rows of X that vectors take
    """

    def __init__(self, ways, values=None, row=0):
        self.ways, self.x_rows = ways, 0
        self._row, self._row_cells = row, BANKS * ways * ways
        self._values  = values or Constants(np.zeros(0, np.uint16), self._row_cells)
        self._y_tiles = 0
        self._records, self._words, self._matrices = [], [], []

    def in_x(self, tiles):
        """Tiles of 16-bit elements in X, a row each."""
        base = (self._row + self.x_rows) * BANKS
        self.x_rows += tiles
        return Tiles(base, base, base + tiles * BANKS - 1)

    def in_y(self, tiles):
        """Tiles of 16-bit elements in Y, ``ways`` of them a row."""
        base = (self._values.room_row * self.ways + self._y_tiles) * BANKS
        self._y_tiles += tiles
        return Tiles(base, base, base + tiles * BANKS - 1, Memory.Y)

    def matrix(self, weights):
        """The Matrix of weights [outputs, inputs], both whole tiles and groups; before any word."""
        bits  = 8 * weights.itemsize
        units = CELL_BITS // bits
        low   = (self._values.weights_row + self._weights_rows) * units
        self._matrices.append(pack_vectors(weights[:, None], self.ways))
        return Matrix(low, bits, len(weights) // (BANKS * self.ways),
                      weights.shape[1] // self.ways)

    def records(self, *records):
        """First row of records, int64 [outputs in whole tiles], or an int each for one tile."""
        lanes = BANKS * self.ways
        found = [np.full(lanes, record) if np.ndim(record) == 0 else record for record in records]
        row   = self._values.y_row + sum(cells.size for cells in self._records) // self._row_cells
        self._records.append(pack_records(found, self.ways))
        return row

    def word(self, *values):
        """Access to 16-bit words of one value in all lanes, a tap each."""
        base = self._weights_row * self.ways + len(self._words)
        self._words += values
        return Access(base, base, base + len(values) - 1, taps=(0, 0, int(len(values) > 1)))

    def row(self, value):
        """Access to a row of Y whose 16-bit words all are ``value``."""
        self._words += [0] * (-len(self._words) % self.ways)
        base = self._weights_row + len(self._words) // self.ways
        self._words += [value] * self.ways
        return Access(base, base, base)

    def record_rows(self, records):
        """Rows of so many records of a tile."""
        return records * bias_rows(self.ways)

    @property
    def _weights_row(self):
        """Row behind all matrices, where words begin."""
        return self._values.weights_row + self._weights_rows

    @property
    def _weights_rows(self):
        return sum(cells.size for cells in self._matrices) // self._row_cells

    def constants(self):
        """``Constants`` of everything handed out."""
        lanes = BANKS * self.ways
        words = pack_lanes(np.tile(np.array(self._words, np.int16), (lanes, 1)), self.ways)
        return Constants(np.concatenate([*self._matrices, words]), self._row_cells,
                         bias=np.concatenate(self._records), room=-(-self._y_tiles // self.ways))
