# SPDX-License-Identifier: Apache-2.0
"""Means and sums along dimensions as passes.

If the innermost dimension is kept, each of its elements has a lane, and steps run over the summed
dimensions. Otherwise a step feeds a vector along it to a lane, times 1, or times 0 for padding;
every output is the first element of its own vector.
"""

from dataclasses import replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, Access, Pass, Shape
from xymac.host.ir.pool import SumAlong
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.sweep import Loop, sweep
from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records, pack_vectors, width_of

from .reduction import ReductionLowering

__all__ = ["MeanLowering"]


class MeanLowering(ReductionLowering):
    """A mean or a sum along any dimensions."""

    forms = (SumAlong,)
    takes_turns = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        gone, rank = self.form.gone, len(x.shape)
        self._gone = {axis for axis in range(rank) if axis in gone or x.shape[axis] == 1}
        self._in_lanes = rank > 0 and rank - 1 not in self._gone

    def source_layouts(self, preferred):
        """The innermost dimension as runs."""
        [x] = self.inputs
        rank = len(x.shape)
        return (TensorLayout.of(x, range(rank), self.ways, inner=min(rank, 1)),)

    def refuses(self, sources):
        """An input in another order."""
        [source], [wanted] = sources, self.source_layouts(None)
        run = source.order[len(source.order) - source.inner:]
        if source.order != wanted.order or (
                prod(source.shape[axis] for axis in run) != prod(source.shape[-1:])):
            return refuse_layout(f"The input must lie as {wanted.arrangement}, not as "
                                 f"{source.arrangement}")
        return None

    def target_layout(self, sources):
        """Runs along the innermost dimension as in the input, or else every element by itself."""
        [source] = sources
        order = range(len(self.output.shape))
        if self._in_lanes:
            return source.lay_runs(self.output, order)
        return TensorLayout.of(self.output, order, self.ways, inner=0, parts=(1,))

    def constants(self, sources):
        """Records, a bias for every outermost index, and all-ones words, 0 for padding."""
        [source], ways = sources, self.ways
        lanes  = BANKS * ways
        target = self.target_layout(sources)
        count  = max(pass_.loop.outer[0]
                     for pass_ in self._make(source, target, Access(0, 0, 0), 0))
        whole  = [np.full(lanes, record) for record in (*self.form.records, *[self.form.records[-1]]
                                                        * (count - 1))]
        words  = pack_vectors(np.tile(self._ones(source), (lanes, 1))[:, None], ways)
        return Constants(words, lanes * ways, bias=pack_records(whole, ways))

    def _ones(self, source):
        """Weights for the run vectors, int8; weights for a single vector if there is no padding."""
        ones = np.ones(self.ways, np.int8)
        if not self._in_lanes and sum(source.parts) % self.ways:
            return source.spread(np.ones(sum(source.parts), np.int8))
        return ones

    def passes(self, sources, target, constants):
        """Loops over kept dimensions, steps over summed dimensions."""
        [source] = sources
        low   = 2 * constants.weights_row * (self.ways if self._in_lanes else 1)
        words = self._ones(source).size // self.ways
        return self._make(source, target, Access(low, low, low + words - 1), constants.y_row)

    def _make(self, source, target, ones, bias_row):
        """The passes, ``ones`` an Access to a run's words."""
        several = int(ones.high > ones.low)
        taps  = [(source.shape[axis], source.step(axis), 0) for axis in source.outer_axes
                 if axis in self._gone and source.shape[axis] > 1]
        loops = [Loop(source.shape[axis], source.step(axis), 0, target.step(place))
                 for place, axis in self._loops]
        if self._in_lanes:
            fields = {"x_shape": Shape.LANES, "y_shape": Shape.LANES}
            groups = source.pitch
            while loops and loops[-1].x == loops[-1].z == groups:
                groups *= loops.pop().count
        else:
            fields, groups = {"beats": 1}, 1
            taps.append((source.pitch, 1, several))
        counts, x_taps, y_taps = zip(*_three(taps), strict=True)
        pass_ = Pass(x=source.access(taps=x_taps), y=replace(ones, taps=y_taps), z=target.access(),
                     taps=counts, x_width=width_of(source.bits), z_width=width_of(target.bits),
                     bias_row=bias_row, **self.form.output, **fields)
        return [replace(part, once=part.loop.outer[0] > 1)
                for part in sweep(pass_, groups, (BANKS, 0, BANKS), loops)]

    @property
    def _loops(self):
        """Pairs of kept output and input dimensions, except the innermost in lanes."""
        [x] = self.inputs
        places = (enumerate(range(len(x.shape))) if self.form.keep else enumerate(
            axis for axis in range(len(x.shape)) if axis not in self.form.gone))
        return [(place, axis) for place, axis in places if axis not in self._gone
                and not (self._in_lanes and axis == len(x.shape) - 1)]


def _three(taps):
    """Three loops (count, X stride, Y stride); contiguous loops are merged."""
    merged = []
    for count, x, y in taps:
        if merged and merged[-1][1:] == (count * x, count * y):
            merged[-1] = merged[-1][0] * count, x, y
        else:
            merged.append((count, x, y))
    return [(1, 0, 0)] * (3 - len(merged)) + [
        (count, x * (count > 1), y * (count > 1)) for count, x, y in merged]
