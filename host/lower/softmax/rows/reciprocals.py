# SPDX-License-Identifier: Apache-2.0
"""Reciprocals of 32-bit sums held in lanes, rounded as in ``host.ir.exponential``.

A 32-bit number is two signed words, ``2**16 * upper + lower``. With ``y`` in Y and ``x`` in X,
their high product ``(x*y + c) >> 31`` is::

    2 * x1*y1 + (x1*y0 + x0*y1 + (x0*y0 + c >> 16) >> 15)

Lanes hold the bracketed terms, which therefore take no words. ``G`` is half the sum, shifted left
until its leading bit is bit 31, negative. ``x`` converges to the reciprocal, Q2.29. Source:
gemmlowp, fixedpoint/fixedpoint.h, ``one_over_one_plus_x_for_x_in_0_1``:

1. ``x = 48/17 + high(G, 32/17)``, the reciprocal's linear approximation.
2. Three times ``E = 2**29 + high(G, x)`` and ``x = x + 4 * high(x, E)``. Between the two words of a
   number, passes wait: the upper word is written, then the lanes subtract it.
3. ``2 * x``, at most ``2**31 - 1``, goes to the records of the pass multiplying by it.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Pass, RoundMode, bias_rows
from xymac.host.lower.relative import Area, RelativeAccess

from .exact_tables import LOWEST_BITS
from .planes import WIDE, RowWords

__all__ = ["Reciprocals"]

_LINE  = 1515870810, 1010580540  #: 48/17 and 32/17, Q2.29.
_STEPS = 3                       #: Steps of Newton's method.
_HALF  = 1 << 30                 #: Rounding addend of a high product.
_UNIT, _WORD, _TOP = 1 << 14, 1 << 15, (1 << 15) - 1

#: A row's tiles in X. ``_X0`` and ``_X1`` begin with the line's slope; tiles from there to
#: ``_OFFSET`` with constants: 2**14, -2**15, 1, 2**15 - 1.
_X0, _X1, _KUNIT, _KWORD, _KONE, _OFFSET, _S1, _S0, _TILES = range(9)
#: A row's words in Y: ``G``, 2**14, ``E``; then the parts of a power of two and of a shift.
_G0, _G1, _Y_UNIT, _E1, _E0, _POWERS = range(6)


def _words_of(number):
    """Upper and lower word."""
    upper = number + _WORD >> 16
    return upper, number - (upper << 16)


class Reciprocals:
    """Passes for ``count`` rows, each in its own lane entry, and the records they write.

    Parameters
    ----------
    tables : ExactTables
    count : int
    of_sums : function that takes fields and returns a Pass on the held sums
    space : Workspace

    Attributes
    ----------
    record : int, row of the first record for the first row
    """

    def __init__(self, tables, count, of_sums, space):
        self._tables, self._count, self._of_sums, self._space = tables, count, of_sums, space
        self._lanes = BANKS * space.ways
        parts = len(tables.powers)
        self._posts = _POWERS + parts
        self._words = RowWords(space, (0, 0, _UNIT, 0, 0, *[0] * (2 * parts)), count)
        self._tiles = space.in_x(_TILES * count)
        self._first = self._every((*_words_of(_LINE[1])[::-1], _UNIT, -_WORD, 1, _TOP))
        self._halves = self._records(_HALF), self._records(_HALF - 1)
        self.record  = space.records(*(np.zeros(self._lanes * count, np.int64),) * 2)
        self._zero   = space.word(0)
        self._take   = space.word(-_WORD)
        #: Factors that join both words of a number, once and twice.
        self._join = replace(space.word(_UNIT, 1, *[_UNIT, 0] * 3), taps=(0, 2, 1))

    def make(self, *, loop):
        """All passes; with ``loop`` the Newton steps are a program loop."""
        step = [*self._find_error(), *self._correct()]
        if loop:
            step[-1] = replace(step[-1], back=len(step) - 1, repeat=_STEPS - 1)
        else:
            step *= _STEPS
        return [self._write_constants(), *self._look_up(), *self._split(), *self._normalise(),
                *self._begin(), *step, *self._finish()]

    def _records(self, bias):
        return self._space.records(np.full(self._lanes * self._count, bias))

    def _every(self, values):
        """First bias row, a tile for each of ``values``."""
        return self._space.records(np.repeat(np.array(values, np.int64), self._lanes))

    def _x(self, index, *taps):
        """Access to tile ``index`` of every row; innermost tap strides, in tiles."""
        strides = (0,) * (3 - len(taps)) + tuple(tap * BANKS for tap in taps)
        access  = self._tiles.groups(index)
        return replace(access, outer=(_TILES * BANKS, 0, 0), taps=strides)

    def _y(self, index, *taps):
        return self._words.read(index, (0,) * (3 - len(taps)) + taps)

    def _pass(self, x, y, *counts, **fields):
        """Pass over all rows, with innermost tap counts ``counts``."""
        return Pass(**WIDE | {"outer": (self._count, 1, 1), "x": x, "y": y, "z": self._x(_S0),
                              "taps": (1,) * (3 - len(counts)) + counts} | fields)

    def _hold(self, *operands, **fields):
        return self._pass(*operands, hold=True, **fields)

    def _resume(self, *operands, **fields):
        return self._pass(*operands, resume=True, **fields)

    def _write_constants(self):
        z = self._tiles.groups(_X0)
        return Pass(**WIDE | {
            "outer": (_OFFSET + 1, self._count, 1), "x": replace(self._x(_S1), outer=(0, 0, 0)),
            "y": self._zero, "bias_row": self._first,
            "z": replace(z, outer=(BANKS, _TILES * BANKS, 0))})

    def _look_up(self):
        """Passes looking up power-of-two factors and shifts for the held sums."""
        for start, parts in ((_POWERS, self._tables.powers), (self._posts, self._tables.posts)):
            for index, part in enumerate(parts):
                yield self._of_sums(shift=part.shift, clip=(0, part.most),
                                    table=self._space.table(part.own),
                                    **self._words.write(start + index))

    def _split(self):
        """Passes writing the sum words, the upper word minus ``_TOP``, and the shifts."""
        yield self._of_sums(shift=16, rounding=RoundMode.UP, clip=(0, 2 * _TOP), zero=-_TOP,
                            z=self._x(_S1))
        yield self._pass(self._x(_KONE, 0), self._y(self._posts, 1), len(self._tables.posts),
                         **self._record_word(2))
        yield self._of_sums(x=self._x(_S1, 0, -1), y=self._take, taps=(1, 2, 2), z=self._x(_S0))

    def _normalise(self):
        """Passes writing ``G``."""
        parts = len(self._tables.powers)
        power = self._y(_POWERS, 1, 0)
        yield self._hold(self._x(_S1, 0, -1), power, parts, 2, shift=-8)
        yield self._resume(self._x(_X0), self._zero, hold=True, shift=-8)
        yield self._resume(self._x(_S0), self._y(_POWERS, 1), parts, hold=True, shift=1,
                           rounding=RoundMode.UP)
        yield self._resume(self._x(_X0), self._zero, shift=16, rounding=RoundMode.UP,
                           **self._words.write(_G1))
        yield self._resume(self._x(_KWORD), self._y(_G1, 0), 2, **self._words.write(_G0))

    def _multiply(self, y1, y0, bias_row):
        """Passes holding the high product of ``x`` and a number in Y, without the upper words'
        product.
        """
        yield self._hold(self._x(_X0), self._y(y0), shift=16, bias_row=bias_row)
        yield self._resume(self._x(_X1, _X0 - _X1), self._y(y0, y1 - y0), 2, hold=True, shift=15)

    def _begin(self):
        yield from self._multiply(_G1, _G0, self._halves[0])
        yield self._resume(self._x(_X1, 0), self._y(_G1, 0), 2, hold=True)
        # The line constant has more bits than two words.
        units, ones = divmod(_LINE[0], _UNIT)
        third = units // 3
        line  = self._space.word(third, ones, third, 0, units - 2 * third, 0)
        yield self._resume(self._x(_KUNIT, 0, _KONE - _KUNIT), replace(line, taps=(0, 2, 1)), 3, 2,
                           hold=True)
        yield from self._write_x()

    def _write_x(self):
        """Passes writing both words of the held number."""
        yield self._resume(self._x(_X0), self._zero, shift=16, rounding=RoundMode.UP,
                           z=self._x(_X1))
        yield self._resume(self._x(_X1, 0), replace(self._take, taps=(0, 0, 0)), 2,
                           z=self._x(_X0))

    def _find_error(self):
        """Passes writing ``E``."""
        yield from self._multiply(_G1, _G0, self._halves[1])
        # 2 * (G1*x1 + 2**28), minus its upper word.
        yield self._resume(self._x(_X1, 0, 1), self._y(_G1, 0, 1), 2, 2, shift=16,
                           rounding=RoundMode.UP, **self._words.write(_E1))
        yield self._resume(self._x(_X1, 0, 1), self._y(_G1, 0, 1), 2, 3, **self._words.write(_E0))

    def _correct(self):
        yield from self._multiply(_E1, _E0, self._halves[0])
        yield self._resume(self._x(_X1, 0), self._y(_E1, 0), 2, hold=True, shift=-2)
        yield self._resume(self._x(_X1, 0, _X0 - _X1), self._join, 4, 2, hold=True)
        yield from self._write_x()

    def _finish(self):
        """Passes writing the reciprocals to the records."""
        yield self._hold(self._x(_X1, 0, _X0 - _X1), self._join, 4, 2, shift=-1)
        yield self._resume(self._x(_X0), self._zero, shift=16, clip=(0, _TOP),
                           **self._record_word(1))
        yield self._resume(self._x(_KWORD), self._read_record(1), 2, clip=(0, (1 << 16) - 1),
                           table=self._space.table(LOWEST_BITS), table_shift=15,
                           table_rounding=RoundMode.FLOOR, **self._record_word(0))

    def _place(self, index):
        """Address in Y, by lanes from the first record row, of word ``index`` in the first record,
        and the distance to the same word for the next row. Rows of a record go down.
        """
        ways, rows = self._space.ways, bias_rows(self._space.ways)
        return (self.record + rows - 1 - index // ways) * ways + index % ways, 2 * rows * ways

    def _read_record(self, index):
        word, step = self._place(index)
        return RelativeAccess(word, word, word + (self._count - 1) * step, (step, 0, 0),
                              area=Area.RECORDS, row_units=self._space.ways)

    def _record_word(self, index):
        """Fields for a pass writing word ``index`` of the records."""
        word, step = self._place(index)
        z = self._space.in_records(0, word, (self._count - 1) * step + 1).groups(0)
        z = replace(z, base=z.low, outer=(step * BANKS, 0, 0))
        return {"z": z, "z_memory": self._space.in_records(0, 0).memory}
