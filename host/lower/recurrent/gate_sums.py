# SPDX-License-Identifier: Apache-2.0
"""Scaled gate sums of a SequenceLstm: input products and state products.

A batch has the vectors of all gates, gate by gate; a *slot* has all batches. A step's state sums
are in one slot, its input sums in the next. All lanes in a bank belong to the same gate. All
outputs in a pass therefore have the same factors, while each beat writes to its own gate.
"""

from dataclasses import replace
from itertools import groupby, pairwise, product

import numpy as np

from xymac.hdl.isa import BANKS, HELD, Move, Op, Pass, Width
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import RESCALED, factor_records
from xymac.host.ir.sums import fit_weights
from xymac.host.lower.relative import RelativeAccess
from xymac.host.memory.packing import width_of

from .frames import frame_places
from .sums.wrapped import WrappedSums, wraps

__all__ = ["GATES", "GateSums"]

GATES  = (0, 3, 1, 2)  #: Gates of the form in pass order; the last is a tangent.
_AHEAD = 256           #: Largest row count in X for which all input sums precede the steps.
_OF_INPUT, _OF_STATE = range(2)
_LONG = 3              #: Fewest tiles with equal factors that justify a separate pass.


class GateSums:
    """Passes to compute the arguments of all gates, in two parts.

    Parameters
    ----------
    form : SequenceLstm
    space : Workspace
    source : input TensorLayout
    state : RelativeAccess to the state
    pitch : int, state vectors per batch, whole tiles

    Attributes
    ----------
    gate, batch, slot : int, address distance between gates, batches and slots, vectors
    parts : Tiles for all slots, and an additional tile
    frame : int, vectors per frame
    begin : Pass list, before all steps
    is_ahead : bool, whether every step has its own slot
    """

    def __init__(self, form, space, source, state, pitch):
        self._form, self._space, self._source = form, space, source
        self._state, self._pitch = state, pitch
        self._batch, self._units = form.states[0].shape
        self._steps  = source.shape[0] * source.shape[1] // self._batch
        self.frame   = source.groups // (self._steps * self._batch)
        self._factors = [[factors[gate] for gate in GATES] for factors in form.factors]
        self._weights = self._inner(), [form.weights[_OF_STATE][gate] for gate in GATES]
        self._biases  = [form.biases[gate] for gate in GATES]
        self._wraps  = any(map(self._can_wrap, range(len(GATES))))
        self.gate    = pitch if self._wraps else -(-self._units // space.ways)
        self.batch   = len(GATES) * self.gate
        self.slot    = self._batch * self.batch
        rows, slots  = self.slot // BANKS, self._steps + 1
        self.is_ahead = not self._wraps and self._steps > 1 and rows * slots <= _AHEAD
        self.parts   = space.in_x(rows * (slots if self.is_ahead else 2) + 1)
        self._second = replace(self.parts, base=self.parts.base + self.slot)
        self.begin   = []

    def stride(self, batches):
        """Frames from a step to the next, or with ``batches`` 0 from a batch to the next."""
        if self._form.time_major:
            return self._batch if batches else 1
        return 1 if batches else self._steps

    @property
    def move(self):
        """Slot access Move between steps."""
        return Move.FIRST if self.is_ahead else Move.NONE

    @property
    def advance(self):
        """``Move.FIRST`` advance per step, vectors."""
        return self.slot if self.is_ahead else self.frame * self.stride(1)

    def passes(self):
        """Step passes; ``begin`` may receive the input sums of all steps."""
        if self._wraps:
            return [*self._sum_gates(_OF_STATE), *self._sum_gates(_OF_INPUT)]
        frames = self._sum_frames()
        self.begin += frames if self.is_ahead else []
        if self._steps == 1:  # no waits: gates are read long after their sums
            return [self._sum_state(), *frames]
        return [*([] if self.is_ahead else frames), self._sum_state()]

    def _inner(self):
        """Input weights per gate in the element order of a frame."""
        places = frame_places(self._source, self._steps * self._batch)
        return [np.where(places < 0, 0, self._form.weights[_OF_INPUT][gate][:, places])
                for gate in GATES]

    def _can_wrap(self, gate):
        """Whether a gate sum may exceed 32 bits."""
        return any(wraps(self._weights[part][gate], (self._biases[gate], 0)[part], 8,
                         self._form.zeros[part], self._factors[part][gate])
                   for part in (_OF_INPUT, _OF_STATE))

    def _access(self, part):
        """Access to frames or to the state; loop ``b`` runs along batches."""
        if part == _OF_STATE:
            return replace(self._state, outer=(0, self._pitch, 0), taps=(0, 0, 1))
        apart  = [self.frame * self.stride(steps) for steps in (0, 1)]
        access = RelativeAccess.to(self._source, 0, taps=(0, 0, 1), outer=(0, *apart))
        return access if self.is_ahead else replace(
            access, move=Move.FIRST, outer=(0, apart[0], 0))

    def _rows(self, part):
        """Weights [gates, units in whole vectors, inputs in whole vectors]."""
        ways = self._space.ways
        return fit_weights(np.stack([
            np.pad(gate, ((0, self.gate * ways - self._units), (0, -gate.shape[1] % ways)))
            for gate in self._weights[part]]))

    def _fields(self, part, matrix, rows):
        """A part's pass fields."""
        return {"taps": (1, 1, matrix.words), "x_zero": self._form.zeros[part],
                "y_width": width_of(8 * rows.itemsize), "z_width": Width.BITS16,
                "clip": container_clip(16)}

    def _records(self, part, repeats):
        """First parameter of every lane, repeated ``repeats`` times per gate."""
        [records] = factor_records(*np.array(self._factors[part]).T)
        return np.repeat(records, repeats)

    def _sum_frames(self):
        """Passes for the input sums, from a single frame or from all frames."""
        space, lanes = self._space, BANKS * self._space.ways
        rows  = self._rows(_OF_INPUT)
        size  = rows.shape[1]
        rows  = rows.reshape(-1, rows.shape[2])
        matrix  = space.matrix(rows)
        biases  = np.concatenate([np.pad(bias, (0, size - self._units)) for bias in self._biases])
        records = self._records(_OF_INPUT, size)
        passes  = []
        for first, end in _runs(records.reshape(-1, lanes)):
            own  = slice(first * lanes, end * lanes)
            once = bool((records[own].reshape(-1, lanes) == records[own][:lanes]).all())
            made = space.records_once if once else space.records
            passes.append(Pass(
                **RESCALED | self._fields(_OF_INPUT, matrix, rows), once=once and end > first + 1,
                bias_row=made(records[own][:lanes] if once else records[own], biases[own]),
                x=self._access(_OF_INPUT), y=matrix.access(first, 0),
                outer=(end - first, self._batch, self._steps if self.is_ahead else 1),
                z=replace(self._second.groups(first), outer=(BANKS, self.batch, self.slot))))
        return passes

    def _sum_state(self):
        """Pass of the state sums, whose beats write to their gates."""
        space, ways = self._space, self._space.ways
        groups = -(-self._units // ways)
        rows   = self._rows(_OF_STATE)[:, :groups * ways]
        rows   = rows.reshape(len(GATES), groups, ways, -1).swapaxes(0, 1)
        rows   = np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]))
        matrix = space.matrix(rows)
        access = replace(self._access(_OF_STATE), outer=(0, 0, self._pitch))
        return Pass(**RESCALED | self._fields(_OF_STATE, matrix, rows), op=Op.SPREAD, x=access,
                    bias_row=space.records(self._records(_OF_STATE, ways), 0),
                    outer=(1, matrix.tiles, self._batch),
                    y=replace(matrix.access(0, 0), outer=(0, matrix.words, 0)),
                    z=replace(self.parts.groups(0), outer=(self.gate, 1, self.batch),
                              move=self.move))

    def _sum_gates(self, part):
        """Passes of a part's sums if some wrap; gates with equal factors share a pass."""
        space, tiles = self._space, self.gate // BANKS
        rows    = self._rows(part)
        matrix  = space.matrix(rows.reshape(-1, rows.shape[2]))
        zero    = self._form.zeros[part]
        biases  = np.stack([np.pad(bias * (part == _OF_INPUT), (0, rows.shape[1] - self._units))
                            for bias in self._biases])
        slots   = (self._second, self.parts)[part]
        for factor, gates in groupby(range(len(GATES)), key=self._factors[part].__getitem__):
            first, *others = gates
            own   = slice(first, first + 1 + len(others))
            sums  = Pass(**self._fields(part, matrix, rows), x=self._access(part),
                         outer=((1 + len(others)) * tiles, self._batch, 1),
                         y=matrix.access(first * tiles, 0), z=replace(
                             slots.groups(first * tiles), outer=(BANKS, self.batch, 0)))
            flat, bias = rows[own].reshape(-1, rows.shape[2]), biases[own].ravel()
            if wraps(flat, bias, 8, zero, factor):
                yield from self._wrap(sums, factor, bias)
                continue
            row = space.records_once(*map(int, factor_records(*factor)), bias)
            yield replace(sums, bias_row=row, once=sums.loop.outer[0] > 1, **RESCALED)

    def _wrap(self, sums, factor, biases):
        """Passes of wrapped sums; ``sums`` is their Pass for all batches."""
        operands = sums.operands
        space, count = self._space, sums.loop.outer[0]
        row     = space.records(biases)
        wrapped = WrappedSums(space, count, factor)
        self.begin += wrapped.begin
        for batch, first in product(range(self._batch), range(0, count, HELD)):
            tiles = min(HELD, count - first)
            z     = replace(sums.epilogue.z, outer=(0, 0, BANKS),
                            base=sums.epilogue.z.base + batch * self.batch + first * BANKS)
            part  = replace(
                sums, outer=(tiles, 1, 1), bias_row=row + space.record_rows(first),
                x=replace(operands.x, base=operands.x.base + batch * operands.x.outer[1]),
                y=replace(operands.y, base=operands.y.base + first * operands.y.outer[0]))
            yield from wrapped.passes(part, [(0, tiles, {"z": z})])


def _runs(records):
    """Tile ranges (first, end) of every pass: tiles with equal ``records`` together, or all tiles.
    """
    starts = [0, *(np.flatnonzero((records[1:] != records[:-1]).any(axis=1)) + 1), len(records)]
    if (len(starts) - 1) * _LONG > len(records):
        return [(0, len(records))]
    return list(pairwise(map(int, starts)))
