"""Passes of the recurrent layer of TensorFlow Lite with long short-term memory.

A vector has a tile of every batch for each tile of units; a batch of the states, and of the output,
has all its units together. Gates follow as input, output, forget, new. Tangents are differences of
two vectors in Y, and the input and the output gate, which meet them, are there times -1 as well.
"""

from dataclasses import replace
from itertools import groupby, product

import numpy as np

from golden.parameters.tflm.recurrent import (
    cell_clip_limit,
    cell_multipliers,
    cell_table_argument,
)
from hdl.isa import BANKS, HELD, Memory, Move, Pass, Shape, Width
from host.lower.fields.tflm import TWICE, factor_records
from host.lower.products import check_largest, fit_weights
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip
from host.lower.workspace import Tiles
from host.memory.packing import width_of

from .curves import GATE, Argument, half_fields, sigmoid_fields, tangent_fields
from .frames import frame_places
from .sums.wrapped import WrappedSums, wraps

__all__ = ["SequenceSteps", "check_factors"]

_ORDER    = (0, 3, 1, 2)  #: Gates of the layer; the last one is a tangent.
_SIGMOIDS, _NEGATED = 3, 2
_INPUT, _OUTPUT, _FORGET = range(3)
_WORD     = (1 << 31) - 1
_PRODUCT  = ((1 << 15) - 1) << 15  #: Largest magnitude of a sigmoid times an element.


