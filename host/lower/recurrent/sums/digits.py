# SPDX-License-Identifier: Apache-2.0
"""32-bit scaled sums as 16-bit digits, each digit an element in a slot of tiles in X.

A sum is ``HIGH * 2**16 + LOW + LOW_OFFSET``. Its product with a 32-bit factor has four digits. The
highest digit is signed; the other digits are stored minus ``LOW_OFFSET``. Passes add half of the
shifted-out range, which turns rounding up into a floor.
"""

from dataclasses import replace

from xymac.hdl.isa import AccumulatorRange, Pass, RoundMode, Shape, Width
from xymac.host.ir.elementwise import split
from xymac.host.ir.fields import container_clip
from xymac.host.memory.layout import LOW_OFFSET

__all__ = ["FIRST", "HIGH", "LOW", "ONES", "OTHER", "SLOTS", "TOTALS", "DigitSums"]

#: Slots: ones, words of a sum, carry and digits of its product, lowest first.
ONES, HIGH, LOW, _CARRY, _D0, _D1, _D2, _D3 = range(8)
_MIDDLE, _ABOVE, _REST, _HALF = 8, 9, 10, 11  #: Intermediates of a shift.
#: Two sets of slots: both words of a rounded scaled sum, and its rounding correction.
FIRST, OTHER = (12, 13, 14), (15, 16, 17)
TOTALS = (18, 19), (20, 21)  #: Words of the partial totals, used alternately.
SLOTS  = 22

_WORD = 1 << 16
_ROOM = 1 << 14  #: Offset of a digit between two words; the digit then shows saturation.


