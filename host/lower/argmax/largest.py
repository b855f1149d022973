# SPDX-License-Identifier: Apache-2.0
"""Lowering for a Ranking with a single position: last index of a tensor's maximum.

A Ranking uses a heap with a single node, which every later element that is not smaller replaces;
the last maximum remains. The passes negate the maximum over all lanes, subtract 1 and use the
result as bias: an element equal to the maximum then gives -1 and is marked. Each mark is multiplied
by its key, an index; the largest product belongs to the last maximum. If an index needs more than
15 bits, every row block has its own keys, and the block offset is added afterwards.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.isa import BANKS, Access, Memory, Move, Op, Pass, Shape, Width, bias_rows
from xymac.host.ir.fields import container_clip
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import cover, elementwise, sweep
from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import LOW_OFFSET, TensorLayout
from xymac.host.memory.packing import pack_lanes, pack_records

from .single_run import SingleRunLowering

__all__ = ["LargestLowering"]

_BLOCK = 256  #: Rows per block, if several.
_WORD  = 16
_TOP   = (1 << _WORD - 1) - 1
_GONE  = 4    #: Penalty of a block without marks, times ``_TOP``: exceeds every index.


class LargestLowering(SingleRunLowering):
    """Last index of a full tensor's maximum."""

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._rows = _Rows(x.data.size, ways)

    @classmethod
    def takes(cls, form, inputs):
        """Whether the form asks for a single index of a single slice."""
        [x] = inputs
        return form.count == 1 and form.slices(x.shape) == 1

    def target_layout(self, sources):
        """A 32-bit index, followed by the scratch tensors."""
        return with_room(super().target_layout(sources), self._scratch)

    def constants(self, sources):
        """Constant rows, keys, and bias records with every block's offset, plus room for a computed
        record.

        The rows are MAC selectors for a lane, their negations, ones, and ``_TOP``.
        """
        ways, rows = self.ways, self._rows
        lanes  = BANKS * ways
        choice = np.eye(ways, dtype=np.int16).ravel()
        fixed  = np.outer([*choice, *-choice, 1, _TOP], np.ones(lanes, np.int16))
        words  = np.concatenate([fixed, rows.keys()]).astype(np.int16)
        lacks  = np.repeat(rows.starts - LOW_OFFSET - 1, lanes)
        return Constants(pack_lanes(words.T, ways), lanes * ways, room=bias_rows(ways),
                         bias=pack_records([lacks], ways))

    def passes(self, sources, target, constants):
        """Compute the maximum, mark equal elements, take their largest key."""
        [source] = sources
        scratch  = place_behind(target, self._scratch)
        return _Parts(self._rows, source, target, constants, *scratch).make()

    @property
    def _scratch(self):
        """Unplaced TensorLayouts: maxima, block marks, and all block results."""
        lanes = BANKS * self.ways
        sizes = (2 * lanes, _WORD), (self._rows.block * lanes, 8), (
            3 * len(self._rows.starts) * lanes, _WORD)
        return [TensorLayout((size,), bits, self.ways, (0,), 1, (size,)) for size, bits in sizes]