def check_factors(layer):
    """Raise NoPassesError for products of gates that their factor shifts out of 32 bits."""
    for _, exponent in cell_multipliers(layer.cell.quantisation.scale,
                                        layer.state.quantisation.scale):
        check_largest(_PRODUCT, _WORD >> max(exponent, 0))


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
        self._parts  = space.in_x(2 * gates)
        self._looked = space.in_x(2 * _SIGMOIDS * self._size)
        self._gates  = space.in_x((_SIGMOIDS + _NEGATED) * self._size)
        self._begin = []  # what wrapped sums need before all steps
        self._old, self._tangents = space.in_y(self._size), space.in_y(2 * self._size)

    def passes(self):
        """Passes of all steps."""
        body = [*self._sums(), *self._curves(), *self._remember(), *self._show()]
        if self._steps > 1:
            body[-1] = replace(body[-1], back=len(body) - 1, repeat=self._steps - 1,
                               advance=(self._frame * self._stride(1), self._target.pitch
                                        * self._stride(1)))
        return [self._elements(self._by_unit(self._cell), self._vector(self._old), words=(1,),
                               z_memory=Memory.Y), *self._begin, *body]

    def _stride(self, batches):
        """Frames from one step to the next, or with 0 from one batch to the next."""
        if self._layer.time_major:
            return self._batch if batches else 1
        return 1 if batches else self._steps

    def _vector(self, tiles, first=0):
        """Access to a vector by loops: ``b`` along tiles of units, ``c`` along batches."""
        return replace(tiles.groups(first * self._size),
                       outer=(0, self._batch * BANKS, BANKS))

    def _by_unit(self, state):
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
        """Passes of the scaled sums of all gates: those with the state, which they wait for, first,
        and those with the input."""
        layer, x = self._layer, self._x
        places = frame_places(self._source, self._steps * self._batch)
        inner  = [np.where(places < 0, 0, layer.weights_in[gate].centred[:, places])
                  for gate in _ORDER]
        outer  = [layer.weights_out[gate].centred for gate in _ORDER]
        frames = RelativeAccess.to(self._source, 0, taps=(0, 0, 1),
                                   outer=(0, self._stride(0) * self._frame, 0))
        states = replace(self._state.groups(0), outer=(0, self._pitch, 0), taps=(0, 0, 1))
        biases = self._in_tiles([layer.biases[gate].data for gate in _ORDER])
        return [*self._sum_part(1, outer, states, layer.state, biases * 0),
                *self._sum_part(0, inner, replace(frames, move=Move.FIRST), x, biases)]

    def _sum_part(self, part, weights, access, tensor, biases):
        """Passes of the sums of one ``part``, gates of one factor together."""
        layer, space, tiles = self._layer, self._space, self._tiles
        lanes   = BANKS * space.ways
        rows    = fit_weights(self._rows(weights))
        matrix  = space.matrix(rows)
        factors = [layer.factors(self._x, gate)[part] for gate in _ORDER]
        passes  = []
        for factor, gates in groupby(range(len(_ORDER)), key=factors.__getitem__):
            first, *others = gates
            first, count   = first * tiles, (1 + len(others)) * tiles
            own   = slice(first * lanes, (first + count) * lanes)
            place = (part * len(_ORDER) * tiles + first) * self._batch
            zero  = tensor.quantisation.zero_point
            sums  = Pass(
                outer=(count, self._batch, 1), taps=(1, 1, matrix.words), x=access, x_zero=zero,
                y=matrix.access(first, 0), y_width=width_of(8 * rows.itemsize),
                z_width=Width.BITS16, clip=container_clip(16),
                z=replace(self._parts.groups(place), outer=(self._batch * BANKS, BANKS, 0)))
            if wraps(rows[own], biases[own], 8, zero, factor):
                passes += self._wrap(sums, factor, biases[own])
                continue
            row = space.records_once(*map(int, factor_records(*factor)), biases[own])
            passes.append(replace(sums, bias_row=row, once=count > 1, **TWICE))
        return passes

    def _wrap(self, sums, factor, biases):
        """The same where sums wrap at 32 bits: ``sums`` is a Pass of them for all batches."""
        space, count, passes = self._space, sums.outer[0], []
        row     = space.records(biases)
        wrapped = WrappedSums(space, count, factor)
        self._begin += wrapped.begin
        for batch, first in product(range(self._batch), range(0, count, HELD)):
            tiles = min(HELD, count - first)
            z     = replace(sums.z, outer=(0, 0, self._batch * BANKS),
                            base=sums.z.base + (first * self._batch + batch) * BANKS)
            part  = replace(
                sums, outer=(tiles, 1, 1), bias_row=row + space.record_rows(first),
                x=replace(sums.x, base=sums.x.base + batch * sums.x.outer[1]),
                y=replace(sums.y, base=sums.y.base + first * sums.y.outer[0]))
            passes += wrapped.passes(part, [(0, tiles, {"z": z})])
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
                               for gate in weights])

    def _curves(self):
        """Passes that make gates of their arguments, and look up the tangent of the last one."""
        space, size = self._space, self._size
        gates = _SIGMOIDS * size
        x, y, looked, made = (replace(tiles.groups(first), outer=(0, 0, BANKS))
                              for tiles, first in ((self._parts, 0), (self._parts, gates),
                                                   (self._looked, 0), (self._gates, 0)))
        both    = {"apart": len(_ORDER) * size * BANKS}
        opposed = replace(made, base=made.base + gates * BANKS)
        return [self._look_up(x, looked, gates, outer=(2, 1, gates), **both,
                              **sigmoid_fields(space)),
                self._look_up(y, replace(self._tangents.groups(0), outer=(0, 0, BANKS)), size,
                              outer=(2, 1, size), z_memory=Memory.Y, **both,
                              **tangent_fields(space)),
                *(self._elements(looked, z, (-sign, sign), apart=gates * BANKS,
                                 outer=(1, 1, count * size), **half_fields(space, sign))
                  for z, count, sign in ((made, _SIGMOIDS, 1), (opposed, _NEGATED, -1)))]

    def _look_up(self, x, z, tiles, **fields):
        """Pass that looks up an argument, and -1 times that ``tiles`` behind.

        The argument is the sum of what is ``apart`` groups from one another, or there is one.
        """
        count = 2 if "apart" in fields else 1
        pass_ = self._elements(x, replace(z, outer=(tiles * BANKS, *z.outer[1:])), (GATE, -GATE),
                               **fields)
        return replace(pass_, taps=(1, 1, count), y=replace(pass_.y, outer=(1, 0, 0),
                                                            taps=(0, 0, 0)))

    def _product(self, gate, other, z, factor, taps=1, **fields):
        """Pass that multiplies a gate by a vector in Y and scales that.

        With two ``taps`` that is a tangent: the first of its vectors meets the gate times -1.
        """
        first = gate + _SIGMOIDS * (taps - 1)
        row   = self._space.records(*map(int, factor_records(*factor)), 0)
        pass_ = self._elements(self._vector(self._gates, first), z, (1,) * taps,
                               apart=-_SIGMOIDS * self._size * BANKS)
        return replace(pass_, bias_row=row, y=replace(
            other.words(0), outer=(0, self._batch, 1), taps=(0, 0, self._size)), **TWICE | fields)

    def _factors(self):
        layer = self._layer
        return cell_multipliers(layer.cell.quantisation.scale, layer.state.quantisation.scale)

    def _remember(self):
        """Passes of the new memory, for the state and for the next step, and of its tangent."""
        layer, parts = self._layer, self._vector(self._parts)
        scale = layer.cell.quantisation.scale
        kept, added, _ = self._factors()
        limit = cell_clip_limit(layer.cell_clip, scale)
        clip  = container_clip(16) if limit is None else (-limit, limit)
        both  = {"apart": self._size * BANKS}
        argument = Argument.of(*cell_table_argument(scale))
        limit    = argument.limit(*clip)
        lanes    = BANKS * self._space.ways
        fields   = {"outer": (2, self._tiles, self._batch), "shift": argument.shift,
                    "bias_row": self._space.records(np.repeat(argument.biases, lanes))}
        if limit is None:
            x, limits = self._by_unit(self._cell), tangent_fields(self._space)
        else:
            x, limits = parts, both | tangent_fields(self._space, limit)
        return [self._product(_FORGET, self._old, parts, kept),
                self._product(_INPUT, self._tangents, self._vector(self._parts, 1), added, taps=2),
                self._elements(parts, self._by_unit(self._cell), (1, 1), clip=clip, **both),
                self._elements(parts, self._vector(self._old), (1, 1), clip=clip,
                               z_memory=Memory.Y, **both),
                self._look_up(x, self._vector(self._tangents), self._size, z_memory=Memory.Y,
                              **fields | limits)]

    def _show(self):
        """Passes of the new output, for the state and for the caller.

        That takes whole tiles, and what is left; of one batch whole tiles, for what comes behind is
        written later.
        """
        target, batch = self._target, self._batch
        zero      = self._layer.state.quantisation.zero_point
        low, high = container_clip(8)
        hidden    = self._product(_OUTPUT, self._tangents, self._by_unit(self._state),
                                  self._factors()[2], taps=2, z_width=Width.BITS8,
                                  clip=(low - zero, high - zero), zero=zero)
        passes = [hidden]
        last   = (self._steps * batch - 1) * target.pitch + self._pitch - 1
        parts  = [(0, self._tiles, BANKS)]
        if batch > 1:
            last  = target.groups - 1
            whole = target.pitch // BANKS
            parts = [(0, whole, BANKS), (whole, 1, target.pitch % BANKS)]
        for first, tiles, beats in parts:
            if tiles and beats:
                z = RelativeAccess(first * BANKS, 0, last, (
                    0, BANKS, self._stride(0) * target.pitch), move=Move.SECOND, area=Area.TARGET,
                    row_units=target.row_groups)
                x, y = (replace(access, base=access.base + first * access.outer[1])
                        for access in (hidden.x, hidden.y))
                passes.append(replace(hidden, x=x, y=y, z=z, beats=beats, outer=(1, tiles, batch)))
        return passes
