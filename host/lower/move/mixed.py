# SPDX-License-Identifier: Apache-2.0
"""Elements written into memory vectors that also contain gap elements."""

from dataclasses import replace
from itertools import product

import numpy as np

from xymac.golden.views import Stored, list_places
from xymac.hdl.isa import BANKS, CELL_BITS, Memory
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import copy, fill
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .arrange import GatherWindow, arrange, cut_dims
from .copies import COPY_WORDS
from .gather import GatherMove
from .halves import flip_low, half_words, join_constants, split_constants
from .merge import Mask
from .strides import Dim

__all__ = ["MixedGroups"]


class MixedGroups:
    """A gather arranges the elements in vectors, then a mask merges them with memory.

    Nested steps in memory need a single gather; other steps need a gather per block.

    Parameters
    ----------
    source : TensorLayout of the elements, a single part
    dims : Dim list, source and memory strides, by decreasing memory stride
    count : int, memory elements
    halves : int, memory elements per element: 2 for 32-bit elements
    """

    def __init__(self, source, dims, count, halves):
        self._ways, self._halves = source.ways, halves
        first = source.words32[0] if source.bits > CELL_BITS else source
        self._plane = replace(first.at(0, Memory.X), before=0, behind=0)
        apart = self._plane.rows * self._plane.row_groups * source.ways  # half to half
        size  = (halves - 1) * apart + self._plane.span * source.ways
        self._around, self._inside = cut_dims(_complete(dims, halves, apart), size)
        self._marks = _mark_places(self._inside)
        self._has_gaps = self._around or not self._marks.all() or self._marks.size < count
        steps       = [dim.z for dim in self._inside]
        lanes       = BANKS * source.ways
        behind      = source.ways if self._around else count - self._marks.size  # kept elements
        self._masks = {start: Mask.of(self._marks, lanes, steps, start, behind)
                       for start in {place % source.ways for _, place in self._blocks()}}

    def make_room(self, target):
        """``target`` with free space for the intermediate vectors of the passes."""
        return with_room(target, self._rooms(target))

    def constants(self):
        """Words for gathers, copies, half-words and every mask."""
        return join_constants(*self._tables())

    def passes(self, source, memory, target, constants):
        """Passes without ``wait`` and ``last`` that write ``target``, all TensorLayouts placed."""
        tables  = split_constants(constants, self._tables())
        masks   = dict(zip(self._masks, tables[3:], strict=False))
        _, *rooms = place_behind(target, self._rooms(target))
        window, passes  = GatherWindow.of(source), []
        if self._halves == 2:
            planes  = [rooms.pop(0) for _ in range(3)]
            passes += self._split(source, planes, *tables[1:3])
            window  = GatherWindow.of(*planes[:2])
        gather = tables[0].weights_row * 2
        if not self._around:
            passes.append(arrange(window, window.low, self._inside, target.base, gather,
                                  is_whole=True))
            if self._has_gaps:
                passes += self._masks[0].merge(target, target.span, target.base, target.base,
                                               memory.base, masks[0])
            return passes
        one     = tables[1].word(1, 8, self._ways)
        passes += copy(memory, target, one, target.span)
        for first, place in self._blocks():
            passes += self._put_block(window, window.low + first, place, target, rooms, gather,
                                      masks)
        return passes

    def _put_block(self, window, first, place, target, rooms, gather, masks):
        """Passes for one block: gather after a spare tile, align to memory, merge.

        A shift by up to ``ways - 1`` elements aligns the first element with its vector in memory.
        """
        ways, start  = self._ways, place % self._ways
        block, moved = rooms
        put, count   = block.base + BANKS, start + self._marks.size
        passes = [arrange(window, first, self._inside, put, gather)]
        if start:
            passes.append(arrange(GatherWindow.of(block), put * ways - start, [Dim(count, 1, 1)],
                                  moved.base, gather))
            put = moved.base
        out = target.base + place // ways
        return passes + self._masks[start].merge(target, -(-count // ways), out, put, out,
                                                 masks[start])

    def _split(self, source, planes, copies, halves):
        """Passes to write the low and high half-words of 32-bit elements.

        A 16-bit source is non-negative, so its high half-words are 0.
        """
        low, high, signs = planes
        zero, one = (copies.word(index, 8, self._ways) for index in range(2))
        if source.bits <= CELL_BITS:
            return [*copy(source, low, one, source.span), *fill(source, high, zero, source.span)]
        upper, lower = source.words32
        return [*flip_low(lower, low, signs, halves), *copy(upper, high, one, upper.span)]

    def _tables(self):
        """Constants list: gathers, copies, half-words, each mask."""
        return [GatherMove.constants(self._ways), lane_words(COPY_WORDS, self._ways),
                half_words(self._ways), *(mask.constants(self._ways)
                                          for mask in self._masks.values())]

    def _rooms(self, target):
        """TensorLayouts after the target: gather overrun, half-words, two block buffers."""
        written = self._inside[0].count * self._inside[0].z
        halves  = [self._plane] * 3 if self._halves == 2 else []
        if not self._around:
            beyond = written - target.rows * target.row_groups * self._ways
            return [self._flat(max(beyond, 1)), *halves]
        spare = BANKS * self._ways
        return [self._flat(1), *halves, self._flat(spare + written), self._flat(spare + written)]

    def _flat(self, count):
        """TensorLayout for ``count`` memory elements."""
        blank = Stored(np.zeros(count, np.int16 if self._plane.bits == CELL_BITS else np.int8))
        return TensorLayout.flat(blank, self._ways)

    def _blocks(self):
        """(first source element, first memory element) per block."""
        for index in product(*(range(dim.count) for dim in self._around)):
            yield (sum(at * dim.x for at, dim in zip(index, self._around, strict=True)),
                   sum(at * dim.z for at, dim in zip(index, self._around, strict=True)))


def _complete(dims, halves, apart):
    """Dims for every element written by a gather.

    A last stride above 1 is filled with copies of the element. The half-words of a 32-bit element
    are ``apart`` elements from each other in the source.
    """
    dims = [replace(dim, z=halves * dim.z) for dim in dims]
    step = dims[-1].z if dims else halves
    if step > halves:
        dims.append(Dim(step // halves, 0, halves))
    if halves == 2:
        dims.append(Dim(2, apart, 1))
    return dims or [Dim(1, 0, 1)]


def _mark_places(dims):
    """Bool array over a block: True for elements, False for gaps and fill copies."""
    real   = [dim for dim in dims if dim.x]
    places = list_places([dim.count for dim in real], [dim.z for dim in real])
    marks  = np.zeros(places.max() + 1, bool)
    marks[places] = True
    return marks
