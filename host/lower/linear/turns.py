# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolutions with several outputs per channel, in turns of an output per channel.

Each turn is a depthwise convolution with a single output per channel, so a channel has its own lane
and the kernel slides. An ``InterleavedLayout`` interleaves the turns.
"""

from dataclasses import replace
from itertools import accumulate

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.operation import Operation
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.memory.constants import Constants
from xymac.host.memory.interleaved import InterleavedLayout
from xymac.host.memory.layout import TensorLayout

from .blocks import blocks_of
from .side import group_cost, window_cost

__all__ = ["TurnsLowering", "find_turns"]


def find_turns(whole, linear, spread_of):
    """The TurnsLowering for a layer, or None where it saves no cycles.

    Parameters
    ----------
    whole : LinearLowering of the layer
    linear : Linear, its form
    spread_of : function from the input TensorLayout to SpreadGroups, or None
    """
    if linear.turns is None:
        return None
    own   = whole.output.shape
    turns = [whole.for_core(whole.core, Operation(form, (*own[:-1], len(form.weights)),
                                                  whole.output),
                            whole.inputs, whole.ways, form=form) for form in linear.turns()]
    forms = [turn.keep_pixels_apart() for turn in turns]
    [source] = whole.source_layouts(None)
    tiles = -(-source.pitch // BANKS) * linear.batch
    if tiles * sum(group_cost(form, source) for form in forms) >= _cost(linear, source,
                                                                         spread_of(source)):
        return None
    return TurnsLowering(whole, turns)


def _cost(linear, source, spread):
    """Cycles for a grouped-channel convolution with the input TensorLayout ``source``.

    The cycles include the move to ``spread`` (SpreadGroups), unless it is None.
    """
    blocks = blocks_of(linear, spread or source)
    made   = sum(block.count * window_cost(linear, block.width) for block in blocks)
    return made * linear.batch + (spread.move(source).cycles if spread else 0)


class TurnsLowering(Lowering):
    """All turns of a layer.

    Parameters
    ----------
    whole : Lowering of the layer
    turns : list of LinearLowering, without pixel packing
    """

    def __init__(self, whole, turns):
        self.layer, self.inputs, self.ways = whole.layer, whole.inputs, whole.ways
        self.core, self.output = whole.core, whole.output
        self._whole, self._turns, self.cut = whole, turns, whole.cut

    def source_layouts(self, preferred):
        """Pixel by pixel."""
        return self._whole.source_layouts(preferred)

    def refuses(self, sources):
        """An input that is not pixel by pixel."""
        [source], [wanted] = sources, self.source_layouts(None)
        if type(source) is TensorLayout:
            return self._turns[0].refuses(sources)
        return refuse_layout(f"The input must lie as {wanted.arrangement}, not as "
                             f"{source.arrangement}")

    def target_layout(self, sources):
        """Turn by turn, each in the parts of the input."""
        turn = self._turns[0].target_layout(sources)
        return InterleavedLayout.of_turns(self.output, turn.order, self.ways, len(self._turns),
                                          turn.parts)

    def constants(self, sources):
        """Constants for every turn, in sequence."""
        values = [turn.pack_once(sources) for turn in self._turns]
        return Constants(np.concatenate([each.cells for each in values]), values[0].row_cells)

    def passes(self, sources, target, constants):
        """Passes for every turn, in sequence."""
        values = [turn.pack_once(sources) for turn in self._turns]
        rows   = accumulate((each.y_rows for each in values), initial=constants.y_row)
        return [pass_ for number, (turn, own, row) in enumerate(
                zip(self._turns, values, rows, strict=False))
                for pass_ in turn.passes(sources, target.turn(number, turn.output),
                                         replace(own, y_row=row))]
