# SPDX-License-Identifier: Apache-2.0
"""The long short-term memory cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_rank
from xymac.golden.fixed import container, in_range
from xymac.golden.kinds import Act
from xymac.golden.layer import run
from xymac.golden.parameters.mli1 import GATES
from xymac.golden.result import Result
from xymac.hdl.isa import RoundMode

from .arithmetic import shift_round
from .lut import SIGMOID, TANH, apply_table
from .recurrent import ACT_TABLES, Cell, RnnMode, collect, dense, input_sums
from .tensor import Tensor

__all__ = ["LstmCell", "lstm_cell"]


def _lstm_step(layer, x, gates, cell):
    """New cell state and output from the gate sums; and whether the state overflowed."""
    bits, rounding, unit = x.bits, layer.rounding, x.bits - 1
    fresh, candidates, keep, show = (
        apply_table(table, gate, layer.dense_frac_bits(x), bits, rounding)
        for table, gate in zip((SIGMOID, TANH, SIGMOID, SIGMOID), gates, strict=True))
    sums = shift_round(fresh * candidates, unit - layer.cell.frac_bits, rounding, container(32))
    sums = sums + keep * cell
    overflow = not in_range(sums, 32)
    cell = shift_round(sums, unit, rounding, container(bits))
    if layer.act is Act.NONE:
        shift = layer.cell.frac_bits + unit - layer.out_frac_bits
        return cell, shift_round(cell * show, shift, rounding, container(bits)), overflow
    active = apply_table(ACT_TABLES[layer.act], cell, layer.cell.frac_bits, bits, rounding)
    return cell, shift_round(active * show, unit, rounding, container(bits)), overflow


@dataclass(frozen=True)
class LstmCell(Cell):
    """Long short-term memory cell.

    Parameters
    ----------
    weights : Tensor, shape (4, outputs, inputs + outputs): matrices for the input gate, new cell
        candidates, forget gate and output gate; the input columns come first
    bias : Tensor, shape (4, outputs)
    h : Tensor, shape (outputs,), previous output; each later step reads its previous output with
        the fractional bits of ``h``, too
    cell : Tensor, shape (outputs,), previous cell state
    out_frac_bits : int; with act NONE the fractional bits of ``h``, else 7 (fx8) or 15
    act : Act, activation between the cell state and the output
    """

    weights:       Tensor
    bias:          Tensor
    h:             Tensor
    cell:          Tensor
    out_frac_bits: int
    mode:          RnnMode = RnnMode.ONE_TO_ONE
    act:           Act = Act.NONE
    rounding:      RoundMode = RoundMode.CONVERGENT

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        self.check_constants(x)
        check_rank("Weights", self.weights, 3)
        if self.weights.shape[0] != GATES:
            raise ValueError(f"Weights must hold {GATES} matrices, not {self.weights.shape[0]}")
        self.check_state("Cell", self.cell, x)
        self.check_inputs(x)
        self.check_format(x, self.h.frac_bits if self.act is Act.NONE else x.bits - 1)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``lstm_cell``."""
        sums, overflow = input_sums(self, x)
        h, cell        = self.h.data.astype(np.int64), self.cell.data.astype(np.int64)
        outputs        = []
        for row in sums:
            gates, dense_overflow   = dense(self, x, row, h)
            cell, h, state_overflow = _lstm_step(self, x, gates.reshape(GATES, -1), cell)
            overflow |= dense_overflow or state_overflow
            outputs.append(h)
        state = Tensor(cell.astype(x.data.dtype), self.cell.frac_bits)
        return Result(collect(self, x, outputs), overflow, state)


def lstm_cell(x: Tensor, weights: Tensor, bias: Tensor, h: Tensor, cell: Tensor, *,
              out_frac_bits: int, mode: RnnMode = RnnMode.ONE_TO_ONE, act: Act = Act.NONE,
              rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """Long short-term memory cell, fx8, fx16 or fx8w16d.

    The new state is a sum of two products that is rounded once.

    Parameters
    ----------
    x : Tensor of any shape for one step, shape (steps, ...) for several
    weights, bias, h, cell, out_frac_bits, mode, act, rounding : see ``LstmCell``

    Returns a Result; its output has the dtype of ``x`` and shape (outputs,), or (steps, outputs) in
    mode BATCH_TO_BATCH; ``cell`` is the new state. ValueError or TypeError if ``LstmCell.check``
    refuses the call.
    Source: embARC MLI 1.1, kernels/common, ``mli_krn_lstm_cell_*``.
    """
    layer = LstmCell(weights, bias, h, cell, out_frac_bits, mode, act, rounding)
    return run(layer, x)
