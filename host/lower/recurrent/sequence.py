"""Passes of the recurrent layer of TensorFlow Lite with long short-term memory.

A vector has a tile of every batch for each tile of units; a batch of the states, and of the output,
has all its units together. Gates follow as input, forget, output, new.
"""

from dataclasses import replace

import numpy as np

from golden.parameters.tflm.recurrent import (
    cell_clip_limit,
    cell_multipliers,
    cell_table_argument,
)
from hdl.isa import BANKS, Memory, Move, Pass, Shape, Width
from host.lower.fields.tflm import TWICE, factor_records
from host.lower.products import check_largest, largest_sum
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip
from host.lower.workspace import Tiles

from .curves import GATE, argument_shift, half_fields, sigmoid_fields, tangent_fields
from .frames import frame_places

__all__ = ["SequenceSteps", "check_factors"]

_ORDER    = (0, 1, 3, 2)  #: Gates of the layer; the last one is a tangent.
_SIGMOIDS = 3
_WORD     = (1 << 31) - 1


def check_factors(layer, x):
    """Raise NoPassesError for sums that may leave 32 bits, as they are or when their factor shifts
    them to the left."""
    for gate in _ORDER:
        pairs = zip((x, layer.state), (layer.weights_in, layer.weights_out),
                    (layer.biases[gate].data.astype(np.int64), 0), layer.factors(x, gate),
                    strict=True)
        for tensor, weights, bias, factor in pairs:
            peak = max(abs(limit - tensor.quantisation.zero_point) for limit in container_clip(8))
            _check(factor, largest_sum(weights[gate].data, bias, peak))
    for factor in cell_multipliers(layer.cell.quantisation.scale, layer.state.quantisation.scale):
        _check(factor, 1 << 30)


def _check(factor, largest):
    check_largest(largest, _WORD >> max(factor[1], 0))


