# SPDX-License-Identifier: Apache-2.0
"""Passes for a softmax over a block of short byte rows.

Like ``share_passes``, with ``ShortTables``. The ``coarse`` sum and the ``fine`` sum fit words
directly, so no sum ``S`` is held and passes wait less:

1. All lanes find each row's largest element, see ``row_maxima``.
2. The differences from the largest element index ``ShortTables``; lookups write X planes.
3. All lanes look up the inverse of ``S``, and write the sums for both ``S`` parts.
4. ``coarse`` times the inverse is the quotient ``q`` of limit and ``S``, or 1 more; negative.
5. A table holds the limit correction for that quotient. The same product with one bit less indexes
   it, so no pass waits for the quotient.
6. The sum of ``2**TOP * q`` and the limit minus ``q * S``, divided by ``2**(TOP + 1)`` and rounded
   half up, is the softmax output: see ``share_passes``. Terms with a factor of ``2**FINE`` are held
   first.
"""

import numpy as np

from xymac.hdl.isa import BANKS, Pass, RoundMode, Shape, Width
from xymac.host.lower.relative import Area, RelativeAccess

from .planes import WIDE, RowWords
from .row_block import RowBlock
from .row_maxima import HIGHEST, LOWEST
from .share_tables import ShortTables

__all__ = ["ShortBlock"]

#: Planes. The optional correction plane and the quotient plane follow ``_REST``.
_ROWS, _FINE, _COARSE, _REST = range(4)
_HALF  = 1 << 15
_FINE_BITS, _BITS, _TOP = ShortTables.FINE, ShortTables.BITS, ShortTables.TOP


class ShortBlock(RowBlock):
    """Passes over the first ``count`` input rows, and their workspace.

    Parameters
    ----------
    tables : ShortTables
    source, target, count, space : see ``RowBlock``
    """

    def __init__(self, tables, source, target, count, space):
        corrects = tables.corrections is not None
        self._tables, self._quotient = tables, _REST + 1 + corrects
        super().__init__(source, target, count, self._quotient + 1, space)
        # Words of a row: factors of ``coarse``, and two of the quotient; then factors of ``rest``,
        # corrections and the quotient; and that of ``rows``, and the inverse. With several ways,
        # each has a row of Y.
        coarse, ways = -1 << _BITS - _FINE_BITS, space.ways
        upper = [coarse, 0, 0, -_HALF]
        if ways > 1:
            upper = [coarse, *[0] * ways, -_HALF, *[0] * (ways - 2)]
        self._upper_word, self._factors = (ways, 2 * ways) if ways > 1 else (1, 4)
        self._lower   = self._factors + 1 + corrects
        self._inverse = self._lower + 1 + corrects
        self._words   = RowWords(space, (
            *upper, 1, *[1] * corrects, 0, *[ShortTables.ROW_FACTOR] * corrects, 0), count)
        self._bias = space.records((1 << ShortTables.QUOTIENT) - 1 - ShortTables.GUESS)

    def make(self):
        """All passes, which count from the first row."""
        tables = self._tables
        rest   = [*self._look_up({_REST: tables.rest}, tables.clip)]
        rows   = [*self._look_up({_ROWS: tables.rows}, tables.clip)]
        passes = [*self._maxima.make(),
                  *self._look_up({_FINE: tables.fine, _COARSE: tables.coarse}, tables.clip)]
        # Passes without a successor close behind fill the waits of the few passes in flight.
        if not rows:
            passes += [self._invert(), *rest, self._divide(), self._write_sums()]
        elif self._count == 1:
            passes += [*rest, self._write_sums(), self._invert(), *rows, self._divide(),
                       *self._correct()]
        else:
            passes += [*rows, self._invert(), self._write_sums(), self._divide(), *rest,
                       *self._correct()]
        for tile in range(self._tiles):
            passes += self._compare(tile)
        return passes

    def _invert(self):
        """Pass writing the inverses."""
        [inverse] = self._tables.inverses
        return self._sum_rows(
            _FINE, (-1, 1 << _FINE_BITS), **self._words.write(self._inverse), shift=inverse.shift,
            clip=inverse.clip, table=self._space.table(inverse.own),
            table_shift=inverse.table_shift, table_rounding=RoundMode.FLOOR)

    def _write_sums(self):
        """Pass writing the ``fine`` sum, and the ``coarse`` sum's offset from ``2**TOP``."""
        lanes = BANKS * self._space.ways
        row   = self._space.records(np.repeat(np.array([0, -_HALF], np.int64), lanes))
        return self._sum_rows(_FINE, (1, -1), apart=True, bias_row=row,
                              **self._words.write(self._lower, self._upper_word))

    def _by_tiles(self, index, to, **fields):
        """Pass over all tiles of all plane rows: ``coarse`` times the inverse, or, from the plane
        ``_ROWS``, that product plus the row's term.

        Outputs past the end of a row are overwritten by the next row.
        """
        outer, count = (0, self._pitch, BANKS * (self._tiles > 1)), _COARSE - index
        steps = 1 if count else 0
        return Pass(**WIDE | {
            "outer": (1, self._count, self._tiles), "taps": (1, 1, 1 + steps),
            "z": self._planes.access(to, outer=outer), "bias_row": self._bias,
            "x": self._planes.access(index, count + 1, outer=outer,
                                     taps=(0, 0, count * self._planes.size)),
            "y": self._words.read(self._inverse - steps, (0, 0, steps), loop=1)} | fields)

    def _divide(self):
        """Pass writing the quotients, negative."""
        return self._by_tiles(_COARSE, self._quotient, shift=ShortTables.QUOTIENT)

    def _correct(self):
        """Pass looking up limit corrections, indexed by correction start and quotient."""
        own = self._tables.corrections
        if own is not None:
            yield self._by_tiles(_ROWS, _REST + 1, shift=ShortTables.QUOTIENT + 1,
                                 clip=(-len(own.values), 0), table=self._space.table(own))

    def _compare(self, tile):
        """Passes writing the output tile ``tile`` of every row."""
        first, size = tile * BANKS, self._planes.size
        parts = self._quotient + 1 - _REST
        loops = {"outer": (self._pitch, 0, 0)}
        yield Pass(**WIDE | {
            "outer": (self._count, 1, 1), "hold": True, "z": self._upper, "shift": -_FINE_BITS,
            "x": self._planes.access(_COARSE, parts + 1, first, **loops,
                                     taps=(0, 0, parts * size))} | self._by_factors())
        yield Pass(**WIDE | {
            "outer": (self._count, 1, 1), "resume": True, "taps": (1, 1, parts),
            "x": self._planes.access(_REST, parts, first, **loops, taps=(0, 0, size)),
            "y": self._words.read(self._factors, (0, 0, 1)),
            "beats": min(BANKS, self._pitch - first),
            "shift": _TOP + 1, "rounding": RoundMode.UP, "clip": (0, HIGHEST - LOWEST),
            "zero": LOWEST, "z_width": Width.BITS8,
            "z": RelativeAccess.to(self._target, Area.TARGET, offset=first,
                                   outer=(self._target.distance, 0, 0))})

    def _by_factors(self):
        """Fields for a pass multiplying ``coarse`` and the quotient by their factors."""
        if self._space.ways > 1:
            return {"taps": (1, 1, 2), "y": self._words.rows(0, (0, 0, 1)), "y_shape": Shape.VECTOR}
        return {"taps": (1, 2, 2), "y": self._words.read(0, (0, 2, 1))}
