# SPDX-License-Identifier: Apache-2.0
"""Sum of squares over many elements: each lane adds up its own elements' squares.

The lane sum is cut into words, which all lanes add up: with ``E = A * 2**top + B * 2**low + C`` and
``A * 2**(top - 16) = W * 2**16 + V``, ``W`` goes to the upper word of a bias, and ``V``, ``B`` and
``C`` are factors.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, AccumulatorRange, Memory, Pass, RoundMode, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.lower.sweep import elementwise

from .elements import HALF, WORD

__all__ = ["LaneSums"]

_WORD_BITS = WORD - 1  #: Bits of a non-negative part.
_LEAST     = 17        #: Minimum ``top``: a factor row can subtract ``A`` for any ways.


class LaneSums:
    """Passes up to the words, and how they are added up.

    ``bias`` int64 [lanes of all tiles] is added to the sum.
    """

    def __init__(self, elements, space, bias):
        self._elements, self._space = elements, space
        self._ways,  self._lanes = elements.ways, BANKS * elements.ways
        self._whole, self._rest  = divmod(elements.count, self._lanes)
        rows = self._whole + bool(self._rest)
        bits = (rows * elements.peak**2).bit_length()
        self._top     = max(bits - _WORD_BITS, _LEAST)
        self._low     = self._top - _WORD_BITS
        self._factors = space.in_y(rows)
        self._upper   = space.in_x(2)  # A, W
        self._words   = space.in_x(4)  # V twice, B, C
        self._bias    = bias - (self._lanes << WORD)  # every V is 1 less and negative

    @property
    def bias(self):
        """Sum bias without its upper word."""
        return self._bias & 0xFFFFFFFF

    @property
    def steps(self):
        """Fields for a pass with the sum in all lanes."""
        weights = -HALF, -HALF, 1 << self._low, 1
        rows    = self._space.rows(np.repeat(weights, self._ways))
        x       = replace(self._words.groups(0), outer=(0, 0, 0), taps=(0, BANKS, 1))
        return {"taps": (1, len(weights), BANKS), "x": x, "x_width": Width.BITS16,
                "y": replace(rows, taps=(0, 1, 0)), "y_width": Width.BITS16,
                "z_width": Width.BITS16}

    def make(self, records):
        """Passes computing the words; ``records`` are Tiles of the upper bias words."""
        upper, words = self._upper, self._words
        part = [upper.part(0, 1), upper.part(1, 1), words.part(2, 1), words.part(3, 1)]
        return [*self._copy(), *self._square(),
                self._idle(part[0], shift=self._top),
                self._idle(part[1], shift=2 * WORD, rounding=RoundMode.UP),
                self._take_upper(part[0]), self._idle(part[2], shift=self._low),
                self._write_words(), self._write_upper(part[1], records),
                self._take_middle(part[2], part[3])]

    def _tail(self):
        """Access to the last vectors, a full tile that contains the remaining elements."""
        return self._elements.access(offset=self._elements.source.groups - BANKS)

    def _copy(self):
        """Passes copying the elements to Y, one per lane, with zeros around the remaining
        elements.
        """
        source, factors = self._elements.source, self._factors
        copy = elementwise(source.bits, WORD, **self._elements.fields, outer=(1, 1, self._whole),
                           x=self._elements.access(outer=(0, 0, BANKS)), y=self._space.word(1),
                           z=factors.groups(0, loop=2), z_memory=Memory.Y)
        yield copy
        if self._rest:
            places = (source.groups - BANKS) * self._ways + np.arange(self._lanes)
            inside = (places >= self._whole * self._lanes) & (places < self._elements.count)
            one    = np.pad(inside[:, None], ((0, 0), (0, self._ways - 1))).astype(np.int16)
            mask   = self._space.matrix(one).access(0, 0)
            yield replace(copy, x=self._tail(), y=mask, y_shape=Shape.VECTOR, outer=(1, 1, 1),
                          z=factors.groups(self._whole))

    def _square(self):
        """Passes adding up every lane's squares."""
        square = Pass(x=self._tail(), y=self._factors.words(self._whole if self._rest else 0),
                      x_shape=Shape.LANES, y_shape=Shape.LANES, hold=True,
                      z=self._upper.groups(0), rounding=RoundMode.FLOOR,
                      acc_range=AccumulatorRange.BITS40, **self._elements.fields)
        square = replace(square, y=replace(square.operands.y, outer=(0, 0, 0)))
        if self._rest:
            yield square
        yield replace(square, resume=bool(self._rest), taps=(1, 1, self._whole),
                      x=self._elements.access(taps=(0, 0, BANKS)),
                      y=replace(self._factors.words(0), outer=(0, 0, 0), taps=(0, 0, 1)))

    def _idle(self, tile, **fields):
        """Pass writing the lane sums, shifted."""
        return Pass(**{"x": self._elements.access(), "y": self._space.word(0), "resume": True,
                       "y_shape": Shape.LANES, "rounding": RoundMode.FLOOR,
                       "clip": container_clip(WORD), "acc_range": AccumulatorRange.BITS40}
                    | self._elements.fields | tile.output(0) | fields)

    def _take_upper(self, tile):
        """Pass after which the lanes have their sums less ``A * 2**top``."""
        steps = 1 << self._top - _WORD_BITS
        return self._idle(tile, **self._read(tile), x_shape=Shape.LANES, hold=True,
                          y=self._space.row(-HALF), y_shape=Shape.VECTOR,
                          taps=(1, 1, steps // self._ways))

    def _take_middle(self, tile, to):
        """Pass writing ``C``."""
        return self._idle(to, **self._read(tile), x_shape=Shape.LANES,
                          y=self._space.word(-1 << self._low))

    def _write_words(self):
        """Pass writing ``-V - 1`` to both tiles.

        16 bits hold every such value, and the factor for ``2**16`` must be negative, too.
        """
        weights = -1 << self._top - WORD, 0, 0, 0, *[1 << WORD - 2] * 4
        fields  = self._read(self._upper)
        x = replace(fields["x"], taps=(0, BANKS, 0))
        y = replace(self._space.word(*weights), taps=(0, 4, 1))
        return self._idle(self._words, **fields | {"x": x}, x_shape=Shape.LANES, y=y,
                          taps=(1, 2, 4), resume=False, outer=(1, 1, 2), clip=(1 - HALF, HALF),
                          zero=-1, z=self._words.groups(0, loop=2))

    def _write_upper(self, tile, records):
        """Pass adding the sum of all ``W`` to the upper bias words."""
        tiles  = self._bias.size // self._lanes
        fields = self._read(tile)
        x = replace(fields["x"], taps=(0, 0, 1))
        z = records.groups(0)
        apart = (records.high + 1 - records.base - BANKS) // max(tiles - 1, 1)
        return self._idle(tile, **fields | {"x": x}, y=self._space.row(1), y_shape=Shape.VECTOR,
                          taps=(1, 1, BANKS), resume=False, outer=(tiles, 1, 1),
                          bias_row=self._space.records(self._bias >> 2 * WORD),
                          z=replace(z, outer=(apart, 0, 0)), z_memory=records.memory)

    def _read(self, tiles):
        """Fields for a pass reading ``tiles`` instead of elements."""
        return {"x": replace(tiles.groups(0), outer=(0, 0, 0)), "x_width": Width.BITS16,
                "x_zero": 0}
