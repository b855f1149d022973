# SPDX-License-Identifier: Apache-2.0
"""Passes for filters with state.

Per batch, the state consists of columns in time order, oldest first. A column has the filters for
all units, rank by rank. The passes drop the oldest column, compute the newest, and sum over all
columns.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from xymac.hdl.isa import BANKS, HELD, Pass, Shape
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import RESCALED, factor_records
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.lower.sweep import elementwise
from xymac.host.lower.workspace import Tiles
from xymac.host.memory.packing import width_of

from .frames import frame_places
from .sums.wrapped import WrappedSums, wraps

__all__ = ["FilterSteps"]


class FilterSteps:
    """Passes per call.

    Parameters
    ----------
    form : Filters
    space : Workspace
    source, target : input and output TensorLayouts, a run per batch
    """

    def __init__(self, form, space, source, target):
        self._form, self._space, self._source, self._target = form, space, source, target
        self._x_zero, self._state_zero, self._zero = form.zeros
        self._batch, self._units = target.shape
        self._lanes = BANKS * space.ways
        self._tiles = -(-self._units // self._lanes)
        self._to_state, self._to_output = form.factors
        self._memory  = form.times.shape[1]
        self._columns = self._memory * form.rank  # unit columns per batch of the state
        self._stride  = self._columns * self._tiles * BANKS
        self._state   = Tiles(0, 0, self._batch * self._stride - 1, area=1,
                              row_tiles=16 // form.bits)

    def passes(self):
        """All passes."""
        return [*self._drop(), *self._take(), *self._sum()]

    def _column(self, column, **strides):
        """Access to the state from unit column ``column`` on."""
        return replace(self._state.groups(column * self._tiles), **strides)

    def _drop(self):
        """Passes to shift out the oldest column."""
        bits, rank = self._form.bits, self._form.rank
        if self._memory == 1:
            return []
        outer = 0, self._stride, BANKS
        return [elementwise(bits, bits, y=self._space.word(1), y_width=width_of(16),
                            outer=(1, self._batch, (self._columns - rank) * self._tiles),
                            x=self._column(rank, outer=outer), z=self._column(0, outer=outer))]

    def _take(self):
        """Passes to compute the newest column.

        The zero point is added after the clip, and the result keeps the width of the state.
        """
        form, space  = self._form, self._space
        bits, newest = form.bits, self._columns - form.rank
        weights = self._feature_weights()
        matrix  = space.matrix(weights)
        output  = {"clip": container_clip(bits), "zero": self._state_zero,
                   "z_width": width_of(bits)} | RESCALED
        x    = RelativeAccess.to(self._source, 0, outer=(0, 0, matrix.words), taps=(0, 0, 1))
        sums = Pass(outer=(1, matrix.tiles, self._batch), taps=(1, 1, matrix.words), x=x,
                    y=replace(matrix.access(0, 0), outer=(0, matrix.words, 0)),
                    z=self._column(newest, outer=(0, BANKS, self._stride)), x_zero=self._x_zero)
        if not wraps(weights, 0, 8, self._x_zero, self._to_state):
            return [replace(sums, **output, bias_row=space.records(
                *map(int, factor_records(*self._to_state)), 0))]
        wrapped = WrappedSums(space, matrix.tiles, self._to_state)
        passes  = [*wrapped.begin]
        for batch, first in product(range(self._batch), range(0, matrix.tiles, HELD)):
            tiles  = min(HELD, matrix.tiles - first)
            target = (batch * self._columns + newest) * self._tiles + first
            passes += wrapped.passes(
                replace(sums, outer=(tiles, 1, 1), y=matrix.access(first, 0),
                        x=replace(x, base=x.base + batch * matrix.words)),
                [(0, tiles, output | {"z": self._state.groups(target, loop=2)})])
        return passes

    def _feature_weights(self):
        """Weights [filters in whole tiles of units, input elements in whole vectors]."""
        rank, places = self._form.rank, frame_places(self._source, self._batch)
        weights = np.where(places < 0, 0, self._form.features[:, places])
        rows    = np.zeros((rank, self._tiles * self._lanes, weights.shape[1]), np.int8)
        rows[:, :self._units] = weights.reshape(self._units, rank, -1).swapaxes(0, 1)
        return rows.reshape(-1, weights.shape[1])

    def _sum(self):
        """Passes of the outputs: whole tiles, then the remainder."""
        form, space, passes = self._form, self._space, []
        weights = form.times.reshape(self._units, form.rank, self._memory)
        weights = weights.swapaxes(1, 2).reshape(self._units, -1)
        y    = space.lane_weights(weights)
        bias = np.pad(form.bias, (0, self._tiles * self._lanes - self._units))
        if wraps(weights, form.bias, form.bits, self._state_zero, self._to_output):
            return self._wrap(y, bias)
        for first, tiles, beats in self._parts(0, self._tiles):
            row = space.records_once(*map(int, factor_records(*self._to_output)),
                                     bias[first * self._lanes:(first + tiles) * self._lanes])
            passes.append(self._sums(y, first, outer=(tiles, self._batch, 1), beats=beats,
                                     bias_row=row, once=tiles > 1,
                                     **self._output(first, 0, (BANKS, self._target.pitch, 0))))
        return passes

    def _parts(self, first, tiles):
        """Tuples (first tile, tiles, beats): the whole tiles, then a partial last tile."""
        whole, rest = divmod(self._target.pitch, BANKS)
        parts = [(first, min(whole - first, tiles), BANKS),
                 (whole, int(rest > 0 and first <= whole < first + tiles), rest)]
        return [part for part in parts if part[1] > 0]

    def _sums(self, y, first, batch=0, **fields):
        """Time sum pass from tile ``first`` in a batch on, a tile per outermost index."""
        form = self._form
        x = self._column(batch * self._columns, outer=(BANKS, self._stride, 0),
                         taps=(0, 0, self._tiles * BANKS))
        return Pass(**{
            "x": replace(x, base=x.base + first * BANKS),
            "y": replace(y, base=y.base + first * self._columns), "taps": (1, 1, self._columns),
            "x_shape": Shape.LANES, "y_shape": Shape.LANES,
            "x_width": width_of(form.bits), "y_width": width_of(form.bits),
            "x_zero": self._state_zero, **fields})

    def _output(self, first, batch, outer):
        """Fields for a scaled pass with outputs from tile ``first`` in a batch on."""
        target, zero = self._target, self._zero
        low, high = container_clip(8)
        return {"z": RelativeAccess.to(target, Area.TARGET, outer=outer,
                                       offset=batch * target.pitch + first * BANKS),
                "z_width": width_of(8), "clip": (low - zero, high - zero), "zero": zero} | RESCALED

    def _wrap(self, y, bias):
        """Passes of the outputs if their sums wrap at 32 bits."""
        space   = self._space
        wrapped = WrappedSums(space, self._tiles, self._to_output)
        row     = space.records(bias)
        passes  = [*wrapped.begin]
        for batch, first in product(range(self._batch), range(0, self._tiles, HELD)):
            tiles   = min(HELD, self._tiles - first)
            outputs = [(start - first, count,
                        {"beats": beats, **self._output(start, batch, (0, 0, BANKS))})
                       for start, count, beats in self._parts(first, tiles)]
            passes += wrapped.passes(
                self._sums(y, first, batch, outer=(tiles, 1, 1), z=self._column(0),
                           bias_row=row + space.record_rows(first)), outputs)
        return passes
