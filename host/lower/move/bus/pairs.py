# SPDX-License-Identifier: Apache-2.0
"""32-bit elements in bus order, and conversion to and from half-word layouts."""

from dataclasses import replace
from itertools import accumulate

import numpy as np

from xymac.golden.views import Stored, TakeView
from xymac.hdl.isa import CELL_BITS
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_moved
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import copy, fill
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.pairs import PairLayout

from ..choice import choose_moves
from ..copies import COPY_WORDS
from ..halves import flip_low, half_words, join_constants, split_constants
from ..strides import pair_strides
from ..take import TakeViewLowering

__all__ = ["JoinLowering", "SplitLowering"]


class SplitLowering(TakeViewLowering):
    """Input conversion from a PairLayout, inserted by the planner.

    Parameters
    ----------
    x : Tensor in the input format; its values are unused
    ways : int, elements per vector
    """

    layers = ()

    def __init__(self, x, ways):
        memory = Stored(np.zeros(2 * x.data.size, np.int16))
        sizes  = accumulate(reversed(x.shape), lambda size, count: size * count, initial=1)
        steps  = [*sizes][len(x.shape) - 1::-1]
        super().__init__(TakeView(x, tuple(steps)), (memory,), ways)


class JoinLowering(Lowering):
    """Output conversion to a PairLayout, inserted by the planner after the last layer.

    All half-words form a tensor with two rows, which is transposed.

    Parameters
    ----------
    x : Tensor in the output format; its values are unused
    ways : int, elements per vector
    """

    def __init__(self, x, ways):
        self.layer, self.inputs, self.ways = None, (x,), ways
        self.output = replace(x, data=np.zeros_like(x.data))
        plane       = TensorLayout.flat(Stored(np.zeros(x.data.size, np.int16)), ways)
        apart       = plane.rows * plane.row_groups * ways
        self._plane = plane
        self._both  = TensorLayout((2, apart), CELL_BITS, ways, (0, 1), 2, (2 * apart,))

    def source_layouts(self, preferred):
        """User's element order."""
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def refuses(self, sources):
        """Elements that are not in the user's order."""
        return refuse_moved(*sources, TensorLayout.flat(self.inputs[0], self.ways))

    def target_layout(self, sources):
        """A PairLayout."""
        return with_room(PairLayout.of_elements(self.output, self.ways), self._scratch)

    def constants(self, sources):
        """Move constants, words for copies and half-words."""
        return join_constants(*self._tables())

    def passes(self, sources, target, constants):
        """Copy the low half-words, then the high half-words, then interleave both into the target.
        """
        [source]    = sources
        both, signs = place_behind(target, self._scratch)
        low, high   = (self._plane.at(both.row + index * self._plane.rows) for index in range(2))
        moves, copies, halves = split_constants(constants, self._tables())
        zero, one = (copies.word(index, 8, self.ways) for index in range(2))
        if source.bits > CELL_BITS:
            upper, lower = source.words32
            passes = [*flip_low(lower, low, signs, halves), *copy(upper, high, one, upper.span)]
        else:  # a non-negative index
            passes = [*copy(source, low, one, source.span), *fill(source, high, zero, source.span)]
        return [*passes, *(pass_ for move in self._moves(both, target)
                           for pass_ in move.passes(moves))]

    @property
    def _scratch(self):
        """TensorLayouts, not placed: both half-words, and the low half-words' signs."""
        return [self._both, self._plane]

    def _moves(self, both, target):
        """Half-word moves to a PairLayout."""
        rows  = replace(self._both, shape=(2, self.output.data.size), order=(1, 0))
        rows  = replace(rows, parts=(target.shape[0],), row=target.row)
        step  = self._both.shape[1]
        return choose_moves([pair_strides(both, rows, (step, 1))], core=self.core)

    def _tables(self):
        """Constants list: moves, copies, half-words."""
        target = PairLayout.of_elements(self.output, self.ways)
        moves  = self._moves(self._both, target)
        return [moves[0].constants(self.ways), lane_words(COPY_WORDS, self.ways),
                half_words(self.ways)]
