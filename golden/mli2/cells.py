# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 recurrent cells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_kind, check_rank
from xymac.golden.fixed import container
from xymac.golden.kinds import Act, EltwiseOp
from xymac.golden.layer import run
from xymac.golden.parameters.mli2.linear import gate_format
from xymac.golden.result import Result
from xymac.golden.table import Table, check_table

from .activation import Sigmoid, Tanh
from .arithmetic import Build
from .checks import check_build, check_elements, check_linear, check_whole
from .dense import dense_part, dense_sum
from .eltwise import Eltwise
from .layer import Formatted
from .lut import SIGMOID, TANH
from .tensor import Affine, Fixed, QuantTensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.golden.formats import Format


__all__ = ["Direction", "GruCell", "LstmCell", "RnnOutput"]


class Direction(Enum):
    """Order in which a cell processes the input steps. Source: ``mli_rnn_direction``."""

    FWD = "forward"
    BWD = "backward"


class RnnOutput(Enum):
    """Steps whose output a cell keeps. Source: ``mli_rnn_results``."""

    ALL  = "all"
    LAST = "last"


def _output(layer, *inputs):
    """Output of a ``layer`` on ``inputs``, a QuantTensor."""
    output = run(layer, *inputs).output
    assert isinstance(output, QuantTensor)
    return output


class _Gates(Formatted):
    """Members that the cells define: gate count and tables."""

    gates:      int
    tanh_table: Table
    sigm_table: Table


@dataclass(frozen=True)
class _Cell(_Gates):
    """Base class for the recurrent cells.

    Parameters
    ----------
    weights_in : QuantTensor, shape (gates, inputs, outputs), a common scale or a scale per gate
    weights_out : QuantTensor, shape (gates, outputs, outputs), a common scale or a scale per gate
    bias : QuantTensor, shape (gates, outputs); an SA_32 bias has the scale input * weights
    state : QuantTensor, shape (outputs,), initial output
    out : Fixed or Affine, output format
    """

    weights_in:  QuantTensor
    weights_out: QuantTensor
    bias:        QuantTensor
    state:       QuantTensor
    out:         Fixed | Affine
    direction:   Direction = Direction.FWD
    output:      RnnOutput = RnnOutput.LAST
    build:       Build = Build.UP_REDUCED

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, int]:
        """Output shape: (steps, outputs), or (1, outputs) for the last step only."""
        return (x_shape[0] if self.output is RnnOutput.ALL else 1), self.bias.shape[1]

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the cell can process the QuantTensor ``x``."""
        check_build(self.build)
        check_kind("direction", self.direction, Direction)
        check_kind("output", self.output, RnnOutput)
        for weights in (self.weights_in, self.weights_out):
            check_linear(x, weights, self.bias, self.out)
            check_rank("Weights", weights, 3)
            if weights.is_affine and weights.affine.dim > 0:
                raise ValueError(f"Scales of weights must be along dimension 0, the gates, "
                                 f"not {weights.affine.dim}")
        check_rank("Input", x, 2)
        check_table("tanh_table", self.tanh_table)
        check_table("sigm_table", self.sigm_table)
        self._check_state("State", self.state, x)
        self._check_shapes(x)

    def _check_state(self, name, tensor, x):
        check_elements(name, tensor, x.element)
        check_whole(name, tensor)
        if tensor.shape != self.bias.shape[1:]:
            raise ValueError(f"{name} must have shape {self.bias.shape[1:]}, not {tensor.shape}")

    def _check_shapes(self, x):
        outputs = self.weights_in.shape[2]
        for name, shape, wanted in (
                ("Bias", self.bias.shape, (self.gates, outputs)),
                ("Weights of the input", self.weights_in.shape, (self.gates, x.shape[1], outputs)),
                ("Weights of the state", self.weights_out.shape, (self.gates, outputs, outputs))):
            if shape != wanted:
                raise ValueError(f"{name} must have shape {wanted}, not {shape}")

    @property
    def activations(self) -> tuple[Sigmoid, Tanh]:
        """Sigmoid and hyperbolic tangent for the gates."""
        return Sigmoid(self.build, self.sigm_table), Tanh(self.build, self.tanh_table)

    def steps(self, x: QuantTensor) -> list[QuantTensor]:
        """The input steps in processing order, a list of QuantTensor."""
        parts = [x.part(index) for index in range(x.shape[0])]
        return parts if self.direction is Direction.FWD else parts[::-1]

    def dense(self, gate: int, inputs: tuple[QuantTensor, ...],
              kind: Format) -> tuple[QuantTensor, bool]:
        """Sums of ``gate``, a QuantTensor in the format ``kind``, and whether a sum overflowed."""
        weights = [self.gate_weights(tensor, gate)
                   for tensor in (self.weights_in, self.weights_out)]
        values, overflow = dense_sum(inputs, weights, self.bias.part(gate), kind, self.build,
                                     self.part)
        element = inputs[0].element
        return QuantTensor(values.astype(element.dtype), element, kind), overflow

    def part(self, x: QuantTensor, weights: QuantTensor, bias: QuantTensor, out: Format,
             build: Build) -> tuple[np.ndarray, bool]:
        """Product of a gate with the input or the state; see ``dense_part``."""
        return dense_part(x, weights, bias, out, build)

    def gate_weights(self, tensor: QuantTensor, gate: int) -> QuantTensor:
        """Weights of ``gate`` with their scale."""
        return tensor.part(gate)

    def combine(self, op: EltwiseOp, a: QuantTensor, b: QuantTensor,
                kind: Format) -> QuantTensor:
        """``Eltwise`` on two tensors."""
        return _output(Eltwise(op, kind, self.build), a, b)

    def collect(self, outputs: Sequence[QuantTensor], overflow: bool,
                cell: QuantTensor | None = None) -> Result:
        """The cell's Result from its ``outputs`` at all steps."""
        kept = outputs if self.output is RnnOutput.ALL else outputs[-1:]
        data = np.stack([output.data for output in kept])
        return Result(QuantTensor(data, kept[0].element, self.out), overflow, cell)


