# SPDX-License-Identifier: Apache-2.0
"""Passes for a softmax over a block of byte rows.

1. All lanes find each row's largest element, see ``row_maxima``.
2. The differences from the largest element index ``ShareTables``; lookups write X planes.
3. All lanes add up the row exponentials, ``S``, and hold the sum. They look up its inverse,
   and write the negative sum without its lowest 14 bits.
4. With it they write the remaining low bits. ``coarse`` times the inverse is the quotient of limit
   and ``S``, or 1 more.
5. A table holds the limit correction for that quotient.
6. The limit minus the quotient times ``S`` is negative if the quotient is 1 too large. Its
   magnitude is below ``2**28``. It is added to the quotient times ``2**28``; divided by ``2**29``
   and rounded half up, the result is half the correct quotient rounded up, which is the softmax
   output.
"""

from dataclasses import replace

from xymac.hdl.isa import BANKS, HELD, Pass, RoundMode, Width
from xymac.host.lower.relative import Area, RelativeAccess

from .planes import WIDE, RowWords
from .row_block import SHORT, RowBlock
from .row_maxima import HIGHEST, LOWEST
from .share_tables import COARSE_BITS, FINE_BITS, QUOTIENT_BITS

__all__ = ["ShareBlock"]

_UPPER_BITS = 14  #: Bits of a sum above ``COARSE_BITS`` bits.

#: Planes. The optional correction plane and the quotient plane follow ``_REST``.
_ROWS, _FINE, _COARSE, _REST = range(4)

class ShareBlock(RowBlock):
    """Passes over the first ``count`` input rows, and their workspace.

    Parameters
    ----------
    tables : ShareTables
    source, target, count, space : see ``RowBlock``
    """

    def __init__(self, tables, source, target, count, space):
        corrects = tables.corrections is not None
        self._tables, self._quotient = tables, _REST + 1 + corrects
        super().__init__(source, target, count, self._quotient + 1, space)
        # Words of a row: its limit factors, then -lower, 2**14 - upper, inverses.
        factors = 1 << COARSE_BITS, 1, *[1] * corrects
        self._lower = len(factors)
        self._words = RowWords(space, factors + (0,) * (2 + len(tables.inverses)), count)

    def make(self):
        """All passes, which count from the first row."""
        return [*self._maxima.make(), *self._look_up_all(), *self._add_up(), self._divide(),
                self._write_lower(), *self._correct(), *self._compare()]

    def _look_up_all(self):
        """Passes looking up the differences in all tables and writing planes."""
        tables = self._tables
        return self._look_up({_FINE: tables.fine, _COARSE: tables.coarse, _REST: tables.rest,
                              _ROWS: tables.rows}, tables.clip)

    def _add_up(self):
        """Passes holding the negative row sums, and writing the values derived from them."""
        yield self._hold_sums(_FINE, (-1, -1 << FINE_BITS))
        for index, inverse in enumerate(self._tables.inverses):
            yield self._of_sums(**self._words.write(self._lower + 2 + index), shift=inverse.shift,
                                clip=inverse.clip, table=self._space.table(inverse.own),
                                table_shift=inverse.table_shift, table_rounding=RoundMode.FLOOR)
        yield self._of_sums(**self._words.write(self._lower + 1), shift=COARSE_BITS,
                            clip=(-1 << _UPPER_BITS, 0), zero=1 << _UPPER_BITS)
        yield self._of_sums(x=self._planes.access(_FINE), shift=COARSE_BITS,
                            z=replace(self._upper, outer=(BANKS, 0, 0)))

    def _write_lower(self):
        """Pass writing the low sum bits."""
        return self._of_sums(x=replace(self._upper, outer=(BANKS, 0, 0)),
                             y=self._space.word(-1 << COARSE_BITS),
                             **self._words.write(self._lower))

    def _divide(self):
        """Pass writing the quotients."""
        count    = len(self._tables.inverses)
        inverses = self._words.read(self._lower + 2, (0, 0, int(count > 1)))
        return self._by_tiles(_COARSE, 1, self._quotient, y=inverses, taps=(1, 1, count),
                              shift=QUOTIENT_BITS)

    def _correct(self):
        """Pass looking up limit corrections, indexed by correction start plus quotient."""
        own = self._tables.corrections
        if own is not None:
            apart = (self._quotient - _ROWS) * self._planes.size
            yield self._by_tiles(_ROWS, self._quotient + 1, _REST + 1, apart, y=self._one,
                                 taps=(1, 1, 2), shift=1, rounding=RoundMode.UP,
                                 clip=(0, len(own.values)), table=self._space.table(own))

    def _by_tiles(self, index, count, to, apart=0, **fields):
        """Pass over all tiles of all plane rows.

        Outputs past the end of a row are overwritten by the next row.
        """
        outer = self._pitch, 0, BANKS * (self._tiles > 1)
        return Pass(**WIDE | {
            "outer": (self._count, 1, self._tiles), "z": self._planes.access(to, outer=outer),
            "x": self._planes.access(index, count, outer=outer, taps=(0, 0, apart))} | fields)

    def _compare(self):
        """Passes writing the output, by a tile of every row or by the row tiles."""
        if self._count > 1 and self._tiles <= SHORT:
            for tile in range(self._tiles):
                yield from self._compare_tiles(self._count, None, tile)
            return
        for row in range(self._count):
            for first in range(0, self._tiles, HELD):
                yield from self._compare_tiles(min(HELD, self._tiles - first), row, first)

    def _compare_tiles(self, count, row, first):
        """Passes writing the output for ``count`` row tiles from ``first``, or, if ``row`` is None,
        for tile ``first`` of every row.
        """
        step, apart = (self._pitch, self._target.distance) if row is None else (BANKS, BANKS)
        start = [distance * (row or 0) + first * BANKS
                 for distance in (self._pitch, self._target.distance)]
        parts = self._quotient + 1 - _COARSE
        yield Pass(**WIDE | {
            "outer": (count, 1, 1), "hold": True, "z": self._upper, "shift": -COARSE_BITS,
            "x": self._planes.access(self._quotient, offset=start[0],
                                     outer=(step * (count > 1), 0, 0)),
            "y": self._words.read(self._lower + 1, row=row)})
        for entry, tiles, beats in self._parts(count, row, first):
            x, z = (begin + entry * distance
                    for begin, distance in zip(start, (step, apart), strict=True))
            yield Pass(**WIDE | {
                "outer": (tiles, 1, 1), "taps": (1, 1, parts), "resume": True, "entry": entry,
                "x": self._planes.access(_COARSE, parts, x, outer=(step * (tiles > 1), 0, 0),
                                         taps=(0, 0, self._planes.size)),
                "y": self._words.read(0, (0, 0, 1), row), "beats": beats,
                "shift": COARSE_BITS + _UPPER_BITS + 1,
                "z": RelativeAccess.to(self._target, Area.TARGET, offset=z,
                                       outer=(apart * (tiles > 1), 0, 0)),
                "z_width": Width.BITS8, "rounding": RoundMode.UP, "clip": (0, HIGHEST - LOWEST),
                "zero": LOWEST})

    def _parts(self, count, row, first):
        """(entry, tiles, beats) for passes over the ``_compare_tiles`` entries."""
        last = (self._pitch - 1) % BANKS + 1
        ends = first + (1 if row is None else count) == self._tiles
        if not ends or last == BANKS:
            return [(0, count, BANKS)]
        if row is None:
            return [(0, count, last)]
        return [(0, count - 1, BANKS)] * (count > 1) + [(count - 1, 1, last)]
