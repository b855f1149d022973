"""The passes of a softmax of TensorFlow Lite over some rows of bytes.

1. The largest element of each row goes to biases.
2. Elements with these look up what ``ShareTables`` have by differences, into planes of X.
3. All lanes add up the exponentials of a row, ``S``, and keep it; they look up its inverse, and
   write it less its lowest 14 bits, as ``-upper``.
4. By that they write what is left of it, as ``-lower``; and ``coarse`` times the inverse is the
   quotient ``q`` of limit and ``S``, or 1 more.
5. A table has how much more the limit is for that quotient.
6. Limit less ``q * S``, shifted, is 0, or -1 if the quotient is 1 more. With it added, half of the
   quotient, rounded up, is the share.
"""

from dataclasses import dataclass, replace

import numpy as np

from hdl.isa import (
    BANKS,
    HELD,
    AccumulatorRange,
    Memory,
    Op,
    Pass,
    RoundMode,
    Shape,
    Width,
    bias_rows,
)
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip, cover
from host.memory.layout import TensorLayout

from .share_tables import COARSE_BITS, FINE_BITS, QUOTIENT_BITS, ShareTables

__all__ = ["ShareBlock", "rows_of_block"]

_SIGN_BITS = 30   #: What limits less products stay below in size.
_DIRECT    = 64   #: Elements of a row up to which one lane after another meets them all.
_LOWEST, _TOP = -128, 127
_FAR_BELOW = -1 << 16  #: With a bias of that much an element stands for no exponential.


