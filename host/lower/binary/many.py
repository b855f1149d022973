# SPDX-License-Identifier: Apache-2.0
"""Sums of several tensors as passes: consecutive copies of all inputs, added by a single pass."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.pair import SumOfMany
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_apart
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import copy, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

__all__ = ["AddNLowering"]

class AddNLowering(Lowering):
    """A sum of two or more tensors with equal formats."""

    forms = (SumOfMany,)
    fixed = ()

    def source_layouts(self, preferred):
        """The same layout for all inputs: preferred by the next layer, else flat."""
        [x, *_] = self.inputs
        layout  = TensorLayout.flat(x, self.ways) if preferred is None else preferred.like(x)
        return (layout,) * len(self.inputs)

    def refuses(self, sources):
        """Inputs in different layouts."""
        first, *others = (source.arrangement for source in sources)
        return next((refuse_apart(first, other) for other in others if other != first), None)

    def target_layout(self, sources):
        """The inputs' common layout."""
        target = sources[0].like(self.output)
        return with_room(target, self._copies(target))

    def _copies(self, target):
        return [replace(target, behind=0)] * len(self.inputs)

    def constants(self, sources):
        """A word of ones and the sum parameters."""
        lanes = np.ones(BANKS * self.ways, np.int64)
        return replace(lane_words(np.ones(1, np.int8), self.ways), bias=pack_records(
            [record * lanes for record in self.form.records], self.ways))

    def passes(self, sources, target, constants):
        """Input copies, then their sum."""
        copies = place_behind(target, self._copies(target))
        one    = constants.word(0, 8, self.ways)
        passes = [pass_ for source, room in zip(sources, copies, strict=True)
                  for pass_ in copy(source, room, one, source.groups)]
        apart  = copies[1].base - copies[0].base
        x      = copies[0].access(taps=(0, 0, apart))
        return passes + sweep(elementwise(
            8, 8, x=replace(x, high=copies[-1].access().high), taps=(1, 1, len(copies)), y=one,
            z=target.access(), bias_row=constants.y_row,
            **self.form.output), target.groups, (BANKS, 0, BANKS))