class DigitSums:
    """Passes over some tiles per slot.

    Parameters
    ----------
    space : Workspace
    slots : Tiles, ``SLOTS * size`` tiles
    size : int, tiles per slot
    tiles : int, processed tiles per slot
    known : dict, cache of allocated words and parameter rows
    """

    def __init__(self, space, slots, size, tiles, known):
        self._space, self._slots, self._size = space, slots, size
        self._tiles, self._known = tiles, known

    def slot(self, number):
        """A slot's Tiles."""
        return self._slots.part(number * self._size, self._tiles)

    def held(self, terms, **fields):
        """Pass over the saved accumulators; ``terms`` maps slots to weights."""
        return self._sum(terms, 0, **fields)

    def take(self):
        """Passes to write both words of the saved accumulators."""
        return [self.held({ONES: 0}, resume=True, shift=16, **self.slot(HIGH).output(0)),
                self.held({ONES: -LOW_OFFSET, HIGH: -_WORD}, resume=True,
                          **self.slot(LOW).output(0))]

    def add(self, target, terms, bias=0, shift=0, **fields):
        """Pass to write ``(sum of weighted slots + bias) >> shift``, saturated at 16 bits.

        ``target`` is a slot or Tiles. The pass also reads slots between the terms, with weight 0.
        """
        tiles = self.slot(target) if isinstance(target, int) else target
        return self._sum(terms, 2, **{"bias_row": self._record(bias), "shift": shift,
                                      **tiles.output(0, loop=2), **fields})

    def _sum(self, terms, loop, **fields):
        """Pass whose outer loop ``loop`` runs over the tiles."""
        first   = min(terms)
        weights = split([terms.get(slot, 0) for slot in range(first, max(terms) + 1)])[..., 0]
        count, parts = weights.shape
        x = self._slots.groups(first * self._size, loop)
        y = self._words(tuple(weights.ravel().tolist()))
        return Pass(**{
            "outer": tuple(self._tiles if index == loop else 1 for index in range(3)),
            "taps": (1, count, parts), "x": replace(x, taps=(0, x.outer[loop] * self._size, 0)),
            "y": replace(y, taps=(0, parts, int(parts > 1))), "x_shape": Shape.LANES,
            "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
            "z_width": Width.BITS16, "rounding": RoundMode.FLOOR, "clip": container_clip(16),
            "acc_range": AccumulatorRange.BITS40, **fields})

    def _words(self, values):
        if values not in self._known:
            self._known[values] = self._space.word(*values)
        return self._known[values]

    def _record(self, value):
        if value not in self._known:
            self._known[value] = self._space.records(value)
        return self._known[value]

    def words(self, terms, bias, slots):
        """(passes, terms, bias): passes write both words of a sum, saturated at 32 bits.

        The returned terms and bias express this sum by its words.
        """
        high, low = slots
        return [self.add(high, terms, bias, 16),
                self.add(low, {**terms, high: -_WORD}, bias - LOW_OFFSET)], {
                    high: _WORD, low: 1}, LOW_OFFSET

    def scale(self, factor, shift, rounding, slots):
        """(passes, terms, bias): passes scale the sum, rounded and saturated at 32 bits.

        The returned terms and bias express the result by its slots.

        Parameters
        ----------
        factor, shift : int, up to 2**31 and 0 .. 63, right
        rounding : RoundMode, UP or CONVERGENT
        slots : three slot numbers
        """
        half   = 1 << shift - 1 if shift else 0
        passes = self._multiply(factor, half)
        shifted, terms, bias, rest = self._shift(*divmod(shift, 16), slots)
        passes += shifted
        if shift and rounding is RoundMode.CONVERGENT:
            passes += self._round_even(slots, *rest)
            terms[slots[2]] = -1
        return passes, terms, bias

    def _multiply(self, factor, half):
        """Passes to write the digits for the product plus ``half``."""
        upper, lower = divmod(factor + (_WORD >> 1), _WORD)
        lower -= _WORD >> 1
        place  = min((half.bit_length() - 1) // 16, 2) if half else 0
        halves = [half >> 16 * digit if digit == place else 0 for digit in range(3)]
        bias   = LOW_OFFSET * lower + halves[0]
        passes = [self.add(_CARRY, {LOW: lower}, bias, 16),
                  self.add(_D0, {LOW: lower, _CARRY: -_WORD}, bias - LOW_OFFSET)]
        # Products of both words are between -2**30 and 3 * 2**30: minus 2**30 they fit 32 bits.
        bias   = LOW_OFFSET * upper + halves[1] - _ROOM * _WORD
        terms  = {HIGH: lower, LOW: upper, _CARRY: 1}
        passes += [self.add(_MIDDLE, terms, bias, 16),
                   self.add(_D1, {**terms, _MIDDLE: -_WORD}, bias - LOW_OFFSET)]
        terms, bias = {HIGH: upper, _MIDDLE: 1}, _ROOM + halves[2]
        return [*passes, self.add(_D3, terms, bias, 16),
                self.add(_D2, {**terms, _D3: -_WORD}, bias - LOW_OFFSET)]

    def _shift(self, digit, places, slots):
        """Passes to shift the product right by ``digit`` digits and ``places`` bits.

        Returns (passes, result terms and bias, remainder terms and bias). The remainder is positive
        if the result saturates at the top.
        """
        high, low, _ = slots
        if digit == 3:
            return ([self.add(low, {_D3: 1}, 0, places)], {low: 1}, 0,
                    ({_D3: 1, low: -1 << places, _D2: 1, _D1: 1, _D0: 1}, 3 * LOW_OFFSET))
        passes, upper, bias = [], {_D3: 1}, 0
        if digit < 2:
            upper, bias = {_D3: _WORD, _D2: 1}, LOW_OFFSET
        if digit == 0:  # A value above 16 bits here saturates in the result.
            passes      = [self.add(_ABOVE, upper, bias)]
            upper, bias = {_ABOVE: _WORD, _D1: 1}, LOW_OFFSET
        at = _D0 + digit
        passes += [self.add(high, upper, bias, places),
                   self.add(_MIDDLE, {**upper, high: -1 << places}, bias - _ROOM)]
        terms, bias = {_MIDDLE: _WORD, at: 1}, _ROOM * _WORD + LOW_OFFSET
        passes.append(self.add(low, terms, bias - (LOW_OFFSET << places), places))
        below = {_D0 + index: 1 for index in range(digit)}
        return passes, {high: _WORD, low: 1}, LOW_OFFSET, (
            {**terms, low: -1 << places, **below},
            bias - (LOW_OFFSET << places) + digit * LOW_OFFSET)

    def _round_even(self, slots, terms, bias):
        """Passes to write 1 to the third slot if a half was rounded up to an odd number, else 0.

        The value was exactly a half if the remainder is 0.
        """
        _, low, odd = slots
        return [self.add(_REST, terms, bias, clip=(0, 1)), self.add(_HALF, {low: 1}, 0, 1),
                self.add(odd, {low: 1, _HALF: -2, _REST: -1}, clip=(0, 1))]
