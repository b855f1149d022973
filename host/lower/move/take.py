# SPDX-License-Identifier: Apache-2.0
"""Strided memory views, moved to a layout."""

from dataclasses import replace

import numpy as np

from xymac.golden.views import TakeView
from xymac.hdl.isa import CELL_BITS
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.memory.layout import TensorLayout

from .choice import choose_moves
from .halves import flip_low, half_words, join_constants, split_constants
from .strides import pair_strides
from .view_cuts import ViewLowering

__all__ = ["TakeViewLowering"]


_FAR = 1 << 15  # exclusive limit of loop strides


class TakeViewLowering(ViewLowering):
    """A strided tensor, moved to the layout preferred by its reader."""

    layers = (TakeView,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        halves = 2 if self._wide else 1
        far    = [axis for axis, step in enumerate(layer.strides) if step * halves >= _FAR]
        near   = [axis for axis in range(len(layer.strides)) if axis not in far]
        #: Axes whose steps exceed a loop stride are outer axes.
        self._wanted = TensorLayout.of(self.output, (*far, *near), ways, inner=len(near))
        self._is_far = bool(far)

    def source_layouts(self, preferred):
        """Memory in flat order; the output adopts ``preferred`` if its strides permit."""
        if preferred is not None and not self._is_far:
            self._wanted = replace(
                TensorLayout.of(self.output, preferred.order, self.ways, inner=preferred.inner),
                memory=preferred.memory)
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def refuses(self, sources):
        """Memory that is not in flat order."""
        [source] = sources
        if source.inner != 1 or len(source.parts) > 1:
            return refuse_layout(f"Memory must lie as it is, not as {source.arrangement}")
        return None

    def target_layout(self, sources):
        """The wanted layout, with free space for the half-words of 32-bit elements."""
        return with_room(self._wanted, self._scratch())

    def constants(self, sources):
        """Move constants, then half-word conversion constants."""
        [source] = sources
        moves = self._moves(source, self._wanted, self._scratch())
        return join_constants(*self._tables(moves))

    def passes(self, sources, target, constants):
        """Move passes; for 32-bit elements, then low half-word conversion to signed."""
        [source] = sources
        scratch  = place_behind(target, self._scratch())
        moves    = self._moves(source, target, scratch)
        first, *words = split_constants(constants, self._tables(moves))
        passes   = [pass_ for move in moves for pass_ in move.passes(first)]
        if self._wide:
            passes += flip_low(scratch[0], target.words32[1], scratch[1], *words)
        return passes

    def _tables(self, moves):
        """Constants list: moves, then half-words."""
        return [moves[0].constants(self.ways)] + [half_words(self.ways)] * self._wide

    @property
    def _wide(self):
        return self.output.bits > CELL_BITS

    def _scratch(self):
        """TensorLayouts for the low half-words of 32-bit elements, and for their signs."""
        return [self._wanted.words32[1].at(0)] * 2 if self._wide else []

    def _moves(self, source, target, scratch):
        """Moves of all elements; 32-bit elements move per half-word."""
        strides = np.array(self.layer.strides)
        if not self._wide:
            return choose_moves([pair_strides(source, target, strides.tolist())],
                                core=self.core)
        return choose_moves([pair_strides(source, half, (2 * strides).tolist(), x=x)
                             for half, x in ((target.words32[0], 1), (scratch[0], 0))],
                            core=self.core)
