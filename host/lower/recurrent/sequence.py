# SPDX-License-Identifier: Apache-2.0
"""Passes for an LSTM with states that persist between calls.

A vector has whole tiles per batch. The gate order is input, output, forget, new, as in
``gate_sums``. A tangent is the difference of two vectors in Y; the input and output gates, which
multiply tangents, are therefore also stored negated.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Memory, Move, Pass, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.ir.recurrent.sequence import GATE
from xymac.host.ir.rescale import RESCALED, factor_records
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.lower.workspace import Tiles

from .curves import Argument, Curves, half_fields
from .gate_sums import GateSums

__all__ = ["SequenceSteps"]

_SIGMOIDS, _NEGATED = 3, 2
_FEW      = 6  #: Largest step count with a memory write per step; beyond it, a final pass writes.
_INPUT, _OUTPUT, _FORGET = range(3)


class SequenceSteps:
    """All step passes.

    Parameters
    ----------
    form : SequenceLstm
    space : Workspace
    source, target : input and output TensorLayouts
    pitch : int, state vectors per batch, whole tiles
    """

    def __init__(self, form, space, source, target, pitch):
        self._form, self._space = form, space
        self._curves_of = Curves(form.sizes)
        self._target, self._pitch = target, pitch
        self._batch, self._units = form.states[0].shape
        self._steps = source.shape[0] * source.shape[1] // self._batch
        self._tiles = pitch // BANKS
        self._size  = self._tiles * self._batch  # tiles per vector
        self._state, self._cell = (
            Tiles(0, 0, self._batch * pitch - 1, area=area, row_tiles=rows)
            for area, rows in ((1, 2), (2, 1)))
        # With a single batch, a step reads the output written by the previous step.
        self._chains = self._batch == 1 and self._steps > 1
        before       = self._shown(-target.pitch) if self._chains else self._state.groups(0)
        self._sums   = GateSums(form, space, source, before, pitch)
        self._span  = -(-_SIGMOIDS * self._sums.gate // BANKS)  # sigmoid tiles per batch
        span        = self._span * self._batch
        self._looked, self._gates = space.in_x(2 * span), space.in_x(2 * span + 1)
        self._products = space.in_x(2 * self._size)
        self._old, self._tangents = space.in_y(self._size), space.in_y(2 * self._size)
        self._argument   = Argument.of(*form.argument)
        self._keeps_each = self._steps <= _FEW or not self._looks_at_sums

    def passes(self):
        """All step passes."""
        body  = [*self._sums.passes(), *self._curves(), *self._remember(), *self._show()]
        if self._steps > 1:
            body[-1] = replace(body[-1], back=len(body) - 1, repeat=self._steps - 1, advance=(
                self._sums.advance, self._target.pitch * self._sums.stride(1)))
        # A factor of 1 makes this a scaled pass, so that the next scaled sums need not wait.
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
            # These rows directly precede the output, so this allocation must be the last.
            self._space.in_x(-(-frame // self._target.row_groups))
        return [*begin, *body, *end]

    def _shown(self, group):
        """Access to the output from vector ``group`` on, and to the frame before it."""
        target = self._target
        last   = (self._steps * self._batch - 1) * target.pitch + self._pitch - 1
        return RelativeAccess(group, -target.pitch, last, move=Move.SECOND, area=Area.TARGET,
                              row_units=target.row_groups)

    def _vector(self, tiles, first=0):
        """Access to vectors in whole tiles: loop ``b`` runs along batches, ``c`` along tiles."""
        return replace(tiles.groups(first * self._size), outer=(0, self._pitch, BANKS))

    def _by_unit(self, state):
        """Access to a state in whole tiles, with the loops of ``_vector``."""
        return replace(state.groups(0), outer=(0, self._pitch, BANKS))

    def _of_gate(self, gate, sign=1):
        """Access to a gate's sigmoid output for all batches, negated for ``sign`` -1."""
        tiles = self._gates.groups(0 if sign > 0 else self._span * self._batch)
        return replace(tiles, base=tiles.base + gate * self._sums.gate,
                       outer=(0, self._span * BANKS, BANKS))

    def _argument_of(self, gate):
        """Access to the arguments from ``gate`` on, in two parts."""
        parts = self._sums.parts.groups(0)
        return replace(parts, base=parts.base + gate * self._sums.gate, move=self._sums.move,
                       outer=(0, self._sums.batch, BANKS))

    def _elements(self, x, z, words, **fields):
        """Elementwise pass over a vector, or over several vectors at address distance ``apart``,
        added.

        Each vector is multiplied by its entry in ``words``.
        """
        apart = fields.pop("apart", 0)
        return Pass(**{
            "outer": (1, self._batch, self._tiles), "taps": (1, 1, len(words)),
            "x": replace(x, taps=(0, 0, apart)), "z": z, "y": self._space.word(*words),
            "x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
            "y_width": Width.BITS16, "z_width": Width.BITS16, "clip": container_clip(16)} | fields)

    def _curves(self):
        """Passes to compute the sigmoid gates and look up the last gate's tangent."""
        space, span, both = self._space, self._span, {"apart": self._sums.slot}
        apart = span * self._batch
        outer = 1, self._batch, span
        x     = self._argument_of(_INPUT)
        looked = [replace(self._looked.groups(first), outer=(0, span * BANKS, BANKS))
                  for first in (0, apart)]
        tangents = self._look_up(self._argument_of(_SIGMOIDS), outer=(2, *self._vectors), **both,
                                 **self._curves_of.tangent_fields(space))
        sigmoids = [self._elements(x, z, (sign * GATE,) * 2, outer=outer, **both,
                                   **self._curves_of.sigmoid_fields(space, sign))
                    for z, sign in zip(looked, (1, -1), strict=True)]
        # With several steps, the last look-ups write X: the next pass starts after them, on the
        # short path. With a single step, the tangent sums are the last.
        first, last = sigmoids
        yield from [first, last, tangents] if self._steps == 1 else [first, tangents, last]
        negated = -(-_NEGATED * self._sums.gate // BANKS)
        for sign, tiles in ((1, span), (-1, negated)):
            yield self._elements(looked[0], self._of_gate(_INPUT, sign), (-sign, sign),
                                 apart=apart * BANKS, outer=(1, self._batch, tiles),
                                 **half_fields(sign))

    @property
    def _vectors(self):
        """Loop counts along a vector's batches and tiles."""
        return self._batch, self._tiles

    def _look_up(self, x, **fields):
        """Pass to look up the tangents of an argument and its negation.

        With ``apart``, the argument is the sum of two elements ``apart`` vectors from each other.
        """
        count = 2 if "apart" in fields else 1
        z     = self._vector(self._tangents)
        pass_ = self._elements(x, replace(z, outer=(self._size * BANKS, *z.outer[1:])),
                               (GATE, -GATE), z_memory=Memory.Y, **fields)
        return replace(pass_, taps=(1, 1, count), y=replace(pass_.operands.y, outer=(1, 0, 0),
                                                            taps=(0, 0, 0)))

    def _product(self, gate, other, z, factor, taps=1, **fields):
        """Pass to multiply a gate by a vector in Y and scale the product.

        With two ``taps`` the vector is a tangent: its first vector is multiplied by the negated
        gate.
        """
        row  = self._space.records(*map(int, factor_records(*factor)), 0)
        sign = 1 if taps == 1 else -1
        pass_ = self._elements(self._of_gate(gate, sign), z, (1,) * taps,
                               apart=-self._span * self._batch * BANKS)
        return replace(pass_, bias_row=row, y=replace(
            other.words(0), outer=(0, self._tiles, 1), taps=(0, 0, self._size)),
                       **RESCALED | fields)

    def _limits(self):
        """Memory element limits."""
        limit = self._form.limit
        return container_clip(16) if limit is None else (-limit, limit)

    def _keep(self, z, **fields):
        """New memory pass."""
        return self._elements(self._vector(self._products), z, (1, 1), clip=self._limits(),
                              apart=self._size * BANKS, **fields)

    def _remember(self):
        """Passes for the new memory and its tangent."""
        kept, added, _ = self._form.products
        products = [self._vector(self._products, number) for number in range(2)]
        yield self._product(_FORGET, self._old, products[0], kept)
        yield self._product(_INPUT, self._tangents, products[1], added, taps=2)
        keeps = [self._keep(self._vector(self._old), z_memory=Memory.Y)] * (self._steps > 1)
        if self._keeps_each:
            keeps.append(self._keep(self._by_unit(self._cell)))
        looks = self._look_up_cell(products[0])
        # With few steps the look-up comes first, so that other passes fill its latency.
        looks_first = self._looks_at_sums and self._keeps_each
        yield from [looks, *keeps] if looks_first else [*keeps, looks]

    @property
    def _looks_at_sums(self):
        """Whether the tangent look-up precedes the write of the memory."""
        return self._argument.limit(self._curves_of, *self._limits()) is not None

    def _look_up_cell(self, products):
        """Pass for the memory's tangent, from the sum of both ``products`` or from the stored
        memory.
        """
        argument = self._argument
        fields   = {"outer": (2, *self._vectors), "shift": argument.shift}
        if any(argument.biases):
            lanes = BANKS * self._space.ways
            fields["bias_row"] = self._space.records(np.repeat(argument.biases, lanes))
        if not self._looks_at_sums:
            return self._look_up(self._by_unit(self._cell), **fields,
                                 **self._curves_of.tangent_fields(self._space))
        limit = argument.limit(self._curves_of, *self._limits())
        return self._look_up(products, apart=self._size * BANKS, **fields,
                             **self._curves_of.tangent_fields(self._space, limit))

    def _show(self):
        """Passes to write the new output for the caller, and for the state unless steps read the
        output.

        With several batches, whole tiles and the remainder are separate passes. With a single
        batch, whole tiles suffice: later writes overwrite the excess.
        """
        target, batch = self._target, self._batch
        zero      = self._form.zeros[1]
        low, high = container_clip(8)
        hidden    = self._product(_OUTPUT, self._tangents, self._by_unit(self._state),
                                  self._form.products[2], taps=2, z_width=Width.BITS8,
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
