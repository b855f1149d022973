# SPDX-License-Identifier: Apache-2.0
"""Product sums of affine elements with exact scaled sums up to 32 bits.

The lanes save a sum until passes write it as two 16-bit words. Further passes multiply the words by
the scale digit by digit, shift and round; the result is again two words. See ``digits``.
"""

from dataclasses import replace

from xymac.hdl.isa import ACC_BITS, HELD, AccumulatorRange, RoundMode
from xymac.host.ir.sums import check_largest
from xymac.host.memory.layout import LOW_OFFSET

from .affine import WORD_MAX, AffineSums
from .digits import FIRST, HIGH, LOW, ONES, OTHER, SLOTS, TOTALS, DigitSums

__all__ = ["WideSums"]

_WORD  = 1 << 16
_LIMIT = (1 << ACC_BITS - 1) - 1
_WIDE  = AccumulatorRange.BITS40


class WideSums(AffineSums):
    """The sums of all gates, with as many tiles at once as the lanes can save."""

    def _prepare(self):
        for gates in self._scaled:
            for each in gates:
                check_largest(each.largest + int(abs(each.lacks).max()), _LIMIT)
        self._wraps = [any(each.largest > WORD_MAX for each in gates) for gates in self._scaled]
        self._rows  = [self._records([each.lacks + each.bias * (not wraps) for each in gates])
                       for gates, wraps in zip(self._scaled, self._wraps, strict=True)]
        self._later = self._records([each.bias + LOW_OFFSET for each in self._scaled[0]])
        self._size  = self.tiles
        self._parts = self._space.in_x(self.tiles)
        self._held  = min(HELD, self.tiles)
        self._slots = self._space.in_x(SLOTS * self._held)
        self._known = {}

    def _records(self, values):
        return self._space.records(self._in_tiles(values))

    def passes(self, sources, outputs):
        """Passes over all tiles; see ``FixedSums.passes``."""
        passes = [replace(self._digits(self._held).add(ONES, {ONES: 0}), clip=(1, 1))]
        for gate, first, last in self._stretches():
            passes += self._stretch(gate, first, last, sources)
        return passes + self._finish(1, outputs)

    def _digits(self, tiles):
        return DigitSums(self._space, self._slots, self._held, tiles, self._known)

    def _stretches(self):
        """Tuples (gate, first tile, end tile) over ranges of tiles with the same scale."""
        scales = [[(each.multiplier, each.shift) for each in gates]
                  for gates in zip(*self._scaled, strict=True)]
        start  = 0
        for gate, scale in enumerate(scales):
            if gate + 1 == len(scales) or scales[gate + 1] != scale:
                end = (gate + 1) * self._count
                for first in range(start, end, HELD):
                    yield gate, first, min(first + HELD, end)
                start = end

    def _stretch(self, gate, first, last, sources):
        """Passes for the sums of some tiles over all inputs, saturated at 16 bits."""
        digits, passes, terms, bias = self._digits(last - first), [], {}, 0
        for number, x in enumerate(sources):
            each = self._scaled[number][gate]
            passes += self._load(digits, number, first, last, x)
            made, scaled, offset = digits.scale(each.multiplier, each.shift, self._form.rounding,
                                                OTHER if number else FIRST)
            passes += made
            terms, bias = {**terms, **scaled}, bias + offset
            if 0 < number < len(sources) - 1:
                made, terms, bias = digits.words(terms, bias, TOTALS[number % 2])
                passes += made
        return [*passes, digits.add(self._parts.part(first, last - first), terms, bias)]

    def _load(self, digits, number, first, last, x):
        """Passes to write both words of an input's sums, wrapped or saturated at 32 bits."""
        wraps  = self._wraps[number]
        held   = {"hold": True, "z": replace(digits.slot(LOW).groups(0), outer=(0, 0, 0))}
        rows   = first * self._space.record_rows(1)
        passes = [self._products(number, first, last, x, rounding=RoundMode.FLOOR,
                                 bias_row=self._rows[number] + rows,
                                 acc_range=_WIDE if wraps else AccumulatorRange.BITS32, **held)]
        if wraps:
            passes += [digits.held({ONES: 0}, resume=True, shift=shift, **held)
                       for shift in (32 - ACC_BITS, ACC_BITS - 32)]
            if number == 0:
                passes += [*digits.take(), digits.held(
                    {HIGH: _WORD, LOW: 1}, bias_row=self._later + rows, **held
                    | {"acc_range": AccumulatorRange.BITS32})]
        return passes + digits.take()
