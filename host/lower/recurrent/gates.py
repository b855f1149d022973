# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 recurrent cell passes: a step, and the passes before and after all steps.

Every vector has 16-bit elements in whole tiles. A product's second factor is in Y.
"""

from dataclasses import replace

import numpy as np

from xymac.golden.mli2 import Act, Affine, Fixed, RnnOutput
from xymac.hdl.isa import BANKS, Move, Pass, Shape, Width
from xymac.host.frontend.mli2.fields import check_zero
from xymac.host.ir.sums import fit_weights
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.memory.packing import width_of

from .arithmetic import GateMath, blank
from .sums.base import Input
from .sums.select import dense_sums

__all__ = ["GruSteps", "LstmSteps"]


class _Steps:
    """Cell passes, with relative accesses.

    Parameters
    ----------
    layer, x : golden layer, and a QuantTensor in the input format
    space : Workspace
    source, target : input TensorLayout with a run per step, output TensorLayout

    Attributes
    ----------
    formats : tuples of state formats, a list; a tuple lists equivalent formats
    """

    def __init__(self, layer, x, space, source, target):
        self.layer, self.source, self.target, self.space = layer, source, target, space
        self._x = blank_like(x)
        self.outputs = layer.bias.shape[1]
        self.tiles   = -(-self.outputs // (BANKS * source.ways))
        self.math    = GateMath(self.space, layer.build, self.tiles, x.is_affine)
        self.formats = self._formats()
        self._sigm, self._tanh = layer.activations
        self.sigm_format, self.tanh_format = map(self.math.format_of, (self._sigm, self._tanh))
        self._make()

    def _formats(self):
        first, later = self.layer.state.format, self.layer.out
        if isinstance(first, Affine):
            for kind in (first, later):
                check_zero("a state", kind.zero_point)
            # A range that includes 0 is within 8 bits for every zero point.
            if all(-128 <= kind.zero_point <= 127 for kind in (first, later)) and (
                    replace(first, zero_point=later.zero_point) == later):
                return [(first, later)]
        return [(later,)] if first == later else [(first,), (later,)]

    def in_tiles(self, values):
        """Output values in whole tiles."""
        return np.pad(values, (0, self.tiles * BANKS * self.space.ways - len(values)))

    def gates(self, numbers):
        """Weights and biases for some gates, for ``dense_sums``."""
        layer = self.layer
        return [((layer.gate_weights(layer.weights_in, gate),
                  layer.gate_weights(layer.weights_out, gate)), layer.bias.part(gate))
                for gate in numbers]

    def matrix(self, numbers):
        """Matrix for some gates: per output, the weights of a frame, then of the state."""
        ways, matrices = self.space.ways, []
        for (inner, outer), _ in self.gates(numbers):
            frames = self.source.spread(inner.centred.T)
            states = np.pad(outer.centred.T, ((0, 0), (0, -self.outputs % ways)))
            rows   = np.hstack([frames, states])
            size   = self.tiles * BANKS * ways
            matrices.append(np.pad(rows, ((0, size - len(rows)), (0, 0))))
        return self.space.matrix(fit_weights(np.vstack(matrices)))

    def sums(self, numbers, matrix, kind, states):
        """Sums for some gates; ``states`` are the second operand's formats."""
        pitch, bits = self.source.pitch, self._x.bits
        peaks  = [max(map(abs, self.math.limits(*kinds))) for kinds in ((self._x.format,), states)]
        inputs = [Input(self._x, matrix, 0, pitch, width_of(bits), peaks[0]),
                  Input(blank(states[0], bits), matrix, pitch,
                        -(-self.outputs // self.space.ways), Width.BITS16, peaks[1])]
        return dense_sums(self.space, self.layer.build, kind, inputs, self.gates(numbers),
                          self.tiles)

    def dense_format(self, affine, frac_bits):
        """Gate sum format."""
        if self.math.affine:
            return affine
        return Fixed(min(frac_bits, self._x.format.frac_bits
                         + self.layer.weights_in.format.frac_bits))

    def frame(self, number):
        """Access to a step's input; it advances with a loop."""
        access = RelativeAccess.to(self.source, 0, taps=(0, 0, 1),
                                   offset=number * self.source.pitch)
        return replace(access, move=Move.FIRST)

    @staticmethod
    def inputs_of(vector):
        """Access to a vector as a matrix input."""
        return replace(vector.groups(0), outer=(0, 0, 0), taps=(0, 0, 1))

    def fill(self, tensor, targets):
        """Passes to write a constant tensor, minus its zero point."""
        row  = self.space.records(self.in_tiles(tensor.centred))
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
        return self.restore(self.state, self.layer.out, z=z, z_width=width_of(target.bits))

    def restore(self, vector, kind, **fields):
        """Passes to add the zero point back to a vector."""
        zero = kind.zero_point if self.math.affine else 0
        return [self.math.element_pass(vector, y=self.space.word(1), zero=zero,
                                       clip=self.math.limits(kind), **fields)]

    def passes(self):
        """All step passes."""
        layer, count = self.layer, self.source.dims[0]
        every  = layer.output is RnnOutput.ALL
        onward = 1 if layer.direction.value == "forward" else -1
        first  = 0 if onward == 1 else count - 1
        passes, done = self.begin(), 0
        for number in range(len(self.formats)):
            last  = number == len(self.formats) - 1
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


def blank_like(x):
    """One-element QuantTensor in the format of ``x``."""
    return blank(x.format, x.bits)


class LstmSteps(_Steps):
    """Passes of an LSTM cell; the gate order is input, forget, output (sigmoids), then new."""

    _ORDER = (0, 2, 3, 1)

    def _make(self):
        space, tiles = self.space, self.tiles
        matrix = self.matrix(self._ORDER)
        self._kind = self.dense_format(Affine(0, 1, 4), 10)
        self._sums = [self.sums(self._ORDER, matrix, self._kind, kinds) for kinds in self.formats]
        if self.math.affine:  # the new cell, in whole rows of 8-bit elements
            rows = -(-tiles // (2 * space.ways))
            self._result = space.in_y(rows * space.ways)
        self._cell, self._new, self._shown = (space.in_y(tiles) for _ in range(3))
        self.state, self._kept, self._added, self._copy = (space.in_x(tiles) for _ in range(4))
        self._gates = space.in_x(3 * tiles)
        self._raw   = space.in_x(4 * tiles if self.math.affine else 0)

    def begin(self):
        """Initial state and cell writes."""
        layer = self.layer
        return (self.fill(layer.state, [self.state])
                + self.fill(layer.cell, [self._cell, self._copy]))

    def step(self, number, frame):
        """Step passes with input Access ``frame`` and a state in a format from ``formats[number]``.
        """
        math, tiles, cell = self.math, self.tiles, self.layer.cell.format
        sums = self._sums[number]
        outputs, later = [], []
        for first, last, act, to in ((0, 3, self._sigm, self._gates),
                                     (3, 4, self._tanh, self._new)):
            raw = self._raw.part(first * tiles, (last - first) * tiles)
            fields, narrow = math.look_up(act, self._kind, sums.narrow, raw, to)
            outputs.append((first * tiles, last * tiles, fields))
            later += narrow
        enter, keep, leave = (self._gates.part(gate * tiles, tiles) for gate in range(3))
        passes = sums.passes([frame, self.inputs_of(self.state)], outputs) + later
        passes += math.product(keep, self._cell, (cell, self.sigm_format), cell, self._kept)
        passes += math.product(enter, self._new, (self.tanh_format, self.sigm_format),
                              self.tanh_format, self._added)
        passes += math.total(self._kept, self._added, (cell, self.tanh_format), cell,
                            [self._copy, self._cell])
        shown, shown_kind = self._cell, cell
        act = {Act.TANH: self._tanh, Act.SIGM: self._sigm}.get(self.layer.act)
        if act is not None:
            shown, shown_kind = self._shown, math.format_of(act)
            passes += math.activate(act, self._copy, cell, self._raw, shown)
        return passes + math.product(leave, shown, (shown_kind, self.sigm_format), self.layer.out,
                                    self.state)

    def end(self):
        """New cell writes to Y."""
        if not self.math.affine:
            return []
        result, base = self._result.groups(0), 2 * self._result.base  # 8-bit vectors
        z = replace(result, base=base, low=base, high=base + self.tiles * BANKS - 1,
                    outer=(0, 0, BANKS), row_units=2 * result.row_units)
        return self.restore(self._copy, self.layer.cell.format, z=z, z_width=Width.BITS8,
                             z_memory=self._result.memory)


class GruSteps(_Steps):
    """Passes of a GRU cell; the gate order is update, reset, new."""

    def _make(self):
        space, tiles = self.space, self.tiles
        gates, new = self.matrix((0, 1)), self.matrix((2,))
        self._kind = self.dense_format(Affine(0, 21, 9), 11)
        self._sums = [self.sums((0, 1), gates, self._kind, kinds) for kinds in self.formats]
        self._last = [self.sums((2,), new, self._kind, kinds) for kinds in self.formats]
        self._factors = space.in_y(2 * tiles)
        self._new     = space.in_y(tiles)
        self.state, self._seen, self._rest = (space.in_x(tiles) for _ in range(3))
        self._fresh, self._kept = (space.in_x(tiles) for _ in range(2))
        self._gates = space.in_x(2 * tiles)
        self._raw   = space.in_x(2 * tiles if self.math.affine else 0)

    def begin(self):
        """Initial state writes."""
        return self.fill(self.layer.state, [self.state])

    def step(self, number, frame):
        """Step passes with input Access ``frame`` and a state in a format from ``formats[number]``.
        """
        math, tiles, out = self.math, self.tiles, self.layer.out
        kind, *others = self.formats[number]
        sums, last = self._sums[number], self._last[number]
        fields, later = math.look_up(self._sigm, self._kind, sums.narrow, self._raw,
                                       self._gates)
        passes = sums.passes([frame, self.inputs_of(self.state)], [(0, 2 * tiles, fields)]) + later
        passes += math.move(self._gates, self._factors, tiles=2 * tiles)
        update, reset = (self._factors.part(gate * tiles, tiles) for gate in range(2))
        one   = self.space.records(255 if math.affine else 32767)
        for gate, to in ((reset, self._seen), (update, self._kept)):
            passes += math.product(self.state, gate, (kind, self.sigm_format), kind, to, *others)
        passes.append(math.element_pass(self._gates.part(0, tiles), y=self.space.word(-1),
                                       bias_row=one, to=self._rest))
        raw = self._raw.part(0, tiles)
        fields, later = math.look_up(self._tanh, self._kind, last.narrow, raw, self._new)
        passes += last.passes([frame, self.inputs_of(self._seen)], [(0, tiles, fields)]) + later
        passes += math.product(self._rest, self._new, (self.tanh_format, self.sigm_format), out,
                              self._fresh)
        return passes + math.total(self._fresh, self._kept, (out, kind), out, [self.state])