class SequenceSteps:
    """Passes of all steps.

    Parameters
    ----------
    layer, x : golden layer, and a Tensor in the format of its input
    space : Workspace
    source, target : TensorLayouts of input and output
    pitch : int, groups of a batch of the states, whole tiles
    """

    def __init__(self, layer, x, space, source, target, pitch):
        self._layer, self._x, self._space = layer, x, space
        self._source, self._target, self._pitch = source, target, pitch
        self._batch, self._units = layer.state.shape
        self._steps = x.data.size // (self._batch * x.shape[2])
        self._tiles = pitch // BANKS
        self._size  = self._tiles * self._batch  # tiles of a vector
        self._frame = source.groups // (self._steps * self._batch)
        self._state, self._cell = (
            Tiles(0, 0, self._batch * pitch - 1, area=area, row_tiles=rows)
            for area, rows in ((1, 2), (2, 1)))
        gates = len(_ORDER) * self._size
        self._parts, self._looked = space.in_x(2 * gates), space.in_x(2 * gates)
        self._gates = space.in_x(_SIGMOIDS * self._size)
        self._old, self._new, self._shown = (space.in_y(self._size) for _ in range(3))

    def passes(self):
        """Passes of all steps."""
        body = [*self._sums(), *self._curves(), *self._remember(), *self._show()]
        if self._steps > 1:
            body[-1] = replace(body[-1], back=len(body) - 1, repeat=self._steps - 1,
                               advance=(self._frame * self._stride(1), self._target.pitch
                                        * self._stride(1)))
        return [self._elements(self._permuted(self._cell), self._vector(self._old), words=(1,),
                               z_memory=Memory.Y), *body]

    def _stride(self, batches):
        """Frames from one step to the next, or with 0 from one batch to the next."""
        if self._layer.time_major:
            return self._batch if batches else 1
        return 1 if batches else self._steps

    def _vector(self, tiles, first=0):
        """Access to a vector by loops: ``b`` along tiles of units, ``c`` along batches."""
        return replace(tiles.groups(first * self._size),
                       outer=(0, self._batch * BANKS, BANKS))

    def _permuted(self, state):
        """The same to a state."""
        return replace(state.groups(0), outer=(0, BANKS, self._pitch))

    def _elements(self, x, z, words, **fields):
        """Pass over the elements of a vector, or of several that follow one another ``apart``
        groups, each times one of ``words``."""
        apart = fields.pop("apart", 0)
        return Pass(**{
            "outer": (1, self._tiles, self._batch), "taps": (1, 1, len(words)),
            "x": replace(x, taps=(0, 0, apart)), "z": z, "y": self._space.word(*words),
            "x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
            "y_width": Width.BITS16, "z_width": Width.BITS16, "clip": container_clip(16)} | fields)

    def _sums(self):
        """Passes of the scaled sums of all gates, those with the input, then with the state."""
        layer, x, space = self._layer, self._x, self._space
        places = frame_places(self._source, self._steps * self._batch)
        inner  = [np.where(places < 0, 0, layer.weights_in[gate].data[:, places])
                  for gate in _ORDER]
        outer  = [layer.weights_out[gate].data for gate in _ORDER]
        frames = replace(RelativeAccess.to(self._source, 0, taps=(0, 0, 1), outer=(
            0, self._stride(0) * self._frame, 0)), move=Move.FIRST)
        states = replace(self._state.groups(0), outer=(0, self._pitch, 0), taps=(0, 0, 1))
        passes, factors = [], [layer.factors(x, gate) for gate in _ORDER]
        for part, (weights, access, tensor) in enumerate(((inner, frames, x),
                                                          (outer, states, layer.state))):
            biases  = [layer.biases[gate].data * (part == 0) for gate in _ORDER]
            records = zip(*(factor_records(*factor[part]) for factor in factors), strict=True)
            columns = [self._in_tiles([np.full(self._units, value) for value in record])
                       for record in records]
            matrix  = space.matrix(self._rows(weights))
            z       = self._parts.groups(part * len(_ORDER) * self._size)
            passes.append(Pass(
                outer=(matrix.tiles, self._batch, 1), taps=(1, 1, matrix.words), x=access,
                x_zero=tensor.quantisation.zero_point, y=matrix.access(0, 0),
                z=replace(z, outer=(self._batch * BANKS, BANKS, 0)), z_width=Width.BITS16,
                clip=container_clip(16), **TWICE,
                bias_row=space.records(*columns, self._in_tiles(biases))))
        return passes

    def _in_tiles(self, values):
        """Values of all gates in whole tiles."""
        size = self._tiles * BANKS * self._space.ways
        return np.concatenate([np.pad(np.asarray(value, np.int64), (0, size - len(value)))
                               for value in values])

    def _rows(self, weights):
        """Weights of all gates in whole tiles and groups."""
        ways = self._space.ways
        size = self._tiles * BANKS * ways
        return np.concatenate([np.pad(gate, ((0, size - self._units), (0, -gate.shape[1] % ways)))
                               for gate in weights]).astype(np.int8)

    def _curves(self):
        """Passes that make gates of their arguments."""
        last   = _SIGMOIDS * self._size
        passes = []
        for first, tiles, fields in ((0, last, sigmoid_fields(self._space)),
                                     (last, self._size, tangent_fields(self._space))):
            passes.append(self._look_up(
                replace(self._parts.groups(first), outer=(0, 0, BANKS)), tiles,
                len(_ORDER) * self._size * BANKS, outer=(2, 1, tiles), **fields))
            x = replace(self._looked.groups(0), outer=(0, 0, BANKS))
            if first == 0:
                z = replace(self._gates.groups(0), outer=(0, 0, BANKS))
                passes.append(self._elements(x, z, (-1, 1), apart=tiles * BANKS,
                                             outer=(1, 1, tiles), **half_fields(self._space)))
        return [*passes, self._difference(self._new)]

    def _look_up(self, x, tiles, apart, **fields):
        """Pass that looks up an argument, and -1 times that ``tiles`` behind.

        The argument is the sum of what is ``apart`` groups from one another, or there is one.
        """
        shift = fields.pop("weight", GATE)
        z     = replace(self._looked.groups(0), outer=(tiles * BANKS, 0, BANKS))
        pass_ = self._elements(x, fields.pop("z", z), (shift, -shift), apart=apart, **fields)
        return replace(pass_, taps=(1, 1, 2 if apart else 1),
                       y=replace(pass_.y, outer=(1, 0, 0), taps=(0, 0, 0)))

    def _difference(self, target):
        """Pass that makes a tangent of what was looked up last."""
        return self._elements(self._vector(self._looked), self._vector(target), (-1, 1),
                              apart=self._size * BANKS, z_memory=target.memory)

    def _product(self, gate, other, z, factor, **fields):
        """Pass that multiplies a gate by a vector in Y and scales that."""
        row = self._space.records(*map(int, factor_records(*factor)), 0)
        return replace(self._elements(self._vector(self._gates, gate), z, (1,)), bias_row=row,
                       y=replace(other.words(0), outer=(0, self._batch, 1)), **TWICE | fields)

    def _remember(self):
        """Passes of the new memory, for the state and for the next step."""
        layer = self._layer
        kept, added, _ = self._factors()
        limit = cell_clip_limit(layer.cell_clip, layer.cell.quantisation.scale)
        clip  = container_clip(16) if limit is None else (-limit, limit)
        both  = {"apart": self._size * BANKS, "clip": clip}
        return [self._product(1, self._old, self._vector(self._parts), kept),
                self._product(0, self._new, self._vector(self._parts, 1), added),
                self._elements(self._vector(self._parts), self._permuted(self._cell), (1, 1),
                               **both),
                self._elements(self._vector(self._parts), self._vector(self._old), (1, 1),
                               z_memory=Memory.Y, **both)]

    def _factors(self):
        layer = self._layer
        return cell_multipliers(layer.cell.quantisation.scale, layer.state.quantisation.scale)

    def _show(self):
        """Passes of the new output, for the state and for the caller."""
        layer, space = self._layer, self._space
        weight, shift, biases = argument_shift(cell_table_argument(layer.cell.quantisation.scale))
        lanes = BANKS * space.ways
        row   = space.records(np.concatenate([np.full(lanes, bias) for bias in biases]))
        z     = replace(self._looked.groups(0), outer=(self._size * BANKS, self._batch * BANKS,
                                                       BANKS))
        look_up = self._look_up(self._permuted(self._cell), self._size, 0, z=z, weight=weight,
                                outer=(2, self._tiles, self._batch), shift=shift, bias_row=row,
                                **tangent_fields(space))
        zero      = layer.state.quantisation.zero_point
        low, high = container_clip(8)
        hidden    = self._product(2, self._shown, self._permuted(self._state), self._factors()[2],
                                  z_width=Width.BITS8, clip=(low - zero, high - zero), zero=zero)
        return [look_up, self._difference(self._shown), hidden, *self._write()]

    def _write(self):
        """Passes that copy the state to the output: whole tiles, and what is left; of one batch
        whole tiles, for what comes behind is written later."""
        target, batch = self._target, self._batch
        last  = (self._steps * batch - 1) * target.pitch + self._pitch - 1
        parts = [(0, self._tiles, BANKS)]
        if batch > 1:
            last  = target.groups - 1
            whole = target.pitch // BANKS
            parts = [(0, whole, BANKS), (whole, 1, target.pitch % BANKS)]
        copy, passes = self._elements(self._permuted(self._state), None, (1,), x_width=Width.BITS8,
                                      z_width=Width.BITS8), []
        for first, tiles, beats in parts:
            if tiles and beats:
                z = RelativeAccess(first * BANKS, 0, last, (
                    0, BANKS, self._stride(0) * target.pitch), move=Move.SECOND, area=Area.TARGET,
                    row_units=target.row_groups)
                x = replace(copy.x, base=copy.x.base + first * BANKS)
                passes.append(replace(copy, x=x, z=z, beats=beats, outer=(1, tiles, batch)))
        return passes
