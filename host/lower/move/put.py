# SPDX-License-Identifier: Apache-2.0
"""A tensor put into memory with gaps, whose content stays."""

from xymac.golden.views import PutView
from xymac.hdl.isa import CELL_BITS
from xymac.host.lower.base import Lowering
from xymac.host.lower.sweep import copy
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .choice import choose_moves
from .copies import COPY_WORDS
from .halves import join_constants, split_constants
from .mixed import MixedGroups
from .strides import Dim, Region, merge_dims, strides_of
from .view_cuts import cut_view

__all__ = ["PutViewLowering"]


class PutViewLowering(Lowering):
    """Elements at their places in memory: where gaps are whole groups by moves of the others, else
    as ``MixedGroups`` says."""

    layers = (PutView,)

    def source_layouts(self, preferred):
        """Both in the order of the user's arrays; any order will do for the elements."""
        return tuple(TensorLayout.flat(x, self.ways) for x in self.inputs)

    def target_layout(self, sources):
        """As memory; ValueError if that does not lie as it is, or elements in several parts."""
        source, memory = sources
        flat = TensorLayout.flat(self.inputs[1], self.ways)
        if memory.arrangement != flat.arrangement or memory.memory is not flat.memory:
            raise ValueError(f"Memory must lie as it is, not as {memory.arrangement}")
        if len(source.parts) > 1 or source.memory is not flat.memory:
            raise ValueError(f"Elements must lie in one piece, not in {source.parts}")
        mixed = self._choose_mixed(source)
        return flat if mixed is None else mixed.make_room(flat)

    def cut(self, count, *, constants=False):
        """Between indices of a dimension, memory with them."""
        return None if constants else cut_view(self.layer, self.inputs, count)

    def constants(self, sources):
        """What the moves need, and a 1; or what ``MixedGroups`` need."""
        source, memory = sources
        mixed = self._choose_mixed(source)
        if mixed is not None:
            return mixed.constants()
        [move] = self._moves(source, memory)
        return join_constants(*self._tables(move))

    def passes(self, sources, target, constants):
        """What is in the gaps, then the elements."""
        source, memory = sources
        mixed = self._choose_mixed(source)
        if mixed is not None:
            return mixed.passes(source, memory, target, constants)
        [move] = self._moves(source, target)
        first, words = split_constants(constants, self._tables(move))
        return [*copy(memory, target, words.word(1, 8, self.ways), target.span),
                *move.passes(first)]

    def _tables(self, move):
        """Constants one after the other: of a move, of copies."""
        return [move.constants(self.ways), lane_words(COPY_WORDS, self.ways)]

    def _choose_mixed(self, source):
        """MixedGroups, or None where no group has both elements and places in gaps."""
        dims, halves = self._dims(source), 1 + (self.inputs[0].bits > CELL_BITS)
        if halves == 1 and _are_whole(dims, self.ways):
            return None
        return MixedGroups(source, dims, self.inputs[1].data.size, halves)

    def _moves(self, source, target):
        return choose_moves([Region(source, target, tuple(self._dims(source)))],
                            core=self.core)

    def _dims(self, source):
        """Dims of the elements, from the largest step in memory on."""
        places = strides_of(source)
        dims   = [Dim(count, places[axis], step) for axis, (count, step) in enumerate(
            zip(source.shape, self.layer.strides, strict=True)) if count > 1]
        return list(merge_dims(sorted(dims, key=lambda dim: -dim.z)))


def _are_whole(dims, ways):
    """Whether the elements of Dims are whole groups in memory."""
    if ways == 1:
        return True
    *outer, inner = dims or [Dim(1, 0, 1)]
    return (inner.z == 1 and inner.count % ways == 0
            and all(dim.z % ways == 0 for dim in outer))
