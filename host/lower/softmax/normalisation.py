"""L2 normalisation of a run as passes.

All lanes hold the sum of squares S, for every element is also a factor in all of them. How often S
passes ``2**(2 * k + 13)`` says by how many pairs of bits it is to be shifted; passes write that
into the records of the passes that shift, so that the program is the same for all data.
"""

from dataclasses import replace

import numpy as np

from hdl.isa import (
    BANKS,
    TABLES,
    AccumulatorRange,
    Memory,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Table,
    Width,
)
from host.lower.products import first_record
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip, elementwise, sweep
from host.lower.table.mli2 import CODES
from host.memory.packing import width_of
from host.memory.tables import OwnTable

__all__ = ["HALF", "WORD", "Normalisation"]

_PAIRS    = 20     #: Pairs of bits that the sum can be shifted by, from 14 bits to the left on.
_LEAST    = 7      #: Of them are to the left, so many.
WORD      = 16
HALF      = 1 << WORD - 1
_SHORT    = 30     #: Bits of a right shift that leave a sum of 32 bits whole.
_ROOT_IN  = 8      #: Fractional bits of the argument of the table.


class Normalisation:
    """Passes over the elements of one sum."""

    def __init__(self, layer, x, source, target, space):
        self._source, self._space = source, space
        self._bits = source.bits, target.bits
        self._target = RelativeAccess.to(target, Area.TARGET)
        self._layer, self._mode, self._ways = layer, layer.build.rounding, space.ways
        self._zero = x.format.zero_point if x.is_affine else 0
        self._count, self._out = sum(source.parts), 7 if x.is_affine else x.bits - 1
        lanes = BANKS * self._ways
        self._all_ones = space.word(*[1] * self._ways)  # the first words are a row of Y
        self._factors  = space.in_y(source.pitch * self._ways)
        self._root, self._right = space.in_y(1), space.in_y(1)
        self._marks = space.in_x(-(-_PAIRS // lanes))
        self._low, self._high, self._sum, self._odd = (space.in_x(1) for _ in range(4))
        self._steps = space.records(first_record(1 << 15, 0, 0), 0)
        self._share = space.records(first_record(2, 0, 0), 0)

    def make(self):
        """All passes, their accesses relative."""
        even = self._mode is RoundMode.CONVERGENT
        tiles = -(-_PAIRS // (BANKS * self._ways))
        passes = [*self._copy_elements(),
                  self._sum_squares(z=self._marks.groups(0), bias_row=self._divide_records(),
                                    clip=(0, 1), outer=(tiles, 1, 1), scale=Scale.BITS32,
                                    rounding=RoundMode.FLOOR),
                  *self._write_shifts(), self._shift_sum(), *(self._make_even() if even else [])]
        return [*passes, *self._share_root(self._sum)]

    def _table(self):
        """Code of the table of the layer."""
        table = self._layer.table
        return CODES.get(table) or self._space.table(OwnTable(table.values, table.offset))

    def _share_root(self, *sums):
        """Passes that look up the root of a sum, that of tiles, and multiply by it."""
        root  = self._add(*sums, to=self._root, words=(1,) * len(sums), shift=1,
                          rounding=RoundMode.UP, bias_row=self._space.records(len(sums) * HALF),
                          clip=(0, HALF - 1), table=self._table(),
                          table_shift=_ROOT_IN - self._layer.table.frac_bits,
                          table_rounding=self._mode)
        word  = self._root.words(0)
        share = elementwise(*self._bits, x=self._access(),
                            y=replace(word, outer=(0, 0, 0)), y_width=Width.BITS16,
                            z=self._target, scale=Scale.BITS32, rounding=self._mode,
                            bias_row=self._share, x_zero=self._zero)
        return [root, *sweep(share, self._source.groups, (BANKS, 0, BANKS))]

    def _copy_elements(self):
        """Every element, less the zero point, in all lanes of Y; 0 for padding."""
        full, rest = divmod(self._count, self._ways)
        ways  = self._ways
        zeros = self._space.word(*[0] * ways)
        ones  = self._all_ones
        parts = [(0, (full, ways), ones, 0), (full, (1, rest), ones, 0),
                 (full, (1, ways - rest if rest else 0), zeros, rest)]
        for first, (groups, count), word, way in parts:
            if groups and count:
                z = self._factors.groups(first * ways + way)
                yield Pass(outer=(1, groups, count), y_shape=Shape.LANES,
                           x=self._access(outer=(0, int(groups > 1), 0), offset=first),
                           y=replace(word, base=word.base + way, taps=(0, 0, 0),
                                     outer=(0, 0, int(count > 1))),
                           z=replace(z, outer=(0, ways * BANKS, BANKS)), z_memory=Memory.Y,
                           **self._widths, clip=container_clip(WORD))

    def _access(self, **loops):
        return RelativeAccess.to(self._source, 0, **loops)

    @property
    def _widths(self):
        return {"x_width": width_of(self._source.bits), "x_zero": self._zero,
                "y_width": Width.BITS16, "z_width": Width.BITS16}

    def _sum_squares(self, **fields):
        """Pass whose sums are those of all squares."""
        groups = self._source.pitch
        return Pass(**{"taps": (1, 1, groups), "x": self._access(taps=(0, 0, 1)),
                       "y": self._factors.rows(groups),
                       "acc_range": AccumulatorRange.BITS40} | self._widths | fields)

    def _divide_records(self):
        """Records by which a lane divides by ``2**(2 * k + 13)``, from ``k = -6`` on."""
        lanes  = BANKS * self._ways
        shifts = 2 * np.arange(-(-_PAIRS // lanes) * lanes) + 1
        inside = np.arange(len(shifts)) < _PAIRS
        before = np.clip(shifts, 0, 9)
        after  = np.minimum(shifts - before, 63)
        return self._space.records(first_record(inside * 1, before, after), inside * 0)

    def _sum_marks(self, weight, **fields):
        """Pass whose sums are ``weight`` times the pairs of bits."""
        groups = self._marks.groups(0)
        x      = replace(groups, outer=(0, 0, 0), taps=(0, 0, 1))
        word   = self._space.row(weight)
        count  = self._marks.high - self._marks.low + 1
        return Pass(**{"taps": (1, 1, count), "x": x, "y": word, "x_width": Width.BITS16,
                       "y_width": Width.BITS16, "z_width": Width.BITS16,
                       "clip": container_clip(WORD)} | fields)

    def _add(self, *tiles, to, words=(1,), **fields):
        """Pass that adds up tiles that lie one after the other, each times a word."""
        x = tiles[0].groups(0)
        x = replace(x, outer=(0, 0, 0), taps=(0, 0, BANKS if len(tiles) > 1 else 0),
                    high=tiles[-1].high)
        return Pass(**{"taps": (1, 1, len(words)), "x": x, "y": self._space.word(*words),
                       "x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
                       "y_width": Width.BITS16, "z_width": Width.BITS16,
                       "clip": container_clip(WORD)} | to.output(0) | fields)

    def _cell(self, row):
        """Tiles that are the shifts of a record."""
        return self._space.in_records(row, 2 % self._ways if self._ways > 2 else 0)

    def _write_shifts(self):
        """Passes that write the shifts of both scaled passes."""
        out  = TABLES[Table.ROOT].out_frac_bits - 1 - self._out
        return [self._sum_marks(2, z=self._low.groups(0), clip=(0, _SHORT)),
                self._sum_marks(2, z=self._high.groups(0), clip=(_SHORT, 2 * _PAIRS), zero=-_SHORT),
                self._add(self._low, self._high, words=(32, 1), to=self._cell(self._steps)),
                self._sum_marks(32, **self._cell(self._share).output(0),
                                bias_row=self._space.records(32 * (out - 1)))]

    def _shift_sum(self):
        """Pass that shifts the sum to 15 bits and one more, less half the range of an element."""
        return self._sum_squares(z=self._sum.groups(0), bias_row=self._steps, scale=Scale.BITS32,
                                 rounding=RoundMode.FLOOR, clip=(0, 2 * HALF - 1), zero=-HALF)

    def _make_even(self):
        """Passes that shift again, with 1 taken off the sum where halves go to even so."""
        return [*self._take_off(self._steps, self._space.word(0)), self._shift_sum(),
                *self._find_even(self._sum), *self._take_off(self._steps), self._shift_sum()]

    def _find_even(self, *sums):
        """Passes that find where a sum, that of tiles, would be even without its last bit, and
        whether anything is dropped."""
        half   = self._space.records(len(sums) * HALF)
        halves = [self._add(*sums, words=(1,) * len(sums), to=tile, bias_row=half, shift=shift,
                            rounding=RoundMode.FLOOR)
                  for shift, tile in ((1, self._low), (2, self._high))]
        return [*halves, self._add(self._low, self._high, words=(1, -2), to=self._odd,
                                   bias_row=self._space.records(-1)),
                self._sum_marks(1, **self._right.output(0), clip=(_LEAST, _LEAST + 1),
                                zero=-_LEAST)]

    def _take_off(self, row, word=None):
        """Passes that write to the bias behind the parameters at ``row`` what is to be taken off
        the sum, or that times ``word``."""
        row  += self._space.record_rows(1)
        words = self._space.record_rows(1) * self._ways
        bias  = self._space.in_records(row, 0, words)
        fill  = {"outer": (1, 1, words), **bias.output(0, loop=2)}
        word  = replace(self._right.words(0), outer=(0, 0, 0)) if word is None else word
        return [self._add(self._odd, to=bias, **fill | {"y": word})]
