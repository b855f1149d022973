# SPDX-License-Identifier: Apache-2.0
"""Passes of recurrent cells with rounded vectors: a step, and the passes around all steps.

Every vector has 16-bit elements in whole tiles. A product's second factor is in Y.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Move, Pass, Shape, Width
from xymac.host.ir.sums import fit_weights
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.memory.packing import width_of

from .arithmetic import VectorMath
from .sums.base import Input
from .sums.select import dense_sums

__all__ = ["GruSteps", "LstmSteps"]


class _Steps:
    """Cell passes, with relative accesses.

    Parameters
    ----------
    form : Lstm or Gru
    bits : int, input element width
    space : Workspace
    source, target : input TensorLayout with a run per step, output TensorLayout
    """

    def __init__(self, form, bits, space, source, target):
        self.form, self.source, self.target, self.space = form, source, target, space
        self._bits   = bits
        self.outputs = len(form.state)
        self.tiles   = -(-self.outputs // (BANKS * source.ways))
        self.math    = VectorMath(self.space, self.tiles)
        self._make()

    def in_tiles(self, values):
        """Output values in whole tiles."""
        return np.pad(values, (0, self.tiles * BANKS * self.space.ways - len(values)))

    def matrix(self, sums):
        """Matrix for the gates of a DenseSums: per output, the weights of a frame, then of the
        state.
        """
        ways, matrices = self.space.ways, []
        for inner, outer in zip(*(given.weights for given in sums.inputs), strict=True):
            frames = self.source.spread(inner)
            states = np.pad(outer, ((0, 0), (0, -self.outputs % ways)))
            rows   = np.hstack([frames, states])
            size   = self.tiles * BANKS * ways
            matrices.append(np.pad(rows, ((0, size - len(rows)), (0, 0))))
        return self.space.matrix(fit_weights(np.vstack(matrices)))

    def sums(self, form, matrix):
        """Passes for a DenseSums with the weights in ``matrix``."""
        pitch, (frame, state) = self.source.pitch, form.inputs
        inputs = [Input(frame, matrix, 0, pitch, width_of(self._bits)),
                  Input(state, matrix, pitch, -(-self.outputs // self.space.ways), Width.BITS16)]
        return dense_sums(self.space, form, inputs, self.tiles)

    def frame(self, number):
        """Access to a step's input; it advances with a loop."""
        access = RelativeAccess.to(self.source, 0, taps=(0, 0, 1),
                                   offset=number * self.source.pitch)
        return replace(access, move=Move.FIRST)

    @staticmethod
    def inputs_of(vector):
        """Access to a vector as a matrix input."""
        return replace(vector.groups(0), outer=(0, 0, 0), taps=(0, 0, 1))

    def fill(self, values, targets):
        """Passes to write constants, int64 [outputs]."""
        row  = self.space.records(self.in_tiles(values))
        base = self.state.groups(0)
        return [Pass(outer=(self.tiles, 1, 1), x=base, y=self.space.word(0), bias_row=row,
                     x_shape=Shape.LANES, y_shape=Shape.LANES, x_width=Width.BITS16,
                     y_width=Width.BITS16, z_width=Width.BITS16, clip=(-32768, 32767),
                     **target.output(0)) for target in targets]

    def write(self, index):
        """Passes to write the state as output ``index``; the access advances with a loop."""
        target = self.target
        last   = target.groups - target.pitch + self.tiles * BANKS - 1
        z      = RelativeAccess(index * target.pitch, 0, last, (0, 0, BANKS), move=Move.SECOND,
                                area=Area.TARGET, row_units=target.row_groups)
        return self.math.apply(self.state, self.form.shown, z=z, z_width=width_of(target.bits))

    def passes(self):
        """All step passes."""
        every, count = self.form.every, self.source.dims[0]
        onward = -1 if self.form.backward else 1
        first  = 0 if onward == 1 else count - 1
        passes, done = self.begin(), 0
        for number in range(len(self.form.sums)):
            last  = number == len(self.form.sums) - 1
            times = count - done if last else 1
            if times == 0:
                break
            body = self.step(number, self.frame(first + done * onward))
            body += self.write(done) if every else []
            if times > 1:
                body[-1] = replace(body[-1], back=len(body) - 1, repeat=times - 1, advance=(
                    onward * self.source.pitch, self.target.pitch if every else 0))
            passes += body
            done  += times
        return passes + ([] if every else self.write(0)) + self.end()

    def end(self):
        """Passes after the last step."""
        return []


