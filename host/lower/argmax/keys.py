# SPDX-License-Identifier: Apache-2.0
"""Extreme indices along a dimension as passes.

The searched dimension is outermost, and every element of the others has a lane. An element ``x`` at
index ``k`` of a 128-element chunk has the key ``256 * x + 127 - k``, or ``-256 * (x + 1) + 127 -
k`` for the minimum. The largest key belongs to the first extreme, and its low byte gives the index.
With several chunks, keys of their extremes find the first chunk that contains the extreme. With
``c`` the chunk index, ``key`` its largest key, ``mark = 256 * (key >> 8) + 127 - c`` and ``best``
the largest mark::

    low = key + 127 * mark - 128 * best + 127 - c     # the low byte of key in the best chunk
    index = 128 * (127 - best % 256) + 127 - max(low)

In every other chunk ``low`` is negative, since ``mark`` is smaller.
"""

from dataclasses import replace
from itertools import accumulate

import numpy as np

from xymac.hdl.isa import BANKS, Op, RoundMode, Width, bias_rows
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.places import FirstExtreme
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import LOW_OFFSET, TensorLayout
from xymac.host.memory.packing import pack_records

__all__ = ["KeyLowering"]

_CHUNK = 128  #: Maximum indices per key, and maximum chunks.
_TOP   = _CHUNK - 1
_BYTE  = 8
_WORD  = 16
#: Weights of copies and keys, of chunk remainders, and of an index: weights of a key and its upper
#: byte, or of the best mark, its upper byte and the remainder, two of each.
_WORDS = (1, 256, -256, 1, _TOP, -_CHUNK, -1, 256, -_CHUNK, 0, 1 << 14, 1 << 14, -1, 0)
_ONE, _LARGE, _SMALL, _LEFT, _KEY, _INDEX = 0, 1, 2, 3, 6, 8


