# SPDX-License-Identifier: Apache-2.0
"""L2 normalisation of a run whose sum of squares can exceed an accumulator.

An element is ``64 * a + b``. The sum of squares divided by 64 is the sum over ``a`` times the
element, plus ``C / 64``, where ``C`` is the sum over ``b`` times the element; it has at most 36
bits. If it has more than 27 bits, the passes shift it, and otherwise the sum of squares itself: the
unused sum's factors become 0.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import (
    BANKS,
    AccumulatorRange,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Width,
    bias_rows,
)
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import first_record
from xymac.host.lower.sweep import elementwise, sweep

from .elements import HALF, WORD
from .share import InverseRoot

__all__ = ["LongNormalisation"]

_DROPPED = 6   #: Low element bits, and low sum bits, missing in ``a``.
_SMALL   = 16  #: Thresholds of small sums: 2, 8, ...; full tiles on any core.
_LARGE   = 7   #: Thresholds of large sums: ``2**33``, ``2**35``, ...
_BEFORE  = 10  #: Minimum shift of a large sum, in bits.
_PAIRS   = 20  #: Possible shifts in bit pairs, from 14 bits left on.
_LEAST   = 7   #: Number of these shifts that go left.
_SHORT   = 30  #: Maximum right shift in bits for a full 32-bit sum.


class LongNormalisation:
    """Passes over the elements of a single sum.

    All lanes hold the sum. The count of thresholds it exceeds gives its shift in bit pairs; passes
    write the shift to the shifting passes' records. For round-half-to-even, 1 is subtracted from
    both sums where needed.
    """

    def __init__(self, form, elements, target, space):
        source = elements.source
        self._source, self._space = source, space
        self._mode, self._ways = form.rounding, space.ways
        self._elements = elements
        lanes = BANKS * self._ways
        tiles = -(-source.groups // BANKS)
        self._factors = space.rows_in_y(source.pitch)
        self._right   = space.in_y(1)
        self._share   = InverseRoot(form, elements, target, space)
        self._low, self._high, self._odd = (space.in_x(1) for _ in range(3))
        self._whole, self._upper, self._lower = (space.in_x(tiles) for _ in range(3))
        self._small_tiles = _SMALL // lanes
        self._large_tiles = -(-(_SMALL + _LARGE) // lanes)
        self._marks    = space.in_x(self._small_tiles + self._large_tiles)
        self._rounded  = space.in_x(1)
        self._sums     = space.in_x(2)
        self._is_small, self._is_large = space.in_y(1), space.in_y(1)
        large = np.arange(2 * _SMALL + 1, 2 * (_SMALL + _LARGE), 2)  # the first for small ones, too
        large = np.concatenate([np.full(_SMALL, large[0]), large]) - _DROPPED
        self._small_marks = self._threshold_records(np.arange(1, 2 * _SMALL, 2))
        self._large_marks = self._threshold_records(large)
        self._steps       = space.records(first_record(1 << 15, 0, 0), 0)
        self._large_steps = space.records(first_record(1, _BEFORE, 0), 0)
        self._off         = space.records(0, 0)

    def make(self):
        """All passes, their accesses relative."""
        passes = [*self._elements.copy_to_all(self._factors, self._space), *self._split_elements(),
                  *self._write_quotient(self._large_marks, self._large_tiles),
                  self._mark(self._upper, self._small_tiles, self._large_tiles, self._large_marks),
                  *self._choose(),
                  self._mark(self._whole, 0, self._small_tiles, self._small_marks),
                  *self._write_shifts(),
                  self._sum_marks(2 * 32, **self._cell(self._large_steps).output(0),
                                  bias_row=self._space.records(_BEFORE - 32 * 31),
                                  clip=(0, HALF - 1))]
        if self._mode is RoundMode.CONVERGENT:
            none   = self._space.word(0)
            passes = [*self._clear(none), *passes, *self._shift_sums(), *self._find_even(),
                      *self._take_off(self._steps), *self._take_off(self._off)]
        root = self._add(self._sums, 2, (1, 1), shift=1, rounding=RoundMode.UP,
                         bias_row=self._space.records(2 * HALF), **self._share.look_up)
        return [*passes, *self._shift_sums(), root, *self._share.multiply()]

    def _sum_marks(self, weight, **fields):
        """Pass whose sums are ``weight`` times the bit pairs."""
        groups = self._marks.groups(0)
        count  = self._marks.high - self._marks.low + 1
        return Pass(**{"taps": (1, 1, count), "y": self._space.row(weight),
                       "x": replace(groups, outer=(0, 0, 0), taps=(0, 0, 1)),
                       "clip": container_clip(WORD)} | self._wide | fields)

    def _add(self, first, count, words, **fields):
        """Pass adding up ``count`` tiles from the first tile of ``first``, each times a word."""
        x = first.groups(0)
        x = replace(x, outer=(0, 0, 0), taps=(0, 0, BANKS), high=x.base + count * BANKS - 1)
        return Pass(**{"taps": (1, 1, count), "x": x, "y": self._space.word(*words),
                       "x_shape": Shape.LANES, "y_shape": Shape.LANES,
                       "clip": container_clip(WORD)} | self._wide | fields)

    def _cell(self, row):
        """Tiles with a record's shifts."""
        return self._space.in_records(row, self._space.upper_word)

    def _write_shifts(self):
        """Passes writing both scaled passes' shifts."""
        return [self._sum_marks(2, z=self._low.groups(0), clip=(0, _SHORT)),
                self._sum_marks(2, z=self._high.groups(0), clip=(_SHORT, 2 * _PAIRS), zero=-_SHORT),
                self._add(self._low, 2, (32, 1), **self._cell(self._steps).output(0)),
                self._sum_marks(32, **self._share.shifts.output(0),
                                bias_row=self._space.records(32 * self._share.least))]

    def _find_even(self):
        """Passes finding whether the sum without its last bit is even, and whether bits are
        dropped.
        """
        half   = self._space.records(2 * HALF)
        halves = [self._add(self._sums, 2, (1, 1), **tile.output(0), bias_row=half, shift=shift,
                            rounding=RoundMode.FLOOR)
                  for shift, tile in ((1, self._low), (2, self._high))]
        return [*halves, self._add(self._low, 2, (1, -2), **self._odd.output(0),
                                   bias_row=self._space.records(-1)),
                self._sum_marks(1, **self._right.output(0), clip=(_LEAST, _LEAST + 1),
                                zero=-_LEAST)]

    def _take_off(self, row, word=None):
        """Passes writing the amount to subtract from the sum, or its product with ``word``, to
        the bias that follows the parameters at ``row``.
        """
        row  += self._space.record_rows(1)
        words = self._space.record_rows(1) * self._ways
        bias  = self._space.in_records(row, 0, words)
        fill  = {"outer": (1, 1, words), **bias.output(0, loop=2)}
        word  = replace(self._right.words(0), outer=(0, 0, 0)) if word is None else word
        return [self._add(self._odd, 1, (1,), **fill | {"y": word})]

    def _clear(self, none):
        """Passes clearing the subtracted amounts; ``none`` is an Access to a word of 0."""
        return [*self._take_off(self._steps, none), *self._take_off(self._off, none)]

    def _shift_sums(self):
        """Passes shifting both sums, the unused sum being 0, to 15 and 16 bits, minus half the
        element range.
        """
        shifts = (self._whole, self._steps), (self._upper, self._large_steps)
        return [*self._write_quotient(self._large_steps, 1),
                *(self._sum_products(factors, z=self._sums.groups(index), bias_row=steps,
                                     zero=-HALF, clip=(0, 2 * HALF - 1))
                  for index, (factors, steps) in enumerate(shifts))]

    def _threshold_records(self, shifts):
        """Records by which lanes divide by ``2**shifts``; by more than all sums beyond them."""
        lanes  = BANKS * self._ways
        shifts = np.pad(shifts, (0, -len(shifts) % lanes), constant_values=63)
        before = np.minimum(shifts, 9)
        return self._space.records(first_record((shifts < 63) * 1, before, shifts - before),
                                   0 * shifts)

    def _each(self, tiles, to, words, **fields):
        """Passes writing every ``to`` vector: the sum over ``tiles``, each times its word of
        ``words``.
        """
        apart = tiles[-1].base - tiles[0].base if len(tiles) > 1 else 0
        x = tiles[0].groups(0)
        x = replace(x, high=tiles[-1].high, outer=(0, 0, 0), taps=(0, 0, apart))
        pass_ = elementwise(WORD, WORD, x=x, y=words, z=replace(to.groups(0), outer=(0, 0, 0)),
                            taps=(1, 1, len(tiles)), **self._words, **fields)
        return sweep(pass_, self._source.groups, (BANKS, 0, BANKS))

    @property
    def _words(self):
        return {"y_width": Width.BITS16}

    def _split_elements(self):
        """Passes writing the elements, their upper bits, and their lower bits."""
        one  = self._space.word(1)
        copy = elementwise(self._source.bits, WORD, x=self._elements.access(), y=one,
                           z=replace(self._whole.groups(0), outer=(0, 0, 0)),
                           **self._elements.fields)
        return [*sweep(copy, self._source.groups, (BANKS, 0, BANKS)),
                *self._each([self._whole], self._upper, one, shift=_DROPPED,
                            rounding=RoundMode.FLOOR),
                *self._each([self._whole, self._upper], self._lower,
                            self._space.word(1, -1 << _DROPPED))]

    def _sum_products(self, tiles, **fields):
        """Pass with the sum of all ``tiles`` times the elements in all lanes, shifted by lanes."""
        x = replace(tiles.groups(0), outer=(0, 0, 0), taps=(0, 0, 1))
        return Pass(**{"taps": (1, 1, self._source.groups), "x": x,
                       "y": self._factors.rows(self._source.groups), "scale": Scale.BITS32,
                       "rounding": RoundMode.FLOOR, "acc_range": AccumulatorRange.BITS40}
                    | self._wide | fields)

    def _mark(self, factors, first, tiles, records):
        """Pass writing a mark for each threshold the sum exceeds, from tile ``first`` on."""
        return self._sum_products(factors, z=self._marks.groups(first), clip=(0, 1),
                                  bias_row=records, outer=(tiles, 1, 1))

    @property
    def _wide(self):
        return {"x_width": Width.BITS16, "y_width": Width.BITS16, "z_width": Width.BITS16}

    def _write_quotient(self, row, tiles):
        """Passes writing ``C / 64``, rounded down, to the biases after the parameters at
        ``row``.

        They write ``tiles`` tiles: all bits from bit 16 on, the sign, and the lowest 16 bits.
        """
        apart  = 2 * self._space.record_rows(1) * self._ways
        row   += self._space.record_rows(1)
        low    = (bias_rows(self._ways) - 1) * self._ways
        middle = low + 1 if self._ways > 1 else low - 1
        last   = (tiles - 1) * apart + self._space.record_rows(1) * self._ways

        def word(index):
            z = self._space.in_records(row, 0, last)
            return replace(z, base=z.base + index * BANKS)

        def output(index):
            access = word(index).groups(0)
            return {"z": replace(access, outer=(0, 0, apart * BANKS * (tiles > 1))),
                    "z_memory": word(index).memory, "outer": (1, 1, tiles)}

        hold  = self._sum_products(self._lower, z=self._rounded.groups(0), hold=True,
                                   scale=Scale.NONE,
                                   bias_row=self._off + self._space.record_rows(1))
        one   = replace(self._space.row(0), outer=(0, 0, 0))
        kept  = Pass(x=replace(self._rounded.groups(0), outer=(0, 0, 0)), y=one,
                     z=self._rounded.groups(0), resume=True, shift=_DROPPED + WORD,
                     rounding=RoundMode.FLOOR, acc_range=AccumulatorRange.BITS40,
                     clip=(-HALF, HALF - 1), **self._wide)
        taken = replace(kept, y=self._space.row(-HALF), shift=_DROPPED,
                        taps=(1, 1, (1 << _DROPPED + WORD) // HALF // self._ways))
        return [hold, replace(kept, **output(middle)),
                replace(kept, clip=(-1, 0), **output(0 if self._ways < 4 else 2)),
                replace(kept, rounding=RoundMode.UP), replace(taken, **output(low))]

    def _choose(self):
        """Passes setting the unused sum's factors to 0."""
        first = self._marks.part(self._small_tiles, 1).groups(0)
        x     = replace(first, outer=(0, 0, 0))
        flag  = Pass(x=x, y=self._space.row(1), clip=(0, 1), **self._wide,
                     **self._is_large.output(0))
        other = replace(flag, y=self._space.row(-1), clip=(-1, 0), zero=1,
                        **self._is_small.output(0))
        passes = [flag, other]
        for tiles, word in ((self._whole, self._is_small), (self._upper, self._is_large),
                            (self._lower, self._is_large)):
            passes += self._each([tiles], tiles, replace(word.words(0), outer=(0, 0, 0)))
        return passes