class LstmSteps(_Steps):
    """Passes of an LSTM cell; the gate order is input, forget, output (sigmoids), then new."""

    _ORDER = (0, 2, 3, 1)

    def _make(self):
        space, tiles = self.space, self.tiles
        every  = [sums.pick(self._ORDER) for sums in self.form.sums]
        matrix = self.matrix(every[0])
        self._sums = [self.sums(sums, matrix) for sums in every]
        if self.form.affine:  # the new cell, in whole rows of 8-bit elements
            rows = -(-tiles // (2 * space.ways))
            self._result = space.in_y(rows * space.ways)
        self._cell, self._new, self._shown = (space.in_y(tiles) for _ in range(3))
        self.state, self._kept, self._added, self._copy = (space.in_x(tiles) for _ in range(4))
        self._gates = space.in_x(3 * tiles)
        self._raw   = space.in_x(4 * tiles if self.form.affine else 0)

    def begin(self):
        """Initial state and cell writes."""
        return (self.fill(self.form.state, [self.state])
                + self.fill(self.form.cell, [self._cell, self._copy]))

    def step(self, number, frame):
        """Step passes with input Access ``frame`` and the sums ``number``."""
        math, tiles, form = self.math, self.tiles, self.form
        sums = self._sums[number]
        outputs, later = [], []
        for first, last, to in ((0, 3, self._gates), (3, 4, self._new)):
            raw  = self._raw.part(first * tiles, (last - first) * tiles)
            gate = form.gates[self._ORDER[first]]
            fields, narrow = math.look_up(gate, sums.narrow, raw, to)
            outputs.append((first * tiles, last * tiles, fields))
            later += narrow
        enter, keep, leave = (self._gates.part(gate * tiles, tiles) for gate in range(3))
        passes = sums.passes([frame, self.inputs_of(self.state)], outputs) + later
        passes += math.product(keep, self._cell, form.keep, self._kept)
        passes += math.product(enter, self._new, form.add, self._added)
        passes += math.total(self._kept, self._added, form.total, [self._copy, self._cell])
        shown = self._cell
        if form.active is not None:
            shown = self._shown
            passes += math.activate(form.active, self._copy, self._raw, shown)
        return passes + math.product(leave, shown, form.show, self.state)

    def end(self):
        """New cell writes to Y."""
        if not self.form.affine:
            return []
        result, base = self._result.groups(0), 2 * self._result.base  # 8-bit vectors
        z = replace(result, base=base, low=base, high=base + self.tiles * BANKS - 1,
                    outer=(0, 0, BANKS), row_units=2 * result.row_units)
        return self.math.apply(self._copy, self.form.stored, z=z, z_width=Width.BITS8,
                               z_memory=self._result.memory)


class GruSteps(_Steps):
    """Passes of a GRU cell; the gate order is update, reset, new."""

    def _make(self):
        space, tiles = self.space, self.tiles
        form = self.form
        gates, new = self.matrix(form.sums[0]), self.matrix(form.last[0])
        self._sums = [self.sums(sums, gates) for sums in form.sums]
        self._last = [self.sums(sums, new) for sums in form.last]
        self._factors = space.in_y(2 * tiles)
        self._new     = space.in_y(tiles)
        self.state, self._seen, self._rest = (space.in_x(tiles) for _ in range(3))
        self._fresh, self._kept = (space.in_x(tiles) for _ in range(2))
        self._gates = space.in_x(2 * tiles)
        self._raw   = space.in_x(2 * tiles if self.form.affine else 0)

    def begin(self):
        """Initial state writes."""
        return self.fill(self.form.state, [self.state])

    def step(self, number, frame):
        """Step passes with input Access ``frame`` and the sums ``number``."""
        math, tiles, form = self.math, self.tiles, self.form
        sums, last = self._sums[number], self._last[number]
        fields, later = math.look_up(form.gates[0], sums.narrow, self._raw, self._gates)
        passes = sums.passes([frame, self.inputs_of(self.state)], [(0, 2 * tiles, fields)]) + later
        passes += math.move(self._gates, self._factors, tiles=2 * tiles)
        update, reset = (self._factors.part(gate * tiles, tiles) for gate in range(2))
        rest  = self.space.fields(form.rest)
        for gate, to in ((reset, self._seen), (update, self._kept)):
            passes += math.product(self.state, gate, form.keep[number], to)
        passes.append(math.element_pass(self._gates.part(0, tiles), y=self.space.word(-1), **rest,
                                        to=self._rest))
        raw = self._raw.part(0, tiles)
        fields, later = math.look_up(form.gates[2], last.narrow, raw, self._new)
        passes += last.passes([frame, self.inputs_of(self._seen)], [(0, tiles, fields)]) + later
        passes += math.product(self._rest, self._new, form.add, self._fresh)
        return passes + math.total(self._fresh, self._kept, form.total[number], [self.state])
