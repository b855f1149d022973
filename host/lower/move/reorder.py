# SPDX-License-Identifier: Apache-2.0
"""A tensor in another order, or padded in another way."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from xymac.hdl.isa import CELL_BITS
from xymac.host.lower.base import Lowering
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.memory.layout import TensorLayout

from .choice import choose_moves
from .strides import pair_layouts

__all__ = ["ReorderLowering"]


class ReorderLowering(Lowering):
    """What a plan puts between layers where one wants its input to lie in another way.

    Parameters
    ----------
    x : Tensor in the format of the input, whatever its values
    ways : int, elements of a group
    target : TensorLayout that the output shall have, not placed
    """

    def __init__(self, x, ways, target):
        self.layer, self.inputs, self.ways = None, (x,), ways
        self.output  = replace(x, data=np.zeros_like(x.data))
        self._target = target

    def source_layouts(self, preferred):
        """As the output."""
        return (self._target,)

    def target_layout(self, sources):
        """That which is wanted, with room for a step between; ValueError if there is no way."""
        [source] = sources
        return with_room(self._target, self._between(source))

    def constants(self, sources):
        """What the moves need."""
        [source] = sources
        moves    = self._moves(source, [*self._between(source), self._target])
        return moves[0].constants(self.ways)

    def passes(self, sources, target, constants):
        """Those of all moves, for each word of wide elements."""
        [source] = sources
        steps = [source, *place_behind(target, self._between(source)), target]
        words = zip(*(step.words32 if step.bits > CELL_BITS else (step,) for step in steps),
                    strict=True)
        return [pass_ for first, *others in words for move in self._moves(first, others)
                for pass_ in move.passes(constants)]

    def _between(self, source):
        """Layouts on the way from ``source``: one with the dimension outermost whose runs have
        several parts, if they cannot go to their places at once."""
        try:
            pair_layouts(source, self._target)
        except ValueError:
            *others, axis = source.order
            layout = TensorLayout.of(self.inputs[0], (axis, *others), self.ways, inner=len(others))
            pair_layouts(source, layout)
            pair_layouts(layout, self._target)
            return [layout]
        return []

    def _moves(self, source, targets):
        """Moves from ``source`` to each of ``targets`` in turn, all of one kind."""
        return choose_moves([region for first, second in pairwise([source, *targets])
                             for region in pair_layouts(first, second)], core=self.core)
