# SPDX-License-Identifier: Apache-2.0
"""Workspace of a softmax: 16-bit element planes in X, and Y words written by passes."""

from dataclasses import dataclass

from xymac.hdl.isa import BANKS, AccumulatorRange, Memory, RoundMode, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.lower.relative import Area, RelativeAccess

__all__ = ["WIDE", "Planes", "RowWords"]

#: Fields of a pass whose operands and results have 16 bits, one a lane.
WIDE = {"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
        "y_width": Width.BITS16, "z_width": Width.BITS16, "rounding": RoundMode.FLOOR,
        "clip": container_clip(16), "acc_range": AccumulatorRange.BITS40}


@dataclass(frozen=True)
class Planes:
    """16-bit element planes in X with the input's row layout; each begins at a full X row.

    Parameters
    ----------
    row : int, first row, counted from the vectors' first row
    size : int, vectors per plane
    """

    row:  int
    size: int

    @classmethod
    def reserve(cls, space, groups, count):
        """``count`` planes with ``groups`` vectors each, padded so that a tile may extend past the
        last vector.
        """
        size = -(-(groups + BANKS - 1) // BANKS) * BANKS
        return cls(space.in_x(count * size // BANKS).low // BANKS, size)

    def access(self, index, count=1, offset=0, **loops):
        """Access to ``count`` planes from plane ``index`` on."""
        low = self.row * BANKS + index * self.size
        return RelativeAccess(low + offset, low, low + count * self.size - 1, **loops,
                              area=Area.VECTORS, row_units=BANKS)


class RowWords:
    """Y words shared by all lanes, an equal number for each softmax row (outermost loop index).

    They have separate Y rows, because passes write them.

    Parameters
    ----------
    space : Workspace
    values : tuple of int, initial row words
    count : int, rows
    """

    def __init__(self, space, values, count):
        self._ways  = space.ways
        self._width = len(values) + -len(values) % self._ways
        words = [*values, *[0] * (self._width - len(values))] * count
        low   = space.rows(words).low * self._ways
        self._access = RelativeAccess(low, low, low + len(words) - 1, area=Area.WORDS,
                                      row_units=self._ways)

    def read(self, index, taps=(0, 0, 0), row=None, loop=0):
        """Access to word ``index`` and the following words.

        The access covers all softmax rows, by an output loop, or a single row.
        """
        low   = self._access.low
        outer = [0, 0, 0]
        if row is None:
            outer[loop] = self._width
        return RelativeAccess(low + index + self._width * (row or 0), low, self._access.high,
                              tuple(outer), taps, area=Area.WORDS, row_units=self._ways)

    def rows(self, index, taps):
        """Access to the Y row that begins with word ``index`` of every row, an outermost index
        each, and to rows behind it, so that elements meet a word a way."""
        low, high = (address // self._ways for address in (self._access.low, self._access.high))
        return RelativeAccess(low + index // self._ways, low, high,
                              (self._width // self._ways, 0, 0), taps, area=Area.WORDS)

    def write(self, index, other=None):
        """Fields for a pass writing word ``index`` of every row, an outermost index each; with
        ``other`` that word, too: rows are the second loop then."""
        low, step = self._access.low * BANKS, self._width * BANKS
        outer = (step, 0, 0) if other is None else ((other - index) * BANKS, step, 0)
        z     = RelativeAccess(low + index * BANKS, low, (self._access.high + 1) * BANKS - 1,
                               outer=outer, area=Area.WORDS, row_units=self._ways * BANKS)
        return {"z": z, "z_memory": Memory.Y}