class KeyLowering(Lowering):
    """First extreme's index along any dimension."""

    forms = (FirstExtreme,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._axis   = self.form.axis
        self._size   = x.shape[self._axis]
        self._chunks = -(-self._size // _CHUNK)
        if self._chunks > _CHUNK:
            raise Refusal(RefusalKind.SHAPE, "An index of an extreme must be less than "
                          f"{_CHUNK * _CHUNK}, not up to {self._size - 1}")

    @classmethod
    def takes(cls, form, inputs):
        """8-bit elements along a dimension."""
        return form.axis is not None and inputs[0].bits == 8

    def source_layouts(self, preferred):
        """The dimension outermost, all others as a run."""
        [x] = self.inputs
        others = [axis for axis in range(len(x.shape)) if axis != self._axis]
        return (TensorLayout.of(x, (self._axis, *others), self.ways, inner=len(others)),)

    def refuses(self, sources):
        """An input in another order."""
        return refuse_other(*sources, *self.source_layouts(None))

    def target_layout(self, sources):
        """A single run."""
        [source] = sources
        return with_room(TensorLayout.flat(self.output, self.ways), [self._scratch(source)])

    def constants(self, sources):
        """All weights; the biases for index ``k`` of a chunk, and for an output index."""
        lanes  = np.ones(BANKS * self.ways, np.int64)
        first  = _TOP - np.arange(_CHUNK)
        keys   = first - 256 * (self.form.op is Op.MIN)
        index  = [_TOP - LOW_OFFSET, _CHUNK * _TOP + _TOP - LOW_OFFSET]
        biases = np.concatenate([keys, first[:self._chunks], index])
        return replace(lane_words(np.array(_WORDS, np.int16), self.ways),
                       bias=pack_records([np.concatenate([bias * lanes for bias in biases])],
                                         self.ways))

    def sizes(self, groups):
        """Scratch sizes in vectors, by part.

        The parts are keys; with several chunks, the largest keys, marks, the best mark for all
        chunks, and the remainders; then three single values.
        """
        several = self._chunks if self._chunks > 1 else 0
        return [count * groups for count in (self._size, *[several] * 4, 3)]

    def _scratch(self, source):
        size = sum(self.sizes(source.pitch)) * self.ways
        return TensorLayout((size,), _WORD, self.ways, (0,), 1, (size,))

    def passes(self, sources, target, constants):
        """Keys, the largest ones, and the index in both output words."""
        [source]  = sources
        [scratch] = place_behind(target, [self._scratch(source)])
        sizes = self.sizes(source.pitch)
        parts = [replace(scratch, shape=(size * self.ways,), parts=(size * self.ways,),
                         offset=start)
                 for size, start in zip(sizes, accumulate(sizes, initial=0), strict=False)]
        return _Steps(source, parts, constants, self._size, self.form.op is Op.MAX).make(
            *target.words32)


class _Steps:
    """Passes over a source and its scratch parts."""

    def __init__(self, source, parts, constants, size, is_largest):
        self._source, self._constants = source, constants
        self._keys, self._largest, self._marks, self._best, self._left, self._single = parts
        self._groups, self._ways = source.pitch, source.ways
        self._size, self._chunks = size, -(-size // _CHUNK)
        self._word = _LARGE if is_largest else _SMALL

    def make(self, upper, lower):
        """All passes; ``upper`` and ``lower`` are the output words."""
        groups = self._groups
        best, high, left = (place * groups for place in range(3))
        passes, index = [], {"x": self._single, "z": lower, "rounding": RoundMode.FLOOR}
        if self._chunks == 1:
            passes += [*self._make_keys(), *self._fold(self._keys, self._single, self._size)]
            index  |= {"word": _KEY, "taps": [(2, groups, 1)], "bias": _CHUNK + self._chunks}
        else:
            passes += [*self._make_keys(), *self._fold_chunks(), *self._mark_chunks(best, left)]
            index  |= {"word": _INDEX, "taps": [(3, groups, 2), (2, 0, 1)],
                       "bias": _CHUNK + self._chunks + 1}
        passes += self._pass(self._single, self._single, z_first=high, shift=_BYTE,
                             rounding=RoundMode.FLOOR)
        return [*passes, *self._pass(**index),
                *self._pass(self._single, upper, clip=(0, 0))]

    def _make_keys(self):
        """Passes writing the keys for full chunks and for the last chunk."""
        full, rest, step = *divmod(self._size, _CHUNK), self._groups
        for count, chunks, first in ((_CHUNK, full, 0), (rest, 1, full * _CHUNK)):
            if count and chunks:
                yield from self._pass(
                    self._source, self._keys, word=self._word, bias=0, first=first * step,
                    z_first=first * step, outer=[(count, step, step),
                                                 (chunks, _CHUNK * step, _CHUNK * step)])

    def _fold(self, source, target, count, **fields):
        """Passes writing the maximum over ``count`` runs."""
        return self._pass(source, target, op=Op.MAX, taps=[(count, self._groups, 0)], **fields)

    def _fold_chunks(self):
        """Passes writing every chunk's largest key."""
        full, rest = divmod(self._size, _CHUNK)
        step = self._groups
        for count, chunks, first in ((_CHUNK, full, 0), (rest, 1, full)):
            if count and chunks:
                yield from self._fold(self._keys, self._largest, count, first=first * _CHUNK * step,
                                      z_first=first * step,
                                      outer=[(1, 0, 0), (chunks, _CHUNK * step, step)])

    def _mark_chunks(self, best, left):
        """Passes writing the best mark, and the remainder of its chunk's largest key."""
        step, chunks = self._groups, self._chunks
        each = [(chunks, step, step)]
        yield from self._pass(self._largest, self._left, outer=[(1, 0, 0), *each], shift=_BYTE,
                              rounding=RoundMode.FLOOR)
        yield from self._pass(self._left, self._marks, word=_LARGE, bias=self._first, outer=each)
        yield from self._fold(self._marks, self._single, chunks, z_first=best)
        yield from self._pass(self._single, self._best, first=best,
                              outer=[(1, 0, 0), (chunks, 0, step)])
        yield from self._pass(self._largest, self._left, word=_LEFT, bias=self._first, outer=each,
                              taps=[(3, chunks * step, 1)], clip=(-1, _TOP))
        yield from self._fold(self._left, self._single, chunks, z_first=left)

    @property
    def _first(self):
        """First chunk bias (index)."""
        return _CHUNK

    def _pass(self, x, z, *, word=_ONE, bias=None, first=0, z_first=0, outer=(), taps=(),
              **fields):
        """Passes over the run vectors: full outputs, then the remaining vectors.

        Parameters
        ----------
        x, z : TensorLayouts
        first, z_first : first vectors, offsets
        word, bias : indices: first weight, and first bias or None for no bias
        outer : up to two loops (count, vectors of x, vectors of z); each index of the first has a
            bias
        taps : up to two loops (count, vectors of x, weights)
        """
        outer = [*outer, *[(1, 0, 0)] * (2 - len(outer))]
        taps  = [*[(1, 0, 0)] * (3 - len(taps)), *taps]
        counts, x_taps, y_taps = zip(*taps, strict=True)
        row   = None if bias is None else self._constants.y_row + bias * bias_rows(self._ways)
        last   = sum((count - 1) * step for count, step in zip(counts, y_taps, strict=True))
        y      = self._constants.word(word, _WORD, self._ways, count=last + 1)
        access = replace(x.access(offset=first), taps=x_taps)
        if x.bits == _WORD:  # Some passes also read later parts.
            access = replace(access, high=self._single.access().high)
        full, rest = divmod(self._groups, BANKS)
        for outputs, beats, done in ((full, BANKS, 0), (1, rest, full * BANKS)):
            if not outputs or not beats:
                continue
            loops = [*outer, (outputs, BANKS, BANKS)]
            x_steps, z_steps = ([loop[place] if loop[0] > 1 else 0 for loop in loops]
                                for place in (1, 2))
            yield replace(
                elementwise(x.bits, _WORD, y=replace(y, taps=y_taps), y_width=Width.BITS16,
                            x=replace(access, base=access.base + done, outer=tuple(x_steps)),
                            z=replace(z.access(offset=z_first + done), outer=tuple(z_steps)),
                            taps=counts, bias_row=row, **fields),
                outer=tuple(loop[0] for loop in loops), beats=beats)
