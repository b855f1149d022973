# SPDX-License-Identifier: Apache-2.0
"""Cumulative sums along a dimension, as passes.

The dimension is outermost. Each sum is over a window as long as the dimension; the padding clip
leaves only the elements to add.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Axis
from xymac.host.ir.pool import CumulativeSum
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

__all__ = ["CumulativeLowering"]


class CumulativeLowering(Lowering):
    """Cumulative sums."""

    forms = (CumulativeSum,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._axis = self.form.axis
        self.fixed = (self._axis,)

    def source_layouts(self, preferred):
        """The dimension outermost, all others as a run."""
        [x] = self.inputs
        others = [axis for axis in range(len(x.shape)) if axis != self._axis]
        return (TensorLayout.of(x, (self._axis, *others), self.ways, inner=len(others)),)

    def refuses(self, sources):
        """Another dimension order."""
        return refuse_other(*sources, *self.source_layouts(None))

    def target_layout(self, sources):
        """The input layout."""
        return sources[0].like(self.output)

    def constants(self, sources):
        """A 1 and a 0; the sum parameters, with the library's initial value as bias."""
        lanes = np.ones(BANKS * self.ways, np.int64)
        return replace(lane_words(np.array([1, 0], np.int8), self.ways), bias=pack_records(
            [record * lanes for record in self.form.records], self.ways))

    def passes(self, sources, target, constants):
        """Windows over the dimension; an exclusive sum has a separate first pass."""
        [source], form = sources, self.form
        size  = source.shape[self._axis]
        count = size - form.exclusive
        base  = elementwise(8, 8, x=source.access(), y=constants.word(0, 8, self.ways),
                            z=target.access(), bias_row=constants.y_row, **form.output)
        passes = []
        if form.exclusive:
            first  = replace(base, y=constants.word(1, 8, self.ways))
            offset = (size - 1) * source.pitch if form.reverse else 0
            passes += self._loop(first, source, target, 1, 0, offset)
        if count:
            first = source.pitch if form.exclusive else 0
            pad   = 0 if form.reverse else count - 1
            rows  = Axis(pad=pad, step=int(count > 1), size=count)
            x     = first if form.reverse else -pad * source.pitch
            z     = 0 if form.reverse else first
            window = replace(base, rows=rows, taps=(count, 1, 1), x=replace(
                base.operands.x, taps=(source.pitch * (count > 1), 0, 0)))
            passes += self._loop(window, source, target, count, x, z)
        return passes

    @staticmethod
    def _loop(pass_, source, target, count, x_first, z_first):
        """Passes over all run vectors, full outputs and the remaining vectors, ``count`` runs
        each.
        """
        operands, epilogue = pass_.operands, pass_.epilogue
        full, rest = divmod(source.pitch, BANKS)
        for outputs, beats, done in ((full, BANKS, 0), (1, rest, full * BANKS)):
            if outputs and beats:
                steps = source.pitch * (count > 1), BANKS * (outputs > 1)
                yield replace(
                    pass_, outer=(1, count, outputs), beats=beats,
                    x=replace(operands.x, base=operands.x.base + x_first + done, outer=(0, *steps)),
                    z=replace(epilogue.z, base=epilogue.z.base + z_first + done, outer=(0, *steps)))
