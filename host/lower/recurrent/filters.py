"""Passes of the filters of TensorFlow Lite that remember what they had: SVDF.

The state lies column by column, the oldest one first: of each the filters of all units, first those
of rank 0. A pass drops the oldest column, one makes the newest, and one sums up all of them.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from golden.tflm import Svdf
from hdl.isa import BANKS, HELD, Pass, Shape
from host.lower.fields.tflm import TWICE, factor_records
from host.lower.made_once import MadeOnce
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip, elementwise
from host.lower.workspace import Tiles
from host.memory.layout import TensorLayout
from host.memory.packing import width_of

from .frames import frame_places
from .wrapped_sums import WrappedSums, wraps

__all__ = ["SvdfLowering"]

class SvdfLowering(MadeOnce):
    """SVDF of INT8 elements with a state of 8 or 16 bits."""

    layers = (Svdf,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.states = (layer.state,)
        self.inputs = (*inputs, layer.state)
        self.batch, self.units = self.output.shape
        self.memory = layer.weights_time.shape[1]
        self.tiles  = -(-self.units // (BANKS * ways))
        self.to_state, self.to_output = layer.factors(inputs[0])

    @property
    def columns(self):
        """Tiles of the state of a batch are so many times those of all units."""
        return self.memory * self.layer.rank

    @property
    def time_weights(self):
        """Weights [units, columns]."""
        weights = self.layer.weights_time.data.reshape(self.units, self.layer.rank, self.memory)
        return weights.swapaxes(1, 2).reshape(self.units, -1)

    def source_layouts(self, preferred):
        """A run for each batch; the state in whole tiles of units."""
        shape  = self.batch, self.units, self.layer.rank, self.memory
        groups = self.tiles * BANKS
        state  = TensorLayout(shape, self.layer.state.bits, self.ways, (0, 3, 2, 1), 1,
                              (self.units,), gap=groups + -self.units // self.ways)
        rows   = -(-self.batch * self.columns * groups // state.row_groups)
        return (TensorLayout.of(self.inputs[0], (0, 1), self.ways),
                replace(state, behind=rows - state.rows))

    def output_layout(self, sources):
        """A run for each batch; ValueError unless the input lies so."""
        frame_places(sources[0], self.batch)
        return TensorLayout.of(self.output, (0, 1), self.ways)

    def make(self, space, sources, target):
        """Passes of a step."""
        tiles = self.batch * self.columns * self.tiles
        state = Tiles(0, 0, tiles * BANKS - 1, area=1, row_tiles=16 // self.layer.state.bits)
        return [*self._drop(space, state), *self._take(space, sources[0], state),
                *self._sum(space, state, target)]

    def _access(self, state, column, **strides):
        """Access to the tiles of a column; a batch for every index of loop ``batch``."""
        access = state.groups(column * self.tiles)
        return replace(access, **strides)

    @property
    def _batch_stride(self):
        return self.columns * self.tiles * BANKS

    def _drop(self, space, state):
        """Passes that move all columns but the oldest."""
        bits, rank = self.layer.state.bits, self.layer.rank
        if self.memory == 1:
            return []
        outer = (0, self._batch_stride, BANKS)
        return [elementwise(bits, bits, y=space.word(1), y_width=width_of(16),
                            outer=(1, self.batch, (self.columns - rank) * self.tiles),
                            x=self._access(state, rank, outer=outer),
                            z=self._access(state, 0, outer=outer))]

    def _take(self, space, source, state):
        """Passes that make the newest column.

        The zero point is added behind the limits, and of the sum 8 bits are kept, as the library
        does.
        """
        layer, rank, bits = self.layer, self.layer.rank, self.layer.state.bits
        zero    = self.inputs[0].quantisation.zero_point
        weights = self._feature_weights(source)
        matrix  = space.matrix(weights)
        newest  = self.columns - rank
        x       = RelativeAccess.to(source, 0, outer=(0, 0, matrix.words), taps=(0, 0, 1))
        output  = {"clip": container_clip(bits), "zero": layer.state.quantisation.zero_point,
                   "z_width": width_of(bits)} | TWICE
        whole   = Pass(outer=(1, matrix.tiles, self.batch), taps=(1, 1, matrix.words), x=x,
                       y=matrix.access(0, 0), z=self._access(state, newest), x_zero=zero)
        if not wraps(weights, 0, 8, zero, self.to_state):
            outer = 0, BANKS, self._batch_stride
            return [replace(whole, y=replace(whole.y, outer=(0, matrix.words, 0)),
                            z=replace(whole.z, outer=outer), **output,
                            bias_row=space.records(*map(int, factor_records(*self.to_state)), 0))]
        sums   = WrappedSums(space, matrix.tiles, self.to_state)
        passes = sums.begin
        for batch, first in product(range(self.batch), range(0, matrix.tiles, HELD)):
            tiles = min(HELD, matrix.tiles - first)
            z     = state.groups((batch * self.columns + newest) * self.tiles + first, loop=2)
            passes += sums.passes(
                replace(whole, outer=(tiles, 1, 1), y=matrix.access(first, 0),
                        x=replace(x, base=x.base + batch * matrix.words)),
                [(0, tiles, output | {"z": z})])
        return passes

    def _feature_weights(self, source):
        """Weights [filters in whole tiles of units, groups of the input]."""
        rank, places = self.layer.rank, frame_places(source, self.batch)
        weights = np.where(places < 0, 0, self.layer.weights_feature.data[:, places])
        rows    = np.zeros((rank, self.tiles * BANKS * self.ways, weights.shape[1]), np.int8)
        rows[:, :self.units] = weights.reshape(self.units, rank, -1).swapaxes(0, 1)
        return rows.reshape(-1, weights.shape[1])

    def _sum(self, space, state, target):
        """Passes of the outputs: whole tiles, and what is left."""
        size    = self.tiles * BANKS * self.ways
        bias    = np.pad(self.layer.bias.data.astype(np.int64), (0, size - self.units))
        weights = space.lane_weights(self.time_weights)
        layer = self.layer
        if wraps(self.time_weights, layer.bias.data, layer.state.bits,
                 layer.state.quantisation.zero_point, self.to_output):
            return self._wrap_sums(space, state, target, weights, bias)
        passes, full = [], target.pitch // BANKS
        for first, count, beats in ((0, full, BANKS), (full, 1, target.pitch % BANKS)):
            if count and beats:
                lanes = BANKS * self.ways
                row   = space.records_once(*map(int, factor_records(*self.to_output)),
                                           bias[first * lanes:(first + count) * lanes])
                passes.append(self._sums(state, weights, first, outer=(count, self.batch, 1),
                                         beats=beats, bias_row=row, once=count > 1,
                                         **self._output(target, first)))
        return passes

    def _sums(self, state, weights, first, batch=0, **fields):
        """Pass of sums in time from tile ``first`` of a batch on, a tile an outermost index."""
        layer, step = self.layer, self.tiles * BANKS
        x = self._access(state, batch * self.columns, outer=(BANKS, self._batch_stride, 0),
                           taps=(0, 0, step))
        y = replace(weights, base=weights.base + first * self.columns)
        return Pass(**{"x": replace(x, base=x.base + first * BANKS), "y": y,
                       "taps": (1, 1, self.columns), "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": width_of(layer.state.bits),
                       "y_width": width_of(layer.weights_time.bits),
                       "x_zero": layer.state.quantisation.zero_point} | fields)

    def _output(self, target, first, batch=0, loop=0):
        """Fields of a scaled pass that writes outputs from tile ``first`` of a batch on."""
        zero   = self.layer.out.zero_point
        outer  = (BANKS, target.pitch, 0) if loop == 0 else (0, 0, BANKS)
        access = RelativeAccess.to(target, Area.TARGET, outer=outer,
                                   offset=batch * target.pitch + first * BANKS)
        low, high = container_clip(8)
        return {"z": access, "clip": (low - zero, high - zero), "zero": zero} | TWICE

    def _wrap_sums(self, space, state, target, weights, bias):
        """Passes of the outputs whose sums wrap at 32 bits."""
        sums  = WrappedSums(space, self.tiles, self.to_output)
        rows  = space.records(bias)
        whole = target.pitch // BANKS
        passes = sums.begin
        for batch, first in product(range(self.batch), range(0, self.tiles, HELD)):
            tiles   = min(HELD, self.tiles - first)
            outputs = [(start - first, count, {"beats": beats, "z_width": width_of(8)}
                        | self._output(target, start, batch, loop=2))
                       for start, count, beats in (
                           (first, min(whole - first, tiles), BANKS),
                           (whole, int(first + tiles > whole), target.pitch % BANKS))
                       if count > 0 and beats]
            passes += sums.passes(
                self._sums(state, weights, first, batch, outer=(tiles, 1, 1),
                           bias_row=rows + space.record_rows(first),
                           z=state.groups(0)), outputs)
        return passes
