# SPDX-License-Identifier: Apache-2.0
"""Largest element positions as passes: a heap in every lane.

Each lane has a slice. The heap sets the order in which equal elements rank and are chosen; see
``xymac.host.ir.places.Ranking`` and ``xymac.host.lower.argmax.heap``.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, Move, Width, bias_rows
from xymac.host.ir.fields import container_clip
from xymac.host.ir.places import Ranking
from xymac.host.lower.base import Lowering
from xymac.host.lower.groups import split_outputs
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import LOW_OFFSET, TensorLayout
from xymac.host.memory.packing import pack_records

from .heap import FLAG_BIASES, FLAG_WORDS, HIGHEST, HeapLayout
from .single_run import search_places

__all__ = ["RankingLowering"]

_ONE, _FLAGS, _PLACES = 0, 1, 1 + len(FLAG_WORDS)  #: First words.
_ONES, _NEW = range(2)  #: Free entries beside the heap: ones, and the next element.


class RankingLowering(Lowering):
    """Largest element positions per slice, rank by rank; scratch follows the output."""

    forms = (Ranking,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        axes, own = range(len(x.shape)), self.form.axis
        if own is None:
            self._wanted = TensorLayout.of(x, axes, ways, inner=0)
        else:
            order = *(axis for axis in axes if axis != own), own
            self._wanted = TensorLayout.of(x, order, ways)
        self._entries, self._flags = HeapLayout.room(self.form.count, self._wanted.pitch, ways)

    @property
    def search(self):
        """By dimension indices, or in parts."""
        return search_places(self.form, self.inputs[0], self.output)

    def source_layouts(self, preferred):
        """Element by element; the same element of all slices is a run."""
        return (self._wanted,)

    def refuses(self, sources):
        """An input that is not laid out element by element."""
        return refuse_other(*sources, self._wanted)

    def target_layout(self, sources):
        """Rank by rank; the positions at a rank, over all slices, are a run."""
        return with_room(TensorLayout.of(self.output, (1, 0), self.ways), [self._entries])

    def constants(self, sources):
        """An all-ones word, flag words, first-slice positions, flag biases and slice offsets.

        Each element position is stored minus ``LOW_OFFSET``. A slice offset is the distance between
        the positions in the first slice and in another slice.
        """
        [x], ways, axis = self.inputs, self.ways, self.form.axis
        places  = np.arange(x.data.size).reshape(x.shape)
        first   = places if axis is None else places.take(0, axis)
        words   = np.array([1, *FLAG_WORDS, *(first.ravel() - LOW_OFFSET)], np.int16)
        lanes   = np.arange(-(-self._wanted.pitch // BANKS) * BANKS * ways)
        further = lanes % self.output.shape[0] * (axis is not None and prod(x.shape[axis + 1:]))
        biases  = np.concatenate([np.repeat(FLAG_BIASES, BANKS * ways), further])
        return replace(lane_words(words, ways, room=-(-self._flags // ways)),
                       bias=pack_records([biases], ways))

    def passes(self, sources, target, constants):
        """Passes building a heap from the first elements, inserting all others, and emptying it."""
        [source], ways = sources, self.ways
        [entries] = place_behind(target, [self._entries])
        heap  = HeapLayout(self.form.count, target.pitch, entries, constants.room_row * ways,
                     constants.word(_FLAGS, 16, ways, count=len(FLAG_WORDS)), constants.y_row)
        parts = _Parts(heap, source, target, constants)
        upper, _ = target.words32
        clear = elementwise(16, 16, x=entries.access(), y=parts.one, y_width=Width.BITS16,
                            z=upper.access(), clip=(0, 0))
        return [*parts.fill(heap.free(_ONES), 1), *sweep(clear, upper.groups, (0, 0, BANKS)),
                *parts.begin(), *parts.insert(),
                *(parts.empty() if self.form.is_sorted else parts.leave())]


@dataclass(frozen=True)
class _Parts:
    """Passes for a heap between an input and an output, and its constants."""

    heap:      HeapLayout
    source:    TensorLayout
    target:    TensorLayout
    constants: object

    @property
    def one(self):
        """Access to an all-ones word."""
        return self.constants.word(_ONE, 16, self.target.ways)

    def fill(self, entry, value, count=1):
        """Passes setting all elements of ``count`` entries to ``value``."""
        x    = self.heap.access(entry)
        fill = elementwise(16, 16, x=x, y=self.one, y_width=Width.BITS16, z=x, clip=(value, value))
        return sweep(fill, count * self.heap.groups, (BANKS, 0, BANKS))

    def load(self, first, count, entry):
        """Two pass lists writing ``count`` elements from ``first``, and their positions, to
        entries.
        """
        heap, source = self.heap, self.source
        words  = self.constants.word(_PLACES, 16, source.ways, count=prod(source.dims))
        loaded = elementwise(source.bits, 16, x=source.access(offset=first * source.pitch),
                             y=self.one, y_width=Width.BITS16, z=heap.access(entry))
        places = elementwise(16, 16, x=heap.access(heap.free(_ONES)), y_width=Width.BITS16,
                             y=replace(words, base=words.base + first),
                             z=heap.access(heap.plane + entry))
        return (sweep(loaded, heap.groups, (BANKS, 0, BANKS),
                      [Loop(count, source.pitch, 0, heap.groups)]),
                sweep(places, heap.groups, (BANKS, 0, BANKS), [Loop(count, 0, 1, heap.groups)]))

    def begin(self):
        """Passes building a heap from the first elements."""
        heap   = self.heap
        leaf   = heap.node(heap.parents)
        passes = self.fill(leaf, HIGHEST, heap.nodes - heap.parents)
        for first, count, entry in ((0, heap.parents, heap.into(0)),
                                    (heap.parents, heap.size - heap.parents, leaf)):
            if count:
                elements, places = self.load(first, count, entry)
                passes += [*elements, *places]
        return passes + [part for level in reversed(range(heap.levels - 1))
                         for part in heap.sift(level)]

    def insert(self):
        """Passes inserting all other elements in sequence."""
        heap, count = self.heap, prod(self.source.dims) - self.heap.size
        if not count:
            return []
        entry = heap.free(_NEW)
        elements, places = self.load(heap.size, 1, entry)
        return _repeat([
            *(replace(part, x=replace(part.operands.x, move=Move.FIRST)) for part in elements),
            *(replace(part, y=replace(part.operands.y, move=Move.SECOND)) for part in places),
            *heap.insert(entry)], count, (self.source.pitch, 1))

    def empty(self):
        """Passes removing the roots, from the last output rank to the first."""
        heap, last = self.heap, self.heap.size - 1
        if not last:
            return self._write(0)
        down, gone = (heap.move(heap.node(last), heap.into(0), self.one),
                      self.fill(heap.node(last), HIGHEST))
        return _repeat([
            *(replace(part, z=replace(part.epilogue.z, move=Move.FIRST))
              for part in self._write(last)),
            *(replace(part, x=replace(part.operands.x, move=Move.SECOND)) for part in down),
            *(replace(part, z=replace(part.epilogue.z, move=Move.SECOND)) for part in gone),
            *heap.sift(0)], last, (-self.target.pitch, -heap.groups)) + self._write(0)

    def leave(self):
        """Passes writing all node positions, from the root on."""
        return _repeat([
            replace(part, x=replace(part.operands.x, move=Move.FIRST),
                    z=replace(part.epilogue.z, move=Move.SECOND))
            for part in self._write(0)], self.heap.size, (self.heap.groups, self.target.pitch))

    def _write(self, rank):
        """Passes writing the lower halves of the root positions."""
        heap, (_, lower) = self.heap, self.target.words32
        root = replace(heap.access(heap.plane + heap.node(0)), outer=(BANKS, 0, 0))
        whole = elementwise(
            16, 16, x=root, y=self.one, y_width=Width.BITS16, clip=container_clip(16),
            z=lower.access((BANKS, 0, 0), offset=rank * lower.pitch),
            bias_row=self.constants.y_row + len(FLAG_BIASES) * bias_rows(lower.ways))
        return split_outputs(whole, lower)


def _repeat(passes, count, advance):
    """The passes as a loop that runs ``count`` times."""
    if count == 1:
        return passes
    return [*passes[:-1], replace(passes[-1], repeat=count - 1, back=len(passes) - 1,
                                  advance=advance)]
