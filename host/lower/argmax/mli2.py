"""Places of the largest elements in MLI 2.0 as passes: the heap of the library in every lane.

A lane has a slice. Which of equal elements come first, or at all, is what the heap leaves; see
``golden.mli2.ArgMax`` and ``host.lower.argmax.heap``.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from hdl.isa import BACK_MAX, BANKS, Move, Width, bias_rows
from host.lower.groups import split_outputs
from host.lower.refuse import NoPassesError
from host.lower.scratch import place_behind, with_room
from host.lower.sweep import Loop, container_clip, elementwise, sweep
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import HALF, TensorLayout
from host.memory.packing import pack_records

from .heap import FLAG_BIASES, FLAG_WORDS, HIGHEST, Heap

__all__ = ["constants", "lower", "source_layouts", "target_layout"]

_ONE, _FLAGS, _PLACES = 0, 1, 1 + len(FLAG_WORDS)  #: First words.
_ONES, _NEW = range(2)  #: Entries beside the heap: of ones, and of what comes next.


def source_layouts(layer, xs, preferred, ways):
    """Element by element of a slice, those of all slices as a run."""
    return (_by_slices(layer, xs[0], ways),)


def _by_slices(layer, x, ways):
    """TensorLayout of a tensor whose runs are an element of every slice each."""
    axes = range(len(x.shape))
    if layer.axis < 0:
        return TensorLayout.of(x, axes, ways, inner=0)
    return TensorLayout.of(x, (*(axis for axis in axes if axis != layer.axis), layer.axis), ways)


def target_layout(layer, xs, sources):
    """The largest of all slices, then what comes next; what passes work on behind it.

    ValueError if the input does not lie element by element; NoPassesError for too many elements.
    """
    [x], [source] = xs, sources
    wanted = _by_slices(layer, x, source.ways)
    if source.arrangement != wanted.arrangement:
        raise ValueError(f"The input must lie as {wanted.arrangement}, not as "
                         f"{source.arrangement}")
    if x.data.size > HALF:
        raise NoPassesError(f"Elements must be at most {HALF}, not {x.data.size}")
    target = TensorLayout.of(blank_output(layer, x), (1, 0), source.ways)
    entries, _ = Heap.room(layer.topk, _tiles(source), source.ways)
    return with_room(target, [entries])


def _tiles(source):
    return -(-source.pitch // BANKS)


def constants(layer, xs, sources):
    """A one, words for flags, and the place of each element of the first slice; biases of flags,
    and how much farther the places of the other slices are, less ``HALF``."""
    [x], [source] = xs, sources
    ways, tiles = source.ways, _tiles(source)
    places  = np.arange(x.data.size).reshape(x.shape)
    first   = places if layer.axis < 0 else places.take(0, layer.axis)
    words   = np.array([1, *FLAG_WORDS, *first.ravel()], np.int16)
    lanes   = np.arange(tiles * BANKS * ways)
    further = lanes % layer.output_shape(x.shape)[0] * prod(x.shape[layer.axis + 1:])
    biases  = np.concatenate([np.repeat(FLAG_BIASES, BANKS * ways), further - HALF])
    _, flags = Heap.room(layer.topk, tiles, ways)
    return replace(lane_words(words, ways, room=-(-flags // ways)),
                   bias=pack_records([biases], ways))


def lower(layer, xs, sources, target, values):
    """Passes of the largest places; see ``host.lower.registry.lower``."""
    [source], ways, tiles = sources, target.ways, _tiles(sources[0])
    [entries] = place_behind(target, [Heap.room(layer.topk, tiles, ways)[0]])
    heap  = Heap(layer.topk, tiles, entries, values.room_row * ways,
                 values.word(_FLAGS, 16, ways, count=len(FLAG_WORDS)), values.y_row)
    parts = _Parts(heap, source, target, values)
    upper, _ = target.halves
    return [parts.filled(heap.extra(_ONES), 1),
            *sweep(elementwise(16, 16, x=entries.access(), y=parts.one, y_width=Width.BITS16,
                               z=upper.access(), clip=(0, 0)), upper.groups, (0, 0, BANKS)),
            *parts.begun(), *parts.inserted(), *parts.emptied()]


@dataclass(frozen=True)
class _Parts:
    """The passes of a heap between an input and an output, and its constants."""

    heap:   Heap
    source: TensorLayout
    target: TensorLayout
    values: object

    @property
    def one(self):
        """Access to a word of ones."""
        return self.values.word(_ONE, 16, self.target.ways)

    def filled(self, entry, value):
        """Pass that makes all elements of an entry ``value``."""
        x = self.heap.access(entry)
        return elementwise(16, 16, x=x, y=self.one, y_width=Width.BITS16, z=x, clip=(value, value),
                           outer=(1, 1, self.heap.tiles))

    def loaded(self, first, count, entry):
        """Passes that write elements from ``first`` on, and their places, to entries."""
        heap, source = self.heap, self.source
        size     = prod(source.dims)
        elements = elementwise(source.bits, 16, x=source.access(offset=first * source.pitch),
                               y=self.one, y_width=Width.BITS16, z=heap.access(entry))
        words    = self.values.word(_PLACES, 16, source.ways, count=size, outer=(1, 0, 0))
        places   = elementwise(
            16, 16, x=heap.access(heap.extra(_ONES)), y_width=Width.BITS16,
            y=replace(words, base=words.base + first),
            z=heap.access(heap.plane + entry, (heap.step, 0, 0)), outer=(count, 1, heap.tiles))
        return [*sweep(elements, source.pitch, (BANKS, 0, BANKS),
                       [Loop(count, source.pitch, 0, heap.step)]), places]

    def begun(self):
        """Passes that make a heap of the first elements."""
        heap, passes = self.heap, []
        if heap.parents:
            passes += self.loaded(0, heap.parents, heap.into(0))
        passes += self.loaded(heap.parents, heap.size - heap.parents, heap.node(heap.parents))
        return passes + [part for root in reversed(range(heap.parents))
                         for part in heap.sifted(root)]

    def inserted(self):
        """Passes that take in all other elements, one after the other."""
        heap, count = self.heap, prod(self.source.dims) - self.heap.size
        if not count:
            return []
        entry = heap.extra(_NEW)
        *elements, places = self.loaded(heap.size, 1, entry)
        return _repeated([
            *(replace(part, x=replace(part.x, move=Move.FIRST)) for part in elements),
            replace(places, y=replace(places.y, move=Move.SECOND)), *heap.inserted(entry)],
            count, (self.source.pitch, 1))

    def emptied(self):
        """Passes that take off the roots, from the last place of the output to the first."""
        heap, last = self.heap, self.heap.size - 1
        if not last:
            return self._written(0)
        down, gone = (heap.moved(heap.node(last), heap.into(0), self.one),
                      self.filled(heap.node(last), HIGHEST))
        return _repeated([
            *(replace(part, z=replace(part.z, move=Move.FIRST)) for part in self._written(last)),
            replace(down, x=replace(down.x, move=Move.SECOND)),
            replace(gone, z=replace(gone.z, move=Move.SECOND)), *heap.sifted(0)],
            last, (-self.target.pitch, -heap.step)) + self._written(0)

    def _written(self, rank):
        """Passes that write the lower halves of the places of the roots."""
        heap, (_, lower) = self.heap, self.target.halves
        root = replace(heap.access(heap.plane + heap.node(0)), outer=(BANKS, 0, 0))
        whole = elementwise(
            16, 16, x=root, y=self.one, y_width=Width.BITS16, clip=container_clip(16),
            z=lower.access((BANKS, 0, 0), offset=rank * lower.pitch),
            bias_row=self.values.y_row + len(FLAG_BIASES) * bias_rows(lower.ways))
        return split_outputs(whole, lower)


def _repeated(passes, count, advance):
    """The passes as a loop that runs ``count`` times; NoPassesError if it is too long."""
    if count == 1:
        return passes
    if len(passes) - 1 > BACK_MAX:
        raise NoPassesError(f"topk must be small enough for a loop of {BACK_MAX + 1} passes, not "
                            f"of {len(passes)}")
    return [*passes[:-1], replace(passes[-1], repeat=count - 1, back=len(passes) - 1,
                                  advance=advance)]
