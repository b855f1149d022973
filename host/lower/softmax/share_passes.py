"""The passes of a softmax of TensorFlow Lite over some rows of bytes.

1. All lanes find the largest element of each row, see ``row_maxima``.
2. Elements less that one look up what ``ShareTables`` have by differences, into planes of X.
3. All lanes add up the exponentials of a row, ``S``, and keep it; they look up its inverse, and
   write it without its lowest 14 bits, negative.
4. By that they write what is left of it; and ``coarse`` times the inverse is the quotient of limit
   and ``S``, or 1 more.
5. A table has how much more the limit is for that quotient.
6. The limit less the quotient times ``S`` is below 0 if the quotient is 1 more. It is less than
   ``2**28`` in size: the quotient times ``2**28`` with it added, divided by ``2**29`` and rounded,
   halves up, is half of the right quotient rounded up, and that is the share.
"""

from dataclasses import dataclass, replace

import numpy as np

from hdl.isa import BANKS, HELD, AccumulatorRange, Memory, Pass, RoundMode, Shape, Width
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip

from .row_maxima import HIGHEST, LOWEST, RowMaxima
from .share_tables import COARSE_BITS, FINE_BITS, QUOTIENT_BITS

__all__ = ["ShareBlock", "rows_of_block"]

_UPPER_BITS = 14  #: Of a sum, above ``COARSE_BITS`` bits.
_SHORT      = 4   #: Tiles of a row up to which all rows are met tile by tile.


