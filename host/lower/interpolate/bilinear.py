# SPDX-License-Identifier: Apache-2.0
"""Images in another size, in which every pixel is a weighted sum over four pixels.

A single stage has all four taps if both weights' products fit 16 bits and few passes suffice.
Otherwise a stage interpolates along one axis to 16 bits, exactly, and a second stage along the
other axis. First-stage weights have 8 bits, so its sums have 16: a larger weight ``w`` is split
into ``w >> 2`` and ``w & 3``, which make two *planes*; the second stage adds them up.
"""

from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import rescale_fields, rescale_records
from xymac.host.ir.resize import Interpolation
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_inner
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records, width_of

from .axis import axis_taps

__all__ = ["ResizeBilinearLowering"]

_IMAGE    = (1, 2)   # rows and columns
_AT_ONCE  = 64       # maximum passes of a single stage
_WEIGHT   = 1 << 15  # exclusive limit of a pass weight
_FINE     = 1 << 8   # maximum weight of a single-plane first stage
_LOW_BITS = 2        # weight bits in the second plane
_DOUBLE   = 2        # sums are doubled, as the multiplier is a half


@dataclass(frozen=True)
class _Stage:
    """Sums along one axis or both.

    Parameters
    ----------
    axes : tuple of dimensions
    planes : list of functions from the run weights on each axis to a tap weight
    factors : tuple of int, input plane factors
    """

    axes:    tuple
    planes:  tuple
    factors: tuple = (1,)


class ResizeBilinearLowering(Lowering):
    """An image in another size."""

    forms       = (Interpolation,)
    writes_runs = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._taps   = {axis: axis_taps(places, x.shape[axis], 1 << self.form.bits)
                        for axis, places in self.form.axes.items()}
        self._stages = self._find_stages()

    def _find_stages(self):
        rows, columns = self._taps.values()
        if (rows.unit * columns.unit * _DOUBLE < _WEIGHT
                and len(rows.runs) * len(columns.runs) <= _AT_ONCE):
            return [_Stage(_IMAGE, (int,), (_DOUBLE,))]
        first, second = sorted(_IMAGE, key=lambda axis: self.output.shape[axis]
                               / self.inputs[0].shape[axis])
        if self._taps[first].unit <= _FINE:
            return [_Stage((first,), (int,)), _Stage((second,), (int,), (_DOUBLE,))]
        return [_Stage((first,), (_upper, _lower)),
                _Stage((second,), (int,), (_DOUBLE << _LOW_BITS, _DOUBLE))]

    def source_layouts(self, preferred):
        """As the output is preferred, if rows and columns lie apart from others there; else pixel
        by pixel."""
        [x] = self.inputs
        if preferred is not None and {*_IMAGE} <= {*preferred.outer_axes}:
            return (preferred.like(x),)
        return (TensorLayout.of(x, range(4), self.ways),)

    def refuses(self, sources):
        """A layout in which rows and columns are not separate dimensions."""
        return refuse_inner("Resizing", _IMAGE, *sources)

    def target_layout(self, sources):
        """The input layout, with scratch for the data between two stages."""
        [source] = sources
        return with_room(source.like(self.output), self._between(source))

    def tile_axes(self):
        """Images, the longer of rows and columns, channels."""
        _, rows, columns, _ = self.output.shape
        return [(axis, 1) for axis in (0, 1 if rows >= columns else 2, 3)]

    def constants(self, sources):
        """The last stage's parameters, and a word for every weight."""
        lanes  = BANKS * self.ways
        shift  = sum(taps.unit.bit_length() - 1 for taps in self._taps.values())
        first  = [np.full(lanes, record) for record in (*rescale_records(1 << 30, -shift), 0)]
        values = lane_words(np.array(list(self._words())), self.ways)
        return replace(values, bias=pack_records(first, self.ways))

    def _words(self):
        """Weights for all passes in sequence, int16."""
        for stage in self._stages:
            for plane, runs in product(stage.planes, self._runs(stage)):
                for factor in stage.factors:
                    for weights in product(*(run.weights for run in runs)):
                        yield np.int16(factor * plane(np.prod(weights)))

    def _runs(self, stage):
        """A Run for every axis of a stage, in all combinations."""
        return list(product(*(self._taps[axis].runs for axis in stage.axes)))

    def passes(self, sources, target, constants):
        """Passes for all stages."""
        layouts = [[*sources], *self._places(sources[0], target), [target]]
        passes, word = [], 0
        for stage, (source, out) in zip(self._stages, pairwise(layouts), strict=True):
            last = out[0] is target
            taps = len(stage.factors) * np.prod([self._taps[axis].taps for axis in stage.axes])
            for plane, runs in product(out, self._runs(stage)):
                fields = {"bias_row": constants.y_row, **rescale_fields(
                    0, container_clip(8))} if last else {}
                passes += self._sums(stage, runs, source, plane, fields, constants.word(
                    word, 16, self.ways, count=int(taps)))
                word += int(taps)
        return passes

    def _between(self, source):
        """TensorLayouts for all planes between two stages, not placed."""
        if len(self._stages) == 1:
            return []
        [axis] = self._stages[0].axes
        shape  = tuple(self.output.shape[each] if each == axis else size
                       for each, size in enumerate(source.shape))
        plane  = replace(source, shape=shape, bits=16, row=0, before=0, behind=0, offset=0, gap=0)
        return [plane] * len(self._stages[0].planes)

    def _places(self, source, target):
        """The placed layouts between stages, behind the output, as a list with a single list, or
        empty.
        """
        planes = place_behind(target, self._between(source))
        return [planes] if planes else []

    def _sums(self, stage, runs, source, target, fields, word):
        """Passes for a single Run of every axis of a stage."""
        here  = [source[0].step(axis) for axis in stage.axes]
        there = [target.step(axis) for axis in stage.axes]
        taps  = [(self._taps[axis].taps, step) for axis, step in zip(stage.axes, here, strict=True)]
        apart = source[-1].base - source[0].base
        taps  = [(1, 0)] * (2 - len(taps)) + taps
        taps  = [(len(source), apart), *taps]
        counts, x_taps = zip(*taps, strict=True)
        y_taps = counts[1] * counts[2], counts[2], 1
        x = source[0].access(
            taps=x_taps, offset=sum(run.x * step for run, step in zip(runs, here, strict=True)))
        z = target.access(
            offset=sum(run.z * step for run, step in zip(runs, there, strict=True)))
        steps = dict(zip(stage.axes, zip(runs, here, there, strict=True), strict=True))
        pass_ = elementwise(
            source[0].bits, target.bits, taps=counts, x=replace(x, high=x.high + apart),
            y=replace(word, taps=y_taps), y_width=width_of(16), z=z, **fields)
        return sweep(pass_, source[0].pitch, (BANKS, 0, BANKS),
                     list(self._loops(steps, source[0], target)), most=2)

    @staticmethod
    def _loops(steps, source, target):
        """Loops over pixels: over the Runs, and over all indices of other dimensions."""
        for axis in source.outer_axes:
            if axis in steps:
                run, x, z = steps[axis]
                yield Loop(run.count, run.x_step * x, 0, run.z_step * z)
            else:
                yield Loop(source.shape[axis], source.step(axis), 0, target.step(axis))


def _upper(weight):
    return weight >> _LOW_BITS


def _lower(weight):
    return weight & (1 << _LOW_BITS) - 1
