# SPDX-License-Identifier: Apache-2.0
"""Workspace of a lowering's passes: vectors in X and Y, matrices, records, words.

Passes allocate while they are built; addresses count from each area's first row.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, OWN_TABLES, Access, Memory, Move, bias_rows
from xymac.host.memory.constants import Constants
from xymac.host.memory.packing import pack_lanes, pack_records, pack_vectors

from .relative import Area, RelativeAccess

__all__ = ["Matrix", "Tiles", "Workspace"]


@dataclass(frozen=True)
class Tiles:
    """Consecutive tiles from vector ``base``, within a vector window.

    Parameters
    ----------
    area : Area that addresses count from; None for memory addresses
    row_tiles : int, tiles per area row
    """

    base:      int
    low:       int
    high:      int
    memory:    Memory = Memory.X
    move:      Move = Move.NONE
    area:      Area | None = None
    row_tiles: int = 1

    def groups(self, first, loop=0):
        """Access by vectors, from tile ``first`` on, with a tile for every output loop index."""
        return self._access(BANKS, self.base + first * BANKS, self.low, self.high,
                            _strides(BANKS, loop), move=self.move)

    def words(self, first, loop=0):
        """Access to Y by lanes, from tile ``first`` on."""
        low, high = self.low // BANKS, self.high // BANKS
        return self._access(1, self.base // BANKS + first, low, high, _strides(1, loop))

    def rows(self, count):
        """Access to ``count`` full rows, a row per tap."""
        base = self.base // (BANKS * self.row_tiles)
        return RelativeAccess(base, base, base + count - 1, taps=(0, 0, 1), area=self.area)

    def _access(self, tile_units, *addresses, **fields):
        if self.area is None:
            return Access(*addresses, **fields)
        return RelativeAccess(*addresses, **fields, area=self.area,
                              row_units=self.row_tiles * tile_units)

    def output(self, first, loop=0):
        """Fields for a pass writing its output from tile ``first`` on."""
        return {"z": self.groups(first, loop), "z_memory": self.memory}

    def part(self, first, tiles):
        """Sub-range of the tiles, from tile ``first`` on."""
        base = self.base + first * BANKS
        return replace(self, base=base, low=base, high=base + tiles * BANKS - 1)


def _strides(stride, loop):
    return tuple(stride if loop == index else 0 for index in range(3))


@dataclass(frozen=True)
class Matrix:
    """Weights for full output tiles in Y.

    Parameters
    ----------
    low : int, first word address
    bits : int, weight width in bits
    tiles, words : int, tiles and words per tile, a word for every input vector
    area : Area that addresses count from; None for memory addresses
    """

    low:   int
    bits:  int
    tiles: int
    words: int
    area:  Area | None = None

    def access(self, first, column):
        """Access to the tile words from ``first`` on, each from vector ``column`` on."""
        access = Access(self.low + first * self.words + column, self.low,
                        self.low + self.tiles * self.words - 1, (self.words, 0, 0), (0, 0, 1))
        if self.area is None:
            return access
        return RelativeAccess(**vars(access), area=self.area, row_units=CELL_BITS // self.bits)


class Workspace:
    """Allocate operands for passes in sequence, in separate areas.

    Parameters
    ----------
    ways : int, elements per vector

    Attributes
    ----------
    x_rows : int, X rows used by vectors
    tables : list of OwnTable
    """

    def __init__(self, ways):
        self.ways, self.x_rows = ways, 0
        self._row_cells = BANKS * ways * ways
        self._y_tiles = 0
        self._records, self._words, self._matrices = [], [], []
        self.tables = []

    def in_x(self, tiles):
        """16-bit element tiles in X, a row each."""
        base = self.x_rows * BANKS
        self.x_rows += tiles
        return Tiles(base, base, base + tiles * BANKS - 1, area=Area.VECTORS)

    def in_y(self, tiles):
        """16-bit element tiles in Y, ``ways`` per row."""
        base = self._y_tiles * BANKS
        self._y_tiles += tiles
        return Tiles(base, base, base + tiles * BANKS - 1, Memory.Y, area=Area.ROOM,
                     row_tiles=self.ways)

    def rows_in_y(self, rows):
        """``in_y`` as full rows."""
        self._y_tiles += -self._y_tiles % self.ways
        return self.in_y(rows * self.ways)

    def in_records(self, row, word, tiles=1):
        """Tiles that are record words from row ``row`` on; a tile is a word for all lanes."""
        base = (row * self.ways + word) * BANKS
        return Tiles(base, base, base + tiles * BANKS - 1, Memory.Y, area=Area.RECORDS,
                     row_tiles=self.ways)

    def matrix(self, weights):
        """The Matrix for weights [outputs, inputs], padded to full tiles and vectors."""
        bits = 8 * weights.itemsize
        low  = self._matrix_rows * (CELL_BITS // bits)
        self._matrices.append(pack_vectors(weights[:, None], self.ways))
        return Matrix(low, bits, len(weights) // (BANKS * self.ways),
                      weights.shape[1] // self.ways, Area.MATRICES)

    def lane_weights(self, weights):
        """Access by lanes to weights [outputs, taps]: an output tile for every outermost index."""
        units, taps = self.ways * (2 // weights.itemsize), weights.shape[1]
        base  = self._matrix_rows * units
        tiles = -(-len(weights) // (BANKS * self.ways))
        self._matrices.append(pack_lanes(weights, self.ways))
        return RelativeAccess(base, base, base + tiles * taps - 1, (taps, 0, 0), (0, 0, 1),
                              area=Area.MATRICES, row_units=units)

    def records_once(self, *records):
        """``records`` with the int parameters only before the first bias."""
        *parameters, bias = records
        lanes = BANKS * self.ways
        row   = self.records(*parameters, bias[:lanes])
        if len(bias) > lanes:
            self.records(bias[lanes:])
        return row

    def records(self, *records):
        """First record row: int64 [outputs in full tiles], or a single int each for a tile."""
        lanes = BANKS * self.ways
        whole = [np.full(lanes, record) if np.ndim(record) == 0 else record for record in records]
        row   = sum(cells.size for cells in self._records) // self._row_cells
        self._records.append(pack_records(whole, self.ways))
        return row

    def word(self, *values):
        """Access to 16-bit words, each a single value in all lanes, a tap per word."""
        base = len(self._words)
        self._words += values
        return RelativeAccess(base, base, base + len(values) - 1,
                              taps=(0, 0, int(len(values) > 1)), area=Area.WORDS,
                              row_units=self.ways)

    def row(self, value):
        """Access to a Y row whose 16-bit words all equal ``value``."""
        return replace(self.rows([value] * self.ways), taps=(0, 0, 0))

    def rows(self, values):
        """Access to Y rows, a tap per row: a 16-bit word for each way, equal in all lanes."""
        self._words += [0] * (-len(self._words) % self.ways)
        base = len(self._words) // self.ways
        self._words += [int(value) for value in values]
        return RelativeAccess(base, base, base + len(values) // self.ways - 1, taps=(0, 0, 1),
                              area=Area.WORDS)

    def fields(self, rule):
        """Pass fields for a Requantiser, with its parameter row and its table code."""
        fields = dict(rule.fields)
        if rule.tables:
            fields["table"] = self.table(rule.tables[0])
        if rule.records:
            fields["bias_row"] = self.records(*rule.records)
        return fields

    def table(self, own):
        """An OwnTable's code."""
        if own not in self.tables:
            self.tables.append(own)
        return OWN_TABLES[self.tables.index(own)]

    def record_rows(self, records):
        """Rows that ``records`` tile records take."""
        return records * bias_rows(self.ways)

    @property
    def upper_word(self):
        """Index of the record word that has its upper 16 bits."""
        return 2 if self.ways > 2 else 0

    @property
    def _matrix_rows(self):
        return sum(cells.size for cells in self._matrices) // self._row_cells

    def constants(self):
        """``Constants`` with all allocated operands."""
        lanes = BANKS * self.ways
        words = pack_lanes(np.tile(np.array(self._words or [0], np.int16), (lanes, 1)), self.ways)
        bias  = np.concatenate([np.zeros(0, np.uint16), *self._records])
        return Constants(np.concatenate([*self._matrices, words]), self._row_cells, bias=bias,
                         room=-(-self._y_tiles // self.ways))

    def rows_of(self, constants):
        """First row of every Y area for this workspace's placed ``constants``."""
        return {Area.RECORDS: constants.y_row, Area.MATRICES: constants.weights_row,
                Area.WORDS: constants.weights_row + self._matrix_rows,
                Area.ROOM: constants.room_row}
