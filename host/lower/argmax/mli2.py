"""Places of the largest elements in MLI 2.0 as passes: the heap of the library in every lane.

A lane has a slice. Which of equal elements come first, or at all, is what the heap leaves; see
``golden.mli2.ArgMax`` and ``host.lower.argmax.heap``.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from golden.mli2 import ArgMax
from hdl.isa import BACK_MAX, BANKS, Move, Width, bias_rows
from host.lower.base import Lowering
from host.lower.groups import split_outputs
from host.lower.refuse import NoPassesError
from host.lower.scratch import place_behind, with_room
from host.lower.sweep import Loop, container_clip, elementwise, sweep
from host.memory.constants import lane_words
from host.memory.layout import LOW_OFFSET, TensorLayout
from host.memory.packing import pack_records

from .heap import FLAG_BIASES, FLAG_WORDS, HIGHEST, Heap

__all__ = ["ArgMaxLowering"]

_ONE, _FLAGS, _PLACES = 0, 1, 1 + len(FLAG_WORDS)  #: First words.
_ONES, _NEW = range(2)  #: Entries beside the heap: of ones, and of what comes next.


class ArgMaxLowering(Lowering):
    """The largest of all slices, then what comes next; what passes work on behind it.

    NoPassesError for too many elements.
    """

    layers = (ArgMax,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        if x.data.size > LOW_OFFSET:
            raise NoPassesError(f"Elements must be at most {LOW_OFFSET}, not {x.data.size}")
        axes = range(len(x.shape))
        if layer.axis < 0:
            self._wanted = TensorLayout.of(x, axes, ways, inner=0)
        else:
            order = *(axis for axis in axes if axis != layer.axis), layer.axis
            self._wanted = TensorLayout.of(x, order, ways)
        self._tiles = -(-self._wanted.pitch // BANKS)
        self._entries, self._flags = Heap.room(layer.topk, self._tiles, ways)

    def source_layouts(self, preferred):
        """Element by element of a slice, those of all slices as a run."""
        return (self._wanted,)

    def target_layout(self, sources):
        """Place by place, those of all slices as a run.

        ValueError if the input does not lie element by element.
        """
        [source] = sources
        if source.arrangement != self._wanted.arrangement:
            raise ValueError(f"The input must lie as {self._wanted.arrangement}, not as "
                             f"{source.arrangement}")
        return with_room(TensorLayout.of(self.output, (1, 0), self.ways), [self._entries])

    def constants(self, sources):
        """A one, words for flags, and the place of each element of the first slice; biases of
        flags, and how much farther the places of the other slices are, less ``LOW_OFFSET``."""
        [x], ways, layer = self.inputs, self.ways, self.layer
        places  = np.arange(x.data.size).reshape(x.shape)
        first   = places if layer.axis < 0 else places.take(0, layer.axis)
        words   = np.array([1, *FLAG_WORDS, *first.ravel()], np.int16)
        lanes   = np.arange(self._tiles * BANKS * ways)
        further = lanes % self.output.shape[0] * prod(x.shape[layer.axis + 1:])
        biases  = np.concatenate([np.repeat(FLAG_BIASES, BANKS * ways), further - LOW_OFFSET])
        return replace(lane_words(words, ways, room=-(-self._flags // ways)),
                       bias=pack_records([biases], ways))

    def passes(self, sources, target, constants):
        """A heap of the first elements, which takes in all others and is emptied."""
        [source], ways = sources, self.ways
        [entries] = place_behind(target, [self._entries])
        heap  = Heap(self.layer.topk, self._tiles, entries, constants.room_row * ways,
                     constants.word(_FLAGS, 16, ways, count=len(FLAG_WORDS)), constants.y_row)
        parts = _Parts(heap, source, target, constants)
        upper, _ = target.words32
        clear = elementwise(16, 16, x=entries.access(), y=parts.one, y_width=Width.BITS16,
                            z=upper.access(), clip=(0, 0))
        return [parts.fill(heap.extra(_ONES), 1), *sweep(clear, upper.groups, (0, 0, BANKS)),
                *parts.begin(), *parts.insert(), *parts.empty()]


@dataclass(frozen=True)
class _Parts:
    """The passes of a heap between an input and an output, and its constants."""

    heap:      Heap
    source:    TensorLayout
    target:    TensorLayout
    constants: object

    @property
    def one(self):
        """Access to a word of ones."""
        return self.constants.word(_ONE, 16, self.target.ways)

    def fill(self, entry, value):
        """Pass that makes all elements of an entry ``value``."""
        x = self.heap.access(entry)
        return elementwise(16, 16, x=x, y=self.one, y_width=Width.BITS16, z=x, clip=(value, value),
                           outer=(1, 1, self.heap.tiles))

    def load(self, first, count, entry):
        """Passes that write elements from ``first`` on, and their places, to entries."""
        heap, source = self.heap, self.source
        size     = prod(source.dims)
        elements = elementwise(source.bits, 16, x=source.access(offset=first * source.pitch),
                               y=self.one, y_width=Width.BITS16, z=heap.access(entry))
        words    = self.constants.word(_PLACES, 16, source.ways, count=size, outer=(1, 0, 0))
        places   = elementwise(
            16, 16, x=heap.access(heap.extra(_ONES)), y_width=Width.BITS16,
            y=replace(words, base=words.base + first),
            z=heap.access(heap.plane + entry, (heap.step, 0, 0)), outer=(count, 1, heap.tiles))
        return [*sweep(elements, source.pitch, (BANKS, 0, BANKS),
                       [Loop(count, source.pitch, 0, heap.step)]), places]

    def begin(self):
        """Passes that make a heap of the first elements."""
        heap, passes = self.heap, []
        if heap.parents:
            passes += self.load(0, heap.parents, heap.into(0))
        passes += self.load(heap.parents, heap.size - heap.parents, heap.node(heap.parents))
        return passes + [part for root in reversed(range(heap.parents))
                         for part in heap.sift(root)]

    def insert(self):
        """Passes that take in all other elements, one after the other."""
        heap, count = self.heap, prod(self.source.dims) - self.heap.size
        if not count:
            return []
        entry = heap.extra(_NEW)
        *elements, places = self.load(heap.size, 1, entry)
        return _repeat([
            *(replace(part, x=replace(part.x, move=Move.FIRST)) for part in elements),
            replace(places, y=replace(places.y, move=Move.SECOND)), *heap.insert(entry)],
            count, (self.source.pitch, 1))

    def empty(self):
        """Passes that take off the roots, from the last place of the output to the first."""
        heap, last = self.heap, self.heap.size - 1
        if not last:
            return self._write(0)
        down, gone = (heap.move(heap.node(last), heap.into(0), self.one),
                      self.fill(heap.node(last), HIGHEST))
        return _repeat([
            *(replace(part, z=replace(part.z, move=Move.FIRST)) for part in self._write(last)),
            replace(down, x=replace(down.x, move=Move.SECOND)),
            replace(gone, z=replace(gone.z, move=Move.SECOND)), *heap.sift(0)],
            last, (-self.target.pitch, -heap.step)) + self._write(0)

    def _write(self, rank):
        """Passes that write the lower halves of the places of the roots."""
        heap, (_, lower) = self.heap, self.target.words32
        root = replace(heap.access(heap.plane + heap.node(0)), outer=(BANKS, 0, 0))
        whole = elementwise(
            16, 16, x=root, y=self.one, y_width=Width.BITS16, clip=container_clip(16),
            z=lower.access((BANKS, 0, 0), offset=rank * lower.pitch),
            bias_row=self.constants.y_row + len(FLAG_BIASES) * bias_rows(lower.ways))
        return split_outputs(whole, lower)


def _repeat(passes, count, advance):
    """The passes as a loop that runs ``count`` times; NoPassesError if it is too long."""
    if count == 1:
        return passes
    if len(passes) - 1 > BACK_MAX:
        raise NoPassesError(f"topk must be small enough for a loop of {BACK_MAX + 1} passes, not "
                            f"of {len(passes)}")
    return [*passes[:-1], replace(passes[-1], repeat=count - 1, back=len(passes) - 1,
                                  advance=advance)]
