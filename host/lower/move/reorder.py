# SPDX-License-Identifier: Apache-2.0
"""Tensor conversion to another layout."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.memory.layout import TensorLayout

from .choice import choose_moves
from .strides import pair_layouts

__all__ = ["ReorderLowering"]


class ReorderLowering(Lowering):
    """Conversion between two layers, inserted by the planner when their layouts differ.

    Parameters
    ----------
    x : Tensor in the converted tensor's format; its values are unused
    ways : int, elements per vector
    target : output TensorLayout, not placed
    """

    def __init__(self, x, ways, target):
        self.layer, self.inputs, self.ways = None, (x,), ways
        self.output  = replace(x, data=np.zeros_like(x.data))
        self._target = target
        self._steps  = {}  # by the input layout

    def source_layouts(self, preferred):
        """The output's layout."""
        return (self._target,)

    def refuses(self, sources):
        """Elements without a move."""
        [source] = sources
        if self._between(source) is None:
            return refuse_layout(f"Elements that lie as {source.arrangement} have no moves to "
                                 f"{self._target.arrangement}")
        return None

    def target_layout(self, sources):
        """The target with free space for an intermediate layout."""
        [source] = sources
        return with_room(self._target, self._between(source))

    def constants(self, sources):
        """Move constants."""
        [source] = sources
        moves    = self._moves(source, [*self._between(source), self._target])
        return moves[0].constants(self.ways)

    def passes(self, sources, target, constants):
        """Passes of all moves; 32-bit elements move per half-word."""
        [source] = sources
        steps = [source, *place_behind(target, self._between(source)), target]
        words = zip(*(step.words32 if step.bits > CELL_BITS else (step,) for step in steps),
                    strict=True)
        return [pass_ for first, *others in words for move in self._moves(first, others)
                for pass_ in move.passes(constants)]

    def count_moved(self, source):
        """Vectors of the target and of all intermediate layouts."""
        return sum([layout.groups for layout in (*self._between(source), self._target)])

    def _between(self, source):
        """Intermediate layouts, a list; None if no move exists.

        If no direct move exists, the innermost dimension first becomes outermost, or a run; else
        every element first takes a vector of its own.
        """
        source = source.at(0)
        if source not in self._steps:
            self._steps[source] = self._find_between(source)
        return self._steps[source]

    def _find_between(self, source):
        if pair_layouts(source, self._target) is not None:
            return []
        if self._target.memory is Memory.Y:  # where no pass could read the intermediate
            return None
        *others, axis = source.order
        for order, inner in (((axis, *others), len(others)), (source.order, 1)):
            layout = TensorLayout.of(self.inputs[0], order, self.ways, inner=inner)
            if self._leads(source, [layout]):
                return [layout]
        ends = [TensorLayout.of(self.inputs[0], layout.order, self.ways, inner=0)
                for layout in (source, self._target)]
        return next((between for between in (ends[:1], ends[1:], ends)
                     if self._leads(source, between)), None)

    def _leads(self, source, between):
        """Whether every step from ``source`` through ``between`` to the target has moves."""
        return None not in [pair_layouts(*ends) for ends
                            in pairwise([source, *between, self._target])]

    def _moves(self, source, targets):
        """Moves from ``source`` through ``targets`` in sequence, all the same kind."""
        return choose_moves([region for first, second in pairwise([source, *targets])
                             for region in pair_layouts(first, second)], core=self.core)
