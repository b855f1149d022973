# SPDX-License-Identifier: Apache-2.0
"""A common index for all writable core words, and the words that programs and transfers use."""

import numpy as np

from xymac.hdl.isa import REGIONS, Memory, Region, Table
from xymac.host.plan.program.windows import rows_of

__all__ = ["REGION_OF", "Space"]

REGION_OF = {Memory.X: Region.X, Memory.Y: Region.Y}
_REGIONS  = Region.X, Region.Y, Region.PROGRAM, Region.TABLES, Region.PLACES
_HALF     = 2  # bytes


class Space:
    """16-bit words of all core regions that transfers can reach, numbered from 0.

    Parameters
    ----------
    config : CoreConfig

    Attributes
    ----------
    size : int, word count
    """

    def __init__(self, config):
        self._config = config
        sizes = {"ways": config.ways, "x_rows": config.x_rows, "y_rows": config.y_rows,
                 "passes": config.passes}
        self._first, self.size = {}, 0
        for region in _REGIONS:
            self._first[region] = self.size
            self.size += REGIONS[region].size(**sizes) // _HALF

    def span(self, region, first, end):
        """Slice for words ``first`` to ``end`` of a region, 16 bits each."""
        return slice(self._first[region] + first, self._first[region] + end)

    def rows_of_move(self, move):
        """Index array, or a slice: the core words touched by a Move."""
        first = self._first[move.region]
        if move.narrow:
            starts = move.core + move.core_stride * np.arange(move.rows)
            units  = (starts[:, None] + np.arange(move.size)).ravel()
            lanes  = self._config.lanes
            return first + units // (2 * lanes) * lanes + units % lanes
        words = move.size // _HALF
        if move.rows == 1:
            return slice(first + move.core // _HALF, first + move.core // _HALF + words)
        starts = (move.core + move.core_stride * np.arange(move.rows)) // _HALF
        return first + (starts[:, None] + np.arange(words)).ravel()

    def program_words(self, program, first, places):
        """(Read slices, written slices) of a run, for a Program loaded at pass ``first``.

        ``places`` is a dict of the TablePlace for each placed Table.
        """
        stride = REGIONS[Region.PROGRAM].size(ways=1, x_rows=1, y_rows=1, passes=1) // _HALF
        reads  = [self.span(Region.PROGRAM, stride * first, stride * (first + len(program)))]
        writes = []
        for pass_ in program:
            operands, result = rows_of(pass_, self._config.ways)
            reads += [self._rows(*rows) for rows in operands]
            if not pass_.accumulate.hold:
                writes.append(self._rows(*result))
        for table in {pass_.epilogue.table for pass_ in program} - {Table.NONE}:
            place  = places[table]
            reads += [self.span(Region.TABLES, place.first, place.first + place.entries),
                      self.span(Region.PLACES, 2 * table.value, 2 * table.value + 2)]
        return join(reads), join(writes)

    def _rows(self, memory, first, last):
        """Slice for rows ``first`` to ``last`` of X or Y."""
        row = self._config.lanes * (1 if memory is Memory.X else self._config.ways)
        return self.span(REGION_OF[memory], row * first, row * (last + 1))


def join(slices):
    """Join slices to the fewest slices with the same words, in ascending order."""
    joined = []
    for each in sorted({(part.start, part.stop) for part in slices}):
        if joined and each[0] <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], each[1])
        else:
            joined.append(list(each))
    return [slice(*each) for each in joined]
