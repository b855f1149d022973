# SPDX-License-Identifier: Apache-2.0
"""Sums that wrap at 32 bits before their multiplication by a factor.

The lanes save and wrap the sums, then passes write both words; the factor multiplies the words.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import ACC_BITS, BANKS, HELD, AccumulatorRange, RoundMode, Width
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import RESCALED, factor_records
from xymac.host.ir.sums import largest_sum
from xymac.host.memory.layout import LOW_OFFSET

from .digits import HIGH, LOW, ONES, DigitSums

__all__ = ["WrappedSums", "wraps"]

_TOP       = (1 << 31) - 1
_WORD_BITS = 16
_PART  = 3               #: Slot of a word's correction, after the slots of ``digits``.
_SLOTS = 4
_LEFT  = ACC_BITS - 32   #: Left shift that wraps a sum at 32 bits.


def wraps(weights, bias, bits, zero, factor):
    """Whether a product sum may exceed 32 bits, possibly after its factor's left shift.

    Parameters
    ----------
    weights, bias : int arrays [outputs, inputs] and [outputs], or an int bias
    bits, zero : int, element width and zero point
    factor : ``quantize_multiplier`` result for the sums
    """
    peak = max(abs(limit - zero) for limit in container_clip(bits))
    return largest_sum(weights, np.asarray(bias, np.int64), peak) > _TOP >> max(factor[1], 0)


class WrappedSums:
    """Passes over sum tiles, as many at once as the lanes can save.

    Parameters
    ----------
    space : Workspace
    tiles : int, largest number of tiles at once
    factor : ``quantize_multiplier`` result for all sums; a positive exponent first shifts left and
        wraps again

    Attributes
    ----------
    begin : Pass list, before all others
    """

    def __init__(self, space, tiles, factor):
        self._space, self._size, self._known = space, min(tiles, HELD), {}
        self._slots = space.in_x(_SLOTS * self._size)
        multiplier, exponent = factor
        self._left  = max(exponent, 0)
        self._word  = HIGH if self._left < _WORD_BITS else LOW
        offset      = LOW_OFFSET if self._word is HIGH else 0
        self._row   = space.records(*map(int, factor_records(multiplier, exponent)), offset)
        ones        = self._digits(0, self._size).add(ONES, {ONES: 0})
        self.begin  = [replace(ones, clip=(1, 1))]

    def _digits(self, first, tiles):
        slots = replace(self._slots, base=self._slots.base + first * BANKS)
        return DigitSums(self._space, slots, self._size, tiles, self._known)

    def passes(self, sums, outputs):
        """Passes over the given sums' tiles.

        Parameters
        ----------
        sums : Pass for the sums without an output, a tile per outermost index
        outputs : list of (first tile, tiles, fields), scaled passes to write the results; loop
            ``c`` runs along the tiles
        """
        digits = self._digits(0, sums.loop.outer[0])
        held   = {"hold": True, "z": replace(self._slots.groups(0), outer=(0, 0, 0)),
                  "z_width": Width.BITS16, "acc_range": AccumulatorRange.BITS40,
                  "rounding": RoundMode.FLOOR, "clip": container_clip(_WORD_BITS)}
        passes = [replace(sums, shift=-_LEFT, **held),
                  digits.held({ONES: 0}, resume=True, shift=_LEFT, **held),
                  *digits.take(), *self._cut(digits)]
        terms  = {HIGH: 1 << _WORD_BITS, LOW: 1} if self._word is HIGH else {LOW: 1}
        return passes + [
            self._digits(first, tiles).add(
                LOW, terms, **{"bias_row": self._row, **RESCALED, **fields})
            for first, tiles, fields in outputs]

    def _cut(self, digits):
        """Passes to clear the bits above 32 after a left shift."""
        if not self._left:
            return []
        offset = 0 if self._word is HIGH else LOW_OFFSET
        places = (_WORD_BITS if self._word is HIGH else 2 * _WORD_BITS) - self._left
        return [digits.add(_PART, {self._word: 1}, offset + (1 << places - 1), places),
                digits.add(self._word, {self._word: 1, _PART: -1 << places}, offset)]