def rows_of_block(source):
    """Most rows, runs of a TensorLayout, that lanes can hold at once."""
    tiles = -(-source.pitch // BANKS)
    return max(1, HELD // tiles)


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

    def access(self, index, count=1, **loops):
        """Access to ``count`` planes from one on."""
        low = self.row * BANKS + index * self.size
        return RelativeAccess(low, low, low + count * self.size - 1, **loops, area=Area.VECTORS,
                              row_units=BANKS)


_ROWS, _FINE, _COARSE, _REST, _MORE, _QUOTIENT = range(6)  #: Planes.
_MORE_OF = 4  #: The quotient lies there where there are no corrections.


class ShareBlock:
    """Passes over ``count`` rows of the input from row ``first`` on, and what they work on.

    Parameters
    ----------
    tables : ShareTables
    source, target : TensorLayouts, not placed
    count, first : int
    space : Workspace
    """

    def __init__(self, tables, source, target, count, space):
        self._tables, self._source, self._target = tables, source, target
        self._count, self._space, self._ways = count, space, space.ways
        self._elements = sum(source.parts)
        self._pitch    = source.pitch
        self._tiles    = -(-source.pitch // BANKS)
        self._corrects = tables.corrections is not None
        self._quotient = _QUOTIENT if self._corrects else _MORE_OF
        planes = self._quotient + 1
        size   = -(-(count * self._pitch + BANKS - 1) // BANKS) * BANKS
        self._planes = _Planes(space.x_rows, size)
        self._upper  = _Planes(space.x_rows + planes * size // BANKS, count * BANKS)
        space.in_x(planes * size // BANKS + 2 * count + 1)
        fixed = (1 << COARSE_BITS, 1, *[1] * self._corrects)
        self._fixed = len(fixed)
        self._words = space.word(*(fixed + (0,) * 4) * count)
        self._zero, self._one, self._minus = (space.word(value) for value in (0, 1, -1))
        self._lanes = BANKS * self._ways

    # Words of a row: fixed factors of limits, -lower, -upper, inverses.

    @property
    def _width(self):
        return self._fixed + 4

    def _word(self, index, count=1, row_loop=0, first=0):
        """Access to words of every row, an outer loop over these, and ``count`` a tap each."""
        words = self._words
        outer = tuple(self._width * (loop == row_loop) for loop in range(3))
        return replace(words, base=words.base + index + first * self._width, outer=outer,
                       taps=(0, 0, int(count > 1)))

    def _write_word(self, index):
        """Fields of a pass that writes a word of every row, an outermost index each."""
        words, groups = self._words, BANKS
        z = RelativeAccess(words.base * groups, words.low * groups, (words.high + 1) * groups - 1,
                           outer=(self._width * groups, 0, 0), area=Area.WORDS,
                           row_units=self._ways * groups)
        return {"z": replace(z, base=z.base + index * groups), "z_memory": Memory.Y,
                "z_width": Width.BITS16}

    def make(self):
        """All passes, relative to the first row; moves are those of ``Move``."""
        return [*self._find_largest(), *self._look_up(), *self._add_up(), self._divide(),
                self._lower(), *self._correct(), *self._decide()]

    # 1. The largest element of each row.

    @property
    def _padding(self):
        return -self._elements % self._ways

    def _spans(self):
        """Groups of a row by tiles: full ones, and those of the last, with other biases."""
        last = (self._pitch - 1) % BANKS + 1
        full = (self._pitch - last) // BANKS
        return (full + 1, 0) if last == BANKS and not self._padding else (full, last)

    def _biases(self):
        """Rows of records: of full tiles and of the last ones; None for none of these."""
        full, last = self._spans()
        rows = [None, None]
        if full:
            rows[0] = self._space.records(np.zeros(self._count * self._lanes, np.int64))
        if last:
            lane   = np.arange(self._lanes)
            behind = (lane >= last * self._ways - self._padding) & (lane < last * self._ways)
            rows[1] = self._space.records(np.tile(np.where(behind, _FAR_BELOW, 0), self._count))
        return rows

    def _find_largest(self):
        """Passes that write ``_TOP`` less the largest element to the lowest words of biases."""
        self._bias  = self._biases()
        rows, ways  = bias_rows(self._ways), self._ways
        sets        = [row for row in self._bias if row is not None]
        row_groups  = ways * BANKS
        low  = sets[0] * row_groups
        high = low + len(sets) * self._count * rows * row_groups - 1
        z    = RelativeAccess(low + (rows - 1) * row_groups, low, high, area=Area.RECORDS,
                              outer=(rows * row_groups, self._count * rows * row_groups, 0),
                              row_units=row_groups)
        fold = {"op": Op.MIN, "outer": (self._count, len(sets), 1), "z": z, "z_memory": Memory.Y,
                "z_width": Width.BITS16, "clip": (_LOWEST - _TOP, 0), "zero": _TOP - _LOWEST,
                "y_width": Width.BITS16}
        if self._pitch < BANKS or self._pitch * ways <= _DIRECT:
            yield Pass(x=self._input(outer=(self._source.distance, 0, 0), taps=(0, 1, 0)),
                       x_zero=_LOWEST, taps=(1, self._pitch, ways), **self._choose(), **fold)
            return
        partial = self._upper.access(1)
        yield self._fold_lanes(partial)
        yield Pass(x=replace(partial, outer=(BANKS, 0, 0), taps=(0, 1, 0)), x_width=Width.BITS16,
                   y=self._space.rows(np.eye(ways, dtype=int).ravel()),
                   taps=(1, BANKS, ways), **fold)

    def _choose(self):
        """``y`` of a pass whose lanes meet the ways of all groups one by one, negative."""
        ways, groups = self._ways, self._pitch if self._padding else 1
        places = np.arange(groups * ways)
        chosen = -np.eye(ways, dtype=int)[places % ways] * (places < self._elements)[:, None]
        rows   = self._space.rows(chosen.ravel())
        return {"y": replace(rows, taps=(0, ways * (groups > 1), 1))}

    def _fold_lanes(self, partial):
        """Pass that writes the least of what each lane meets of a row, negative."""
        counts, strides = cover(self._pitch)
        fields = {"y": self._minus, "y_shape": Shape.LANES}
        if self._padding:
            starts = np.add.outer(np.arange(counts[1]) * strides[1],
                                  np.arange(counts[2]) * strides[2]).ravel()
            places = starts[:, None] * self._ways + np.arange(self._lanes)
            masks  = np.zeros((self._lanes, starts.size, self._ways), np.int8)
            masks[..., 0] = np.where(places < self._elements, -1, 0).T
            matrix = self._space.matrix(masks.reshape(self._lanes, -1))
            y      = replace(matrix.access(0, 0), outer=(0, 0, 0), taps=(0, counts[2], 1))
            fields = {"y": y, "y_shape": Shape.VECTOR}
        width = Width.BITS8 if self._padding else Width.BITS16
        return Pass(op=Op.MIN, outer=(self._count, 1, 1), taps=counts, x_shape=Shape.LANES,
                    x=self._input(outer=(self._source.distance, 0, 0), taps=strides),
                    x_zero=_LOWEST, y_width=width, z_width=Width.BITS16, clip=container_clip(16),
                    z=replace(partial, outer=(BANKS, 0, 0)), **fields)

    def _input(self, offset=0, **loops):
        return RelativeAccess.to(self._source, 0, offset=offset, **loops)

    # 2. What tables have by the difference of an element from the largest one.

    def _look_up(self):
        """Passes that write planes: a tile each output."""
        tables = self._tables
        wanted = [(_FINE, tables.fine), (_COARSE, tables.coarse), (_REST, tables.rest)]
        if self._corrects:
            wanted.append((_ROWS, tables.rows))
        full, last = self._spans()
        for index, own in wanted:
            code = self._space.table(own)
            for tiles, beats, offset, bias in ((full, BANKS, 0, self._bias[0]),
                                               (1, last, full * BANKS, self._bias[1])):
                if not tiles or not beats:
                    continue
                steps = BANKS * (tiles > 1)
                z     = self._planes.access(index, outer=(self._pitch, 0, steps))
                yield Pass(x=self._input(offset, outer=(self._source.distance, 0, steps)),
                           x_zero=_TOP, x_shape=Shape.LANES, y=self._one, y_shape=Shape.LANES,
                           y_width=Width.BITS16, z=replace(z, base=z.base + offset),
                           z_width=Width.BITS16, outer=(self._count, 1, tiles), beats=beats,
                           clip=tables.clip, table=code, bias_row=bias)

    # 3. The sum, its inverse, and its upper bits.

    def _add_up(self):
        """Passes that keep the sum of every row, negative, and write what follows from it."""
        weights = self._space.rows([-1] * self._ways + [-1 << FINE_BITS] * self._ways)
        x = self._planes.access(_FINE, 2, outer=(self._pitch, 0, 0),
                                taps=(0, self._planes.size, 1))
        yield Pass(x=x, y=replace(weights, taps=(0, 1, 0)), outer=(self._count, 1, 1),
                   taps=(1, 2, self._pitch), x_width=Width.BITS16, y_width=Width.BITS16,
                   hold=True, z=self._upper.access(0), rounding=RoundMode.FLOOR,
                   acc_range=AccumulatorRange.BITS40)
        for index, inverse in enumerate(self._tables.inverses):
            yield self._take(**self._write_word(self._fixed + 2 + index), shift=inverse.shift,
                             clip=inverse.clip, table=self._space.table(inverse.own),
                             table_shift=inverse.table_shift, table_rounding=RoundMode.FLOOR)
        upper = {"shift": COARSE_BITS, "clip": container_clip(16)}
        yield self._take(**self._write_word(self._fixed + 1), **upper)
        yield self._take(z=self._upper.access(0, outer=(BANKS, 0, 0)), z_width=Width.BITS16,
                         **upper)

    def _take(self, **fields):
        """Pass that writes of the sum of every row."""
        return Pass(**{"x": self._upper.access(1), "y": self._zero, "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                       "outer": (self._count, 1, 1), "resume": True, "rounding": RoundMode.FLOOR,
                       "acc_range": AccumulatorRange.BITS40} | fields)

    # 4. Its lower bits, and the quotient.

    def _lower(self):
        """Pass that writes what is left of the sum."""
        x = self._upper.access(0, outer=(BANKS, 0, 0))
        return self._take(x=x, y=self._space.word(-1 << COARSE_BITS), clip=container_clip(16),
                          **self._write_word(self._fixed))

    def _divide(self):
        """Pass that writes the quotient, or 1 more; it may write behind a row, before that has its
        own."""
        count = len(self._tables.inverses)
        return self._by_tiles(
            self._planes.access(_COARSE), self._planes.access(self._quotient),
            y=self._word(self._fixed + 2, count), taps=(1, 1, count), shift=QUOTIENT_BITS,
            clip=container_clip(16))

    def _by_tiles(self, x, z, taps_of_x=0, **fields):
        """Pass over all tiles of all rows of planes."""
        outer = self._pitch, 0, BANKS * (self._tiles > 1)
        return Pass(x=replace(x, outer=outer, taps=(0, 0, taps_of_x)), x_shape=Shape.LANES,
                    z=replace(z, outer=outer), y_shape=Shape.LANES, x_width=Width.BITS16,
                    y_width=Width.BITS16, z_width=Width.BITS16,
                    outer=(self._count, 1, self._tiles),
                    **{"rounding": RoundMode.FLOOR, "acc_range": AccumulatorRange.BITS40} | fields)

    # 5. What the limit is more.

    def _correct(self):
        """Pass that looks it up by the begin of a row of corrections and the quotient."""
        own = self._tables.corrections
        if own is None:
            return
        x = self._planes.access(_ROWS, self._quotient + 1)
        yield self._by_tiles(x, self._planes.access(_MORE),
                             (self._quotient - _ROWS) * self._planes.size,
                             y=self._one, taps=(1, 1, 2), shift=1, rounding=RoundMode.UP,
                             clip=(0, len(own.values)), table=self._space.table(own))

    # 6. Limit less product, and the share.

    def _decide(self):
        """Passes over tiles: those of all rows if each has one only, else row by row."""
        if self._tiles == 1:
            yield from self._decide_tiles(self._count, self._pitch, self._width, 0, 0)
            return
        for row in range(self._count):
            for first in range(0, self._tiles, HELD):
                count = min(HELD, self._tiles - first)
                yield from self._decide_tiles(count, BANKS, 0, row, first * BANKS)

    def _decide_tiles(self, count, step, words, row, group):
        """Passes over ``count`` tiles, ``step`` groups apart, from a group of a row on.

        ``words`` are those from the factors of one tile to those of the next.
        """
        first   = row * self._pitch + group
        strides = step * (count > 1), 0, 0
        factors = {"outer": (words, 0, 0), "taps": (0, 0, 0)}

        def taps(index, planes):
            access = self._planes.access(index, planes, outer=strides,
                                         taps=(0, 0, self._planes.size * (planes > 1)))
            return {"x": replace(access, base=access.base + first), "taps": (1, 1, planes)}

        fields = {"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
                  "y_width": Width.BITS16, "outer": (count, 1, 1),
                  "acc_range": AccumulatorRange.BITS40}
        keep   = fields | {"hold": True, "rounding": RoundMode.FLOOR, "z": self._upper.access(0)}
        yield Pass(**taps(self._quotient, 1), **keep, shift=-COARSE_BITS,
                   y=replace(self._word(self._fixed + 1, first=row), **factors))
        yield Pass(**taps(_COARSE, self._fixed + 1), **keep, resume=True, shift=_SIGN_BITS,
                   y=replace(self._word(0, first=row), **factors | {"taps": (0, 0, 1)}))
        z = RelativeAccess.to(self._target, Area.TARGET, outer=(
            (self._target.distance if self._tiles == 1 else BANKS) * (count > 1), 0, 0))
        z = replace(z, base=z.base + row * self._target.distance + group)
        share = fields | {"y": self._one, "resume": True, "shift": 1, "rounding": RoundMode.UP,
                          "clip": (0, _TOP - _LOWEST), "zero": _LOWEST}
        beats = min(BANKS, self._pitch - (group + (count - 1) * step if self._tiles > 1 else 0))
        whole = count if beats == BANKS or self._tiles == 1 else count - 1
        for number, width, start in ((whole, beats if self._tiles == 1 else BANKS, 0),
                                     (count - whole, beats, whole)):
            if number:
                x = taps(self._quotient, 1)["x"]
                yield Pass(**share | {
                    "x": replace(x, base=x.base + start * step), "outer": (number, 1, 1),
                    "z": replace(z, base=z.base + start * BANKS), "entry": start, "beats": width})