@dataclass(frozen=True)
class _Rows:
    """A run split into rows with ``BANKS`` vectors each, and the rows into blocks.

    With several blocks, the last row is a separate block.
    """

    size: int
    ways: int

    @property
    def lanes(self):
        """Row Elements."""
        return BANKS * self.ways

    @property
    def count(self):
        """Row count, a partial last row included."""
        return -(-self.size // self.lanes)

    @property
    def block(self):
        """Rows per block."""
        return min(self.count, _BLOCK)

    @property
    def starts(self):
        """First element of every block, int64."""
        if self.count <= _BLOCK:
            return np.zeros(1, np.int64)
        last = (self.count - 1) * self.lanes
        return np.append(np.arange(0, last, _BLOCK * self.lanes), last)

    def keys(self):
        """Mark keys, int16 [rows, lanes]: the index; with several blocks the index within the block
        plus 1, the last row last. 0 marks a missing element."""
        keys = np.arange(self.block * self.lanes).reshape(-1, self.lanes)
        if self.count <= _BLOCK:
            return np.where(keys < self.size, keys, 0)
        last = np.where(keys[0] < self.size - self.starts[-1], keys[0] + 1, 0)
        return np.concatenate([keys + 1, last[None]])


@dataclass(frozen=True)
class _Parts:
    """Passes between an input and an output, with their scratch tensors."""

    rows:      _Rows
    source:    TensorLayout
    target:    TensorLayout
    constants: Constants
    largest:   TensorLayout
    marks:     TensorLayout
    places:     TensorLayout

    def make(self):
        """All passes."""
        upper, lower = self.target.words32
        clear  = elementwise(_WORD, _WORD, x=self.places.access(), y=self._one, beats=1,
                             y_width=Width.BITS16, z=upper.access(), clip=(0, 0))
        passes = [clear, *self._find_largest(), *self._write_bias()]
        if len(self.rows.starts) == 1:
            passes += [*self._mark(0, self.source.groups), self._last_mark(0, self.rows.count, 0)]
            return [*passes, self._fold(Op.MAX, self.places, BANKS, z=lower.access(), beats=1,
                                        clip=(0, _TOP), zero=-LOW_OFFSET)]
        return [*passes, *self._mark_blocks(), *self._fold_blocks(lower)]

    @property
    def _ways(self):
        return self.rows.ways

    @property
    def _one(self):
        return self._word(0)

    def _word(self, index, count=1, taps=(0, 0, 0)):
        """Access to all-lane constant words, counted from the all-ones word."""
        return self.constants.word(2 * self._ways**2 + index, _WORD, self._ways, count, taps=taps)

    def _choose(self, count, sign):
        """Access to a lane's first ``count`` MAC selector rows."""
        base = self.constants.weights_row + (0 if sign > 0 else self._ways)
        return Access(base, base, base + count - 1, taps=(0, 0, 1))

    @property
    def _maxima(self):
        """Vector counts: full in tiles, full after the tiles, any after the tiles."""
        full = self.rows.size // self._ways
        tiled = full if full >= BANKS else 0
        return tiled, full - tiled, self.source.groups - tiled

    def _find_largest(self):
        """Passes writing every lane's maximum over the tiles, every vector after the tiles by
        itself, and the partial last vector."""
        tiled, rest, groups = self._maxima
        base   = elementwise(self.source.bits, _WORD, op=Op.MAX, x=self.source.access(),
                             y=self._one, y_width=Width.BITS16, z=self.largest.access())
        passes = []
        if tiled:
            counts, strides = cover(tiled)
            passes.append(replace(base, x=replace(base.operands.x, taps=strides), taps=counts))
        if rest:
            passes.append(replace(base, x=self.source.access(), beats=rest))
        if groups > rest:
            count = self.rows.size % self._ways
            passes.append(replace(
                base, x=self.source.access(offset=self.source.groups - 1), x_shape=Shape.VECTOR,
                y=self._choose(count, 1), y_shape=Shape.VECTOR, taps=(1, 1, count), beats=1,
                z=self.largest.access(offset=BANKS * bool(tiled) + rest)))
        return passes

    def _write_bias(self):
        """Passes writing the negated maximum less 1 to a bias record: the sign to all words,
        then the value to the lowest word."""
        tiled, _, groups = self._maxima
        words = bias_rows(self._ways) * self._ways
        low   = self.constants.room_row * self._ways * BANKS
        z     = Access(low, low, low + words * BANKS - 1, (0, 0, BANKS))
        fold  = self._fold(Op.MIN, self.largest, BANKS * bool(tiled) + groups,
                           z=z, z_memory=Memory.Y, zero=-1)
        lowest = replace(z, base=low + (words - self._ways) * BANKS)
        return [replace(fold, clip=(0, 1), outer=(1, 1, words)),
                replace(fold, clip=(-_TOP, _TOP + 1), z=replace(lowest, outer=(0, 0, 0)))]

    def _fold(self, op, layout, groups, **fields):
        """Pass that gives all lanes the maximum over the first vectors, or with MIN its
        negative."""
        x = replace(layout.access(taps=(0, 1, 0)), high=layout.base + groups - 1)
        return Pass(**{"op": op, "taps": (1, groups, self._ways), "x": x, "x_width": Width.BITS16,
                       "y": self._choose(self._ways, 1 if op is Op.MAX else -1),
                       "y_width": Width.BITS16, "z_width": Width.BITS16,
                       "clip": container_clip(_WORD)} | fields)

    def _mark(self, first, groups):
        """Passes marking elements equal to the maximum in some input vectors. The shorter
        pass comes first, so that the longer pass hides the wait."""
        mark = elementwise(self.source.bits, 8, x=self.source.access(offset=first), y=self._one,
                           y_width=Width.BITS16, bias_row=self.constants.room_row, clip=(-2, -1),
                           zero=2, z=self.marks.access())
        return sweep(mark, groups, (BANKS, 0, BANKS))[::-1]

    def _last_mark(self, key, rows, block):
        """Pass writing the last mark's key in every lane of some rows."""
        x = self.marks.access(taps=(0, 0, BANKS))
        return elementwise(8, _WORD, op=Op.MAX, taps=(1, 1, rows), x=x, y_width=Width.BITS16,
                           y=self._word(2 + key, rows, taps=(0, 0, 1)),
                           z=self.places.access(offset=block * BANKS))

    def _mark_blocks(self):
        """Passes marking every block's maxima and finding its last mark; full blocks run in a loop.
        """
        rows, last = self.rows, len(self.rows.starts) - 1
        full, rest = divmod(rows.count - 1, _BLOCK)
        [mark] = self._mark(0, _BLOCK * BANKS)
        mark   = replace(mark, x=replace(mark.operands.x, move=Move.FIRST))
        find   = self._last_mark(0, _BLOCK, 0)
        find   = replace(find, z=replace(find.epilogue.z, move=Move.SECOND))
        if full > 1:
            find = replace(find, back=1, repeat=full - 1, advance=(_BLOCK * BANKS, BANKS))
        passes = [mark, find]
        if rest:
            passes += [*self._mark(full * _BLOCK * BANKS, rest * BANKS),
                       self._last_mark(0, rest, full)]
        begin = (rows.count - 1) * BANKS
        return [*passes, *self._mark(begin, self.source.groups - begin),
                self._last_mark(_BLOCK, 1, last)]

    def _fold_blocks(self, lower):
        """Passes adding the block offsets, penalising blocks without marks, and writing the largest
        sum.
        """
        blocks = len(self.rows.starts)
        area   = blocks * BANKS
        none   = elementwise(_WORD, _WORD, x=self._area(0), y=self._one, y_width=Width.BITS16,
                             shift=-2, clip=(0, _GONE), zero=-_GONE, z=self._area(1))
        x      = replace(self._area(0, 2), outer=(BANKS, 0, 0), taps=(0, 0, area))
        whole  = elementwise(_WORD, _WORD, outer=(blocks, 1, 1), taps=(1, 1, 2), x=x,
                             y=self._word(0, 2, taps=(0, 0, 1)), y_width=Width.BITS16,
                             z=replace(self._area(2), outer=(BANKS, 0, 0)),
                             bias_row=self.constants.y_row)
        fold   = self._fold(Op.MAX, self.places, area, z=lower.access(), beats=1)
        return [*sweep(none, area, (BANKS, 0, BANKS)), whole,
                replace(fold, x=replace(self._area(2), taps=(0, 1, 0)))]

    def _area(self, index, count=1):
        """Access to the vectors for all blocks: keys, flags or sums."""
        area = len(self.rows.starts) * BANKS
        base = self.places.base + index * area
        return Access(base, base, base + count * area - 1)
