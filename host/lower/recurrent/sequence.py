# SPDX-License-Identifier: Apache-2.0
"""Passes of the recurrent layer of TensorFlow Lite with long short-term memory.

A vector has the groups of every batch, whole tiles each; gates follow as input, output, forget,
new, as ``gate_sums`` has them. Tangents are differences of two vectors in Y, and the input and the
output gate, which meet them, are there times -1 as well.
"""

from dataclasses import replace

import numpy as np

from xymac.golden.parameters.tflm.recurrent import (
    cell_clip_limit,
    cell_multipliers,
    cell_table_argument,
)
from xymac.hdl.isa import BANKS, Memory, Move, Pass, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import RESCALED, factor_records
from xymac.host.ir.sums import check_largest
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.lower.workspace import Tiles

from .curves import GATE, Argument, half_fields, sigmoid_fields, tangent_fields
from .gate_sums import GateSums

__all__ = ["SequenceSteps", "check_factors"]

_SIGMOIDS, _NEGATED = 3, 2
_FEW      = 6  #: Steps up to which each writes the memory for the state, not one pass behind all.
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
        self._layer, self._space = layer, space
        self._target, self._pitch = target, pitch
        self._batch, self._units = layer.state.shape
        self._steps = x.data.size // (self._batch * x.shape[2])
        self._tiles = pitch // BANKS
        self._size  = self._tiles * self._batch  # tiles of a vector
        self._state, self._cell = (
            Tiles(0, 0, self._batch * pitch - 1, area=area, row_tiles=rows)
            for area, rows in ((1, 2), (2, 1)))
        # A step of one batch reads what the step before has written for the caller.
        self._chains = self._batch == 1 and self._steps > 1
        before       = self._shown(-target.pitch) if self._chains else self._state.groups(0)
        self._sums   = GateSums(layer, x, space, source, before, pitch)
        self._span  = -(-_SIGMOIDS * self._sums.gate // BANKS)  # tiles of the sigmoids of a batch
        span        = self._span * self._batch
        self._looked, self._gates = space.in_x(2 * span), space.in_x(2 * span + 1)
        self._products = space.in_x(2 * self._size)
        self._old, self._tangents = space.in_y(self._size), space.in_y(2 * self._size)
        self._argument   = Argument.of(*cell_table_argument(layer.cell.quantisation.scale))
        self._keeps_each = self._steps <= _FEW or not self._looks_at_sums

    def passes(self):
        """Passes of all steps."""
        body  = [*self._sums.passes(), *self._curves(), *self._remember(), *self._show()]
        if self._steps > 1:
            body[-1] = replace(body[-1], back=len(body) - 1, repeat=self._steps - 1, advance=(
                self._sums.advance, self._target.pitch * self._sums.stride(1)))
        # With a factor of 1, so that the scaled sums behind it need not wait.
        load = self._elements(self._by_unit(self._cell), self._vector(self._old), words=(1,),
                              z_memory=Memory.Y, bias_row=self._space.records(1, 0), **RESCALED)
        keep, state = self._keep(self._by_unit(self._cell)), self._by_unit(self._state)
        begin, end  = [load, *self._sums.begin], [] if self._keeps_each else [keep]
        if self._chains:
            frame, narrow = self._target.pitch, {
                "x_width": Width.BITS8, "z_width": Width.BITS8, "clip": container_clip(8)}
            first, last = (replace(self._shown(step * frame), outer=(0, 0, BANKS),
                                   move=Move.NONE) for step in (-1, self._steps - 1))
            begin.insert(0, replace(load, x=state, z=first, z_memory=Memory.X, **narrow))
            end.append(self._elements(last, state, words=(1,), **narrow))
            # The rows right in front of the output, so nothing takes rows behind this.
            self._space.in_x(-(-frame // self._target.row_groups))
        return [*begin, *body, *end]

    def _shown(self, group):
        """Access to the output from a group on, and to a frame in front of it."""
        target = self._target
        last   = (self._steps * self._batch - 1) * target.pitch + self._pitch - 1
        return RelativeAccess(group, -target.pitch, last, move=Move.SECOND, area=Area.TARGET,
                              row_units=target.row_groups)

    def _vector(self, tiles, first=0):
        """Access to vectors in whole tiles: loop ``b`` along batches, ``c`` along tiles."""
        return replace(tiles.groups(first * self._size), outer=(0, self._pitch, BANKS))

    def _by_unit(self, state):
        """The same to a state."""
        return replace(state.groups(0), outer=(0, self._pitch, BANKS))

    def _of_gate(self, gate, sign=1):
        """Access to what a sigmoid made of all batches, or to -1 times that."""
        tiles = self._gates.groups(0 if sign > 0 else self._span * self._batch)
        return replace(tiles, base=tiles.base + gate * self._sums.gate,
                       outer=(0, self._span * BANKS, BANKS))

    def _argument_of(self, gate):
        """Access to the argument of a gate and of those that follow, in two parts."""
        parts = self._sums.parts.groups(0)
        return replace(parts, base=parts.base + gate * self._sums.gate, move=self._sums.move,
                       outer=(0, self._sums.batch, BANKS))

    def _elements(self, x, z, words, **fields):
        """Pass over the elements of a vector, or of several that follow one another ``apart``
        groups, each times one of ``words``."""
        apart = fields.pop("apart", 0)
        return Pass(**{
            "outer": (1, self._batch, self._tiles), "taps": (1, 1, len(words)),
            "x": replace(x, taps=(0, 0, apart)), "z": z, "y": self._space.word(*words),
            "x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
            "y_width": Width.BITS16, "z_width": Width.BITS16, "clip": container_clip(16)} | fields)

    def _curves(self):
        """Passes that make gates of their arguments, and look up the tangent of the last one."""
        space, span, both = self._space, self._span, {"apart": self._sums.slot}
        apart = span * self._batch
        outer = 1, self._batch, span
        x     = self._argument_of(_INPUT)
        looked = [replace(self._looked.groups(first), outer=(0, span * BANKS, BANKS))
                  for first in (0, apart)]
        tangents = self._look_up(self._argument_of(_SIGMOIDS), outer=(2, *self._vectors), **both,
                                 **tangent_fields(space))
        sigmoids = [self._elements(x, z, (sign * GATE,) * 2, outer=outer, **both,
                                   **sigmoid_fields(space, sign))
                    for z, sign in zip(looked, (1, -1), strict=True)]
        # Of several steps the last look-ups go to X: what is behind begins when none is on its way,
        # and takes the short way. Of one step the sums of the tangents are the last ones.
        first, last = sigmoids
        yield from [first, last, tangents] if self._steps == 1 else [first, tangents, last]
        negated = -(-_NEGATED * self._sums.gate // BANKS)
        for sign, tiles in ((1, span), (-1, negated)):
            yield self._elements(looked[0], self._of_gate(_INPUT, sign), (-sign, sign),
                                 apart=apart * BANKS, outer=(1, self._batch, tiles),
                                 **half_fields(sign))

    @property
    def _vectors(self):
        """Loops along the batches and tiles of a vector."""
        return self._batch, self._tiles

    def _look_up(self, x, **fields):
        """Pass that looks up the tangent of an argument, and of -1 times that.

        The argument is the sum of what is ``apart`` groups from one another, or there is one.
        """
        count = 2 if "apart" in fields else 1
        z     = self._vector(self._tangents)
        pass_ = self._elements(x, replace(z, outer=(self._size * BANKS, *z.outer[1:])),
                               (GATE, -GATE), z_memory=Memory.Y, **fields)
        return replace(pass_, taps=(1, 1, count), y=replace(pass_.operands.y, outer=(1, 0, 0),
                                                            taps=(0, 0, 0)))

    def _product(self, gate, other, z, factor, taps=1, **fields):
        """Pass that multiplies a gate by a vector in Y and scales that.

        With two ``taps`` that is a tangent: the first of its vectors meets the gate times -1.
        """
        row  = self._space.records(*map(int, factor_records(*factor)), 0)
        sign = 1 if taps == 1 else -1
        pass_ = self._elements(self._of_gate(gate, sign), z, (1,) * taps,
                               apart=-self._span * self._batch * BANKS)
        return replace(pass_, bias_row=row, y=replace(
            other.words(0), outer=(0, self._tiles, 1), taps=(0, 0, self._size)),
                       **RESCALED | fields)

    def _factors(self):
        layer = self._layer
        return cell_multipliers(layer.cell.quantisation.scale, layer.state.quantisation.scale)

    def _limits(self):
        """Limits of the memory."""
        limit = cell_clip_limit(self._layer.cell_clip, self._layer.cell.quantisation.scale)
        return container_clip(16) if limit is None else (-limit, limit)

    def _keep(self, z, **fields):
        """Pass of the new memory."""
        return self._elements(self._vector(self._products), z, (1, 1), clip=self._limits(),
                              apart=self._size * BANKS, **fields)

    def _remember(self):
        """Passes of the new memory and of its tangent."""
        kept, added, _ = self._factors()
        products = [self._vector(self._products, number) for number in range(2)]
        yield self._product(_FORGET, self._old, products[0], kept)
        yield self._product(_INPUT, self._tangents, products[1], added, taps=2)
        keeps = [self._keep(self._vector(self._old), z_memory=Memory.Y)] * (self._steps > 1)
        if self._keeps_each:
            keeps.append(self._keep(self._by_unit(self._cell)))
        looks = self._look_up_cell(products[0])
        # Of few steps what is looked up comes first, so that there is work until it can be read.
        looks_first = self._looks_at_sums and self._keeps_each
        yield from [looks, *keeps] if looks_first else [*keeps, looks]

    @property
    def _looks_at_sums(self):
        """Whether the tangent of the memory is looked up before that is written."""
        return self._argument.limit(*self._limits()) is not None

    def _look_up_cell(self, products):
        """Pass of the tangent of the memory, of the sum of both ``products``, or of what is kept.
        """
        argument = self._argument
        fields   = {"outer": (2, *self._vectors), "shift": argument.shift}
        if any(argument.biases):
            lanes = BANKS * self._space.ways
            fields["bias_row"] = self._space.records(np.repeat(argument.biases, lanes))
        if not self._looks_at_sums:
            return self._look_up(self._by_unit(self._cell), **fields,
                                 **tangent_fields(self._space))
        limit = argument.limit(*self._limits())
        return self._look_up(products, apart=self._size * BANKS, **fields,
                             **tangent_fields(self._space, limit))

    def _show(self):
        """Passes of the new output, for the caller and for the state, unless steps read the former.

        That takes whole tiles, and what is left; of one batch whole tiles, for what comes behind is
        written later.
        """
        target, batch = self._target, self._batch
        zero      = self._layer.state.quantisation.zero_point
        low, high = container_clip(8)
        hidden    = self._product(_OUTPUT, self._tangents, self._by_unit(self._state),
                                  self._factors()[2], taps=2, z_width=Width.BITS8,
                                  clip=(low - zero, high - zero), zero=zero)
        if self._chains:
            return [replace(hidden, z=replace(self._shown(0), outer=(0, 0, BANKS)))]
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
                    0, self._sums.stride(0) * target.pitch, BANKS), move=Move.SECOND,
                    area=Area.TARGET, row_units=target.row_groups)
                x, y = (replace(access, base=access.base + first * access.outer[2])
                        for access in (hidden.operands.x, hidden.operands.y))
                passes.append(replace(hidden, x=x, y=y, z=z, beats=beats,
                                      outer=(1, batch, tiles)))
        return passes