def _dense_format(layer, x, affine, frac_bits):
    if x.is_affine:
        return affine
    return Fixed(min(frac_bits, x.fixed.frac_bits + layer.weights_in.fixed.frac_bits))


@dataclass(frozen=True)
class LstmCell(_Cell):
    """Long short-term memory; the gates are input, new, forget and output.

    Every operation in the formula is a separate kernel that rounds and saturates.
    Source: embARC MLI 2.0, kernels/common/impl/mli_krn_lstm_cell_ref.h.

    Parameters as in ``_Cell``, and

    cell : QuantTensor, shape (outputs,), initial cell state
    act : Act, activation between the cell state and the output
    tanh_table, sigm_table : Table for ``Tanh`` and for ``Sigmoid``
    """

    cell: QuantTensor | None = None
    act:  Act = Act.TANH
    tanh_table: Table = TANH
    sigm_table: Table = SIGMOID

    gates = 4

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the cell can process the QuantTensor ``x``."""
        super().check(x)
        check_kind("act", self.act, Act)
        self._check_state("Cell", self.cell, x)

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x`` with shape (steps, inputs)."""
        sigm, tanh = self.activations
        last       = {Act.TANH: tanh, Act.SIGM: sigm}.get(self.act)
        kind       = _dense_format(self, x, Affine(0, 1, 4), 10)
        state, cell, outputs, overflow = self.state, self.cell, [], False
        assert cell is not None  # by check
        for step in self.steps(x):
            gates = []
            for gate, act in enumerate((sigm, tanh, sigm, sigm)):
                sums, left = self.dense(gate, (step, state), kind)
                gates.append(_output(act, sums))
                overflow |= left
            enter, new, keep, leave = gates
            kept  = self.combine(EltwiseOp.MUL, cell, keep, cell.format)
            added = self.combine(EltwiseOp.MUL, new, enter, new.format)
            cell  = self.combine(EltwiseOp.ADD, kept, added, cell.format)
            shown = cell if last is None else _output(last, cell)
            state = self.combine(EltwiseOp.MUL, shown, leave, self.out)
            outputs.append(state)
        return self.collect(outputs, overflow, cell)


@dataclass(frozen=True)
class GruCell(_Cell):
    """Gated recurrent unit; the gates are update, reset and new.

    For the new gate the library advances pointers to the weights' third scale. If SA_8 weights
    have a single scale, the field holds the scale itself, not a pointer. Two behaviours exist:

    - the library's, the default: the pointer increments, in bytes, add 4 to the scale and 2 to its
      fractional bits, so the new gate's weights shrink to about a quarter;
    - the documented behaviour, with ``documented=True``: all gates have the same scale.

    Source: embARC MLI 2.0, kernels/common/impl/mli_krn_gru_cell_ref.h; scales:
    ``inc_scales_for_new_gate``.

    Parameters as in ``_Cell``, and

    documented : bool, whether a single scale applies to all gates
    tanh_table, sigm_table : Table for ``Tanh`` and for ``Sigmoid``
    """

    documented: bool = False
    tanh_table: Table = TANH
    sigm_table: Table = SIGMOID

    gates = 3

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the cell can process the QuantTensor ``x``."""
        super().check(x)
        check_kind("documented", self.documented, bool)
        for weights in (self.weights_in, self.weights_out):
            self.gate_weights(weights, 2)

    def gate_weights(self, tensor: QuantTensor, gate: int) -> QuantTensor:
        """Weights of ``gate`` with the scale that the library applies."""
        part = tensor.part(gate)
        if gate < 2 or self.documented or not part.is_affine or tensor.affine.dim >= 0:
            return part
        return QuantTensor(part.data, part.element, gate_format(part.affine))

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x`` with shape (steps, inputs)."""
        sigm, tanh = self.activations
        kind       = _dense_format(self, x, Affine(0, 21, 9), 11)
        one        = QuantTensor(np.array([container(x.bits)[1]], x.data.dtype), x.element,
                                 sigm.out if x.is_affine else Fixed(x.bits - 1))
        state, outputs, overflow = self.state, [], False
        for step in self.steps(x):
            gates = []
            for gate in range(2):
                sums, left = self.dense(gate, (step, state), kind)
                gates.append(_output(sigm, sums))
                overflow |= left
            update, reset = gates
            seen = self.combine(EltwiseOp.MUL, reset, state, state.format)
            kept = self.combine(EltwiseOp.MUL, state, update, state.format)
            rest = self.combine(EltwiseOp.SUB, one, update, update.format)
            sums, left = self.dense(2, (step, seen), kind)
            overflow |= left
            new   = self.combine(EltwiseOp.MUL, _output(tanh, sums), rest, self.out)
            state = self.combine(EltwiseOp.ADD, new, kept, self.out)
            outputs.append(state)
        return self.collect(outputs, overflow)