def rows_of_block(source):
    """Most rows, runs of a TensorLayout, of a block: what is held of many needs few passes."""
    tiles = -(-source.pitch // BANKS)
    return HELD if tiles <= _SHORT else max(1, _SHORT // -(-tiles // HELD))


#: Planes. Behind ``_REST`` there are those of corrections, if there are any, and of the quotient.
_ROWS, _FINE, _COARSE, _REST = range(4)

_WIDE = {"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
         "y_width": Width.BITS16, "z_width": Width.BITS16, "rounding": RoundMode.FLOOR,
         "clip": container_clip(16), "acc_range": AccumulatorRange.BITS40}


@dataclass(frozen=True)
class _Planes:
    """Planes of 16-bit elements in X, each like the rows of the input, at whole rows of X.

    Parameters
    ----------
    row : int, of the first one, from the first row of the vectors on
    size : int, groups of a plane
    """

    row:  int
    size: int

    def access(self, index, count=1, offset=0, **loops):
        """Access to ``count`` planes from one on."""
        low = self.row * BANKS + index * self.size
        return RelativeAccess(low + offset, low, low + count * self.size - 1, **loops,
                              area=Area.VECTORS, row_units=BANKS)


def _whole_rows(space, values):
    """Access to words, as of ``Workspace.word``, in rows without others: passes write to them."""
    ways = space.ways
    low  = space.rows([*values, *[0] * (-len(values) % ways)]).low * ways
    return RelativeAccess(low, low, low + len(values) - 1, area=Area.WORDS, row_units=ways)


class ShareBlock:
    """Passes over the first ``count`` rows of the input, and what they work on.

    Parameters
    ----------
    tables : ShareTables
    source, target : TensorLayouts, not placed
    count : int
    space : Workspace
    """

    def __init__(self, tables, source, target, count, space):
        self._tables, self._target, self._count, self._space = tables, target, count, space
        self._pitch, self._tiles = source.pitch, -(-source.pitch // BANKS)
        corrects = tables.corrections is not None
        self._quotient = _REST + 1 + corrects
        # A tile that is not full goes on behind its row.
        size   = -(-(count * self._pitch + BANKS - 1) // BANKS) * BANKS
        planes = space.in_x((self._quotient + 1) * size // BANKS)
        self._planes = _Planes(planes.low // BANKS, size)
        self._upper, partial = (replace(space.in_x(count).groups(0), outer=(0, 0, 0))
                                for _ in range(2))
        self._maxima = RowMaxima(source, count, partial, space)
        self._elements = sum(source.parts)
        # Of a row: the factors of its limit, then -lower, 2**14 - upper, inverses.
        factors = 1 << COARSE_BITS, 1, *[1] * corrects
        self._lower = len(factors)
        self._width = self._lower + 2 + len(tables.inverses)
        self._words = _whole_rows(space, (factors + (0,) * (self._width - self._lower)) * count)
        self._zero, self._one = space.word(0), space.word(1)

    def make(self):
        """All passes, which count from the first row."""
        return [*self._maxima.make(), *self._look_up(), *self._add_up(), self._divide(),
                self._write_lower(), *self._correct(), *self._compare()]

    def _word(self, index, count=1, row=None):
        """Access to ``count`` words, a tap each, of a row, or of every one, an outermost index."""
        start = self._words.base + index + self._width * (row or 0)
        return replace(self._words, base=start, taps=(0, 0, int(count > 1)),
                       outer=(self._width if row is None else 0, 0, 0))

    def _writes_word(self, index):
        """Fields of a pass that writes a word of every row, an outermost index each."""
        low = self._words.low * BANKS
        z   = RelativeAccess(low + index * BANKS, low, (self._words.high + 1) * BANKS - 1,
                             outer=(self._width * BANKS, 0, 0), area=Area.WORDS,
                             row_units=self._space.ways * BANKS)
        return {"z": z, "z_memory": Memory.Y}

    def _look_up(self):
        """Passes that write planes of what tables have by differences."""
        wanted = {_FINE: self._tables.fine, _COARSE: self._tables.coarse, _REST: self._tables.rest,
                  _ROWS: self._tables.rows}
        for index, own in wanted.items():
            for tiles, beats, first, fields in self._maxima.spans if own else ():
                step = BANKS * (tiles > 1)
                yield Pass(**_WIDE | fields | {
                    "x": self._maxima.input(first, step), "x_width": Width.BITS8,
                    "y": self._one, "outer": (self._count, 1, tiles), "beats": beats,
                    "z": self._planes.access(index, offset=first, outer=(self._pitch, 0, step)),
                    "clip": self._tables.clip, "table": self._space.table(own)})

    def _add_up(self):
        """Passes that keep the sum of every row, negative, and write what follows from it."""
        ways    = self._space.ways
        masked  = self._maxima.is_direct and self._elements % ways
        inside  = np.arange(self._pitch * ways if masked else ways) < self._elements
        weights = self._space.rows(np.concatenate([-1 * inside, (-1 << FINE_BITS) * inside]))
        y = replace(weights, taps=(0, self._pitch, 1) if masked else (0, 1, 0))
        x = self._planes.access(_FINE, 2, outer=(self._pitch, 0, 0),
                                taps=(0, self._planes.size, 1))
        yield Pass(**_WIDE | {
            "x": x, "x_shape": Shape.VECTOR, "y": y,
            "y_shape": Shape.VECTOR, "outer": (self._count, 1, 1), "taps": (1, 2, self._pitch),
            "hold": True, "z": self._upper})
        for index, inverse in enumerate(self._tables.inverses):
            yield self._of_sums(**self._writes_word(self._lower + 2 + index), shift=inverse.shift,
                                clip=inverse.clip, table=self._space.table(inverse.own),
                                table_shift=inverse.table_shift, table_rounding=RoundMode.FLOOR)
        yield self._of_sums(**self._writes_word(self._lower + 1), shift=COARSE_BITS,
                            clip=(-1 << _UPPER_BITS, 0), zero=1 << _UPPER_BITS)
        yield self._of_sums(z=replace(self._upper, outer=(BANKS, 0, 0)), shift=COARSE_BITS)

    def _of_sums(self, **fields):
        """Pass that writes something of the sum of every row."""
        return Pass(**_WIDE | {"x": self._upper, "y": self._zero, "resume": True,
                               "outer": (self._count, 1, 1)} | fields)

    def _write_lower(self):
        """Pass that writes what is left of the sums."""
        return self._of_sums(x=replace(self._upper, outer=(BANKS, 0, 0)),
                             y=self._space.word(-1 << COARSE_BITS),
                             **self._writes_word(self._lower))

    def _divide(self):
        """Pass that writes the quotients."""
        count = len(self._tables.inverses)
        return self._by_tiles(_COARSE, 1, self._quotient, y=self._word(self._lower + 2, count),
                              taps=(1, 1, count), shift=QUOTIENT_BITS)

    def _correct(self):
        """Pass that looks up what limits are more, by where corrections begin and quotients."""
        own = self._tables.corrections
        if own is not None:
            apart = (self._quotient - _ROWS) * self._planes.size
            yield self._by_tiles(_ROWS, self._quotient + 1, _REST + 1, apart, y=self._one,
                                 taps=(1, 1, 2), shift=1, rounding=RoundMode.UP,
                                 clip=(0, len(own.values)), table=self._space.table(own))

    def _by_tiles(self, index, count, to, apart=0, **fields):
        """Pass over all tiles of all rows of planes. What it writes behind a row that of the next
        row takes the place of."""
        outer = self._pitch, 0, BANKS * (self._tiles > 1)
        return Pass(**_WIDE | {
            "outer": (self._count, 1, self._tiles), "z": self._planes.access(to, outer=outer),
            "x": self._planes.access(index, count, outer=outer, taps=(0, 0, apart))} | fields)

    def _compare(self):
        """Passes that write the output: a tile of every row, or the tiles of a row."""
        if self._count > 1 and self._tiles <= _SHORT:
            for tile in range(self._tiles):
                yield from self._compare_tiles(self._count, None, tile)
            return
        for row in range(self._count):
            for first in range(0, self._tiles, HELD):
                yield from self._compare_tiles(min(HELD, self._tiles - first), row, first)

    def _compare_tiles(self, count, row, first):
        """The same of a tile of every row, or of ``count`` tiles of a row, from a tile on."""
        step, apart = (self._pitch, self._target.distance) if row is None else (BANKS, BANKS)
        start = [distance * (row or 0) + first * BANKS
                 for distance in (self._pitch, self._target.distance)]
        parts = self._quotient + 1 - _COARSE
        yield Pass(**_WIDE | {
            "outer": (count, 1, 1), "hold": True, "z": self._upper, "shift": -COARSE_BITS,
            "x": self._planes.access(self._quotient, offset=start[0],
                                     outer=(step * (count > 1), 0, 0)),
            "y": self._word(self._lower + 1, row=row)})
        for entry, tiles, beats in self._parts(count, row, first):
            x, z = (begin + entry * distance
                    for begin, distance in zip(start, (step, apart), strict=True))
            yield Pass(**_WIDE | {
                "outer": (tiles, 1, 1), "taps": (1, 1, parts), "resume": True, "entry": entry,
                "x": self._planes.access(_COARSE, parts, x, outer=(step * (tiles > 1), 0, 0),
                                         taps=(0, 0, self._planes.size)),
                "y": self._word(0, parts, row), "beats": beats,
                "shift": COARSE_BITS + _UPPER_BITS + 1,
                "z": RelativeAccess.to(self._target, Area.TARGET, offset=z,
                                       outer=(apart * (tiles > 1), 0, 0)),
                "z_width": Width.BITS8, "rounding": RoundMode.UP, "clip": (0, HIGHEST - LOWEST),
                "zero": LOWEST})

    def _parts(self, count, row, first):
        """(entry, tiles, beats) of passes over the entries of ``_compare_tiles``."""
        last = (self._pitch - 1) % BANKS + 1
        ends = first + (1 if row is None else count) == self._tiles
        if not ends or last == BANKS:
            return [(0, count, BANKS)]
        if row is None:
            return [(0, count, last)]
        return [(0, count - 1, BANKS)] * (count > 1) + [(count - 1, 1, last)]
