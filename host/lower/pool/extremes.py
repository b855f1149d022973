# SPDX-License-Identifier: Apache-2.0
"""Extremes along dimensions as passes.

Each kept element has a lane, and steps run over the reduced dimensions. If the innermost dimension
is kept, the input keeps its dimension order; otherwise the reduced dimensions are outermost.
"""

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.pool import ExtremeAlong
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .reduction import ReductionLowering

__all__ = ["ExtremeLowering"]

_TAPS = 3  #: Loops inside an output.


class ExtremeLowering(ReductionLowering):
    """The largest or smallest element along any dimensions."""

    forms = (ExtremeAlong,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        gone, rank = sorted(self.form.gone), len(x.shape)
        self._gone = [axis for axis in gone if x.shape[axis] > 1]
        self._kept = [axis for axis in range(rank) if axis not in gone]
        self._in_place = rank - 1 in self._kept and len(self._gone) <= _TAPS

    def source_layouts(self, preferred):
        """Dimension order with the innermost as runs; or the kept dimensions as a single run."""
        [x] = self.inputs
        rank = len(x.shape)
        if self._in_place:
            return (TensorLayout.of(x, range(rank), self.ways),)
        gone = [axis for axis in range(rank) if axis not in self._kept]
        return (TensorLayout.of(x, (*gone, *self._kept), self.ways, inner=len(self._kept)),)

    def refuses(self, sources):
        """An input in another order."""
        return refuse_other(*sources, *self.source_layouts(None))

    def target_layout(self, sources):
        """Runs along the innermost dimension as in the input, or all elements as a single run."""
        if self._in_place:
            return TensorLayout.of(self.output, range(len(self.output.shape)), self.ways)
        return TensorLayout.flat(self.output, self.ways)

    def constants(self, sources):
        """An all-ones word."""
        return lane_words(np.ones(1, np.int8), self.ways)

    def passes(self, sources, target, constants):
        """Loops over kept dimensions, steps over reduced dimensions."""
        [source], [x] = sources, self.inputs
        taps  = [(x.shape[axis], source.step(axis)) for axis in self._gone]
        taps  = _merge([(1, 0)] * (_TAPS - len(taps)) + taps)
        loops = [Loop(x.shape[axis], source.step(axis), 0, target.step(place))
                 for place, axis in self._loops(x)]
        counts, strides = zip(*taps, strict=True)
        pass_ = elementwise(source.bits, target.bits, op=self.form.op, taps=counts,
                            x=source.access(taps=strides), y=constants.word(0, 8, self.ways),
                            z=target.access())
        groups = source.pitch
        while loops and loops[-1].x == loops[-1].z == groups:
            groups *= loops.pop().count
        return sweep(pass_, groups, (BANKS, 0, BANKS), loops)

    def _loops(self, x):
        """Dimension pairs, output and input, with an outer loop."""
        if not self._in_place:
            return []
        places = range(len(x.shape)) if self.form.keep else range(len(self._kept))
        axes   = range(len(x.shape)) if self.form.keep else self._kept
        return [(place, axis) for place, axis in zip(places, axes, strict=True)
                if axis in self._kept and axis != len(x.shape) - 1]


def _merge(taps):
    """Three loops (count, stride); contiguous loops are merged."""
    merged = []
    for count, step in taps:
        if count > 1 and merged and merged[-1][1] == count * step:
            merged[-1] = merged[-1][0] * count, step
        elif count > 1:
            merged.append((count, step))
    return [(1, 0)] * (_TAPS - len(merged)) + merged
