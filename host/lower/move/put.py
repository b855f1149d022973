# SPDX-License-Identifier: Apache-2.0
"""Tensors written into strided memory whose gaps keep their content."""

from xymac.golden.views import PutView
from xymac.hdl.isa import CELL_BITS
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.sweep import copy
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .choice import choose_moves
from .copies import COPY_WORDS
from .half_copies import HalfCopies
from .halves import join_constants, split_constants
from .mixed import MixedGroups
from .strides import Dim, ElementMove, merge_dims, strides_of
from .view_cuts import ViewLowering

__all__ = ["PutViewLowering"]


class PutViewLowering(ViewLowering):
    """Elements written to their memory addresses.

    If every gap is whole vectors, a move writes the elements; otherwise ``MixedGroups`` merges
    them.
    """

    layers = (PutView,)

    def source_layouts(self, preferred):
        """Both in the user's element order; any order suits the written elements."""
        return tuple(TensorLayout.flat(x, self.ways) for x in self.inputs)

    def refuses(self, sources):
        """Memory that is not flat, or elements in several pieces."""
        source, memory = sources
        flat = TensorLayout.flat(self.inputs[1], self.ways)
        if memory.arrangement != flat.arrangement or memory.memory is not flat.memory:
            return refuse_layout(f"Memory must lie as it is, not as {memory.arrangement}")
        if len(source.parts) > 1 or source.memory is not flat.memory:
            return refuse_layout(f"Elements must be contiguous, not in pieces {source.parts}")
        return None

    def target_layout(self, sources):
        """Memory's layout."""
        flat  = TensorLayout.flat(self.inputs[1], self.ways)
        mixed = self._choose_mixed(sources[0])
        return flat if mixed is None else mixed.make_room(flat)

    def constants(self, sources):
        """``MixedGroups`` constants; otherwise move constants and copy words."""
        source, memory = sources
        mixed = self._choose_mixed(source)
        if mixed is not None:
            return mixed.constants()
        [move] = self._moves(source, memory)
        return join_constants(*self._tables(move))

    def passes(self, sources, target, constants):
        """Copy memory including its gaps, then write the elements."""
        source, memory = sources
        mixed = self._choose_mixed(source)
        if mixed is not None:
            return mixed.passes(source, memory, target, constants)
        [move] = self._moves(source, target)
        first, words = split_constants(constants, self._tables(move))
        return [*copy(memory, target, words.word(1, 8, self.ways), target.span),
                *move.passes(first)]

    def _tables(self, move):
        """Constants list: move, then copies."""
        return [move.constants(self.ways), lane_words(COPY_WORDS, self.ways)]

    def _choose_mixed(self, source):
        """MixedGroups, or None if no vector contains both elements and gaps."""
        dims, halves = self._dims(source), 1 + (self.inputs[0].bits > CELL_BITS)
        if halves == 1 and _are_whole(dims, self.ways):
            return None
        kind = HalfCopies if HalfCopies.suits(halves, self.ways, self.core) else MixedGroups
        return kind(source, dims, self.inputs[1].data.size, halves)

    def _moves(self, source, target):
        return choose_moves([ElementMove(source, target, tuple(self._dims(source)))],
                            core=self.core)

    def _dims(self, source):
        """Element Dims, by decreasing memory stride."""
        places = strides_of(source)
        dims   = [Dim(count, places[axis], step) for axis, (count, step) in enumerate(
            zip(source.shape, self.layer.strides, strict=True)) if count > 1]
        return list(merge_dims(sorted(dims, key=lambda dim: -dim.z)))


def _are_whole(dims, ways):
    """Whether the elements of Dims fill whole vectors in memory."""
    if ways == 1:
        return True
    *outer, inner = dims or [Dim(1, 0, 1)]
    return (inner.z == 1 and inner.count % ways == 0
            and all(dim.z % ways == 0 for dim in outer))
