# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells: their base class, and the basic cell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import container, in_range, matmul, wrap
from xymac.golden.kinds import Act
from xymac.golden.layer import run
from xymac.golden.parameters.mli1 import bias_shift, dense_frac_bits
from xymac.golden.result import Result
from xymac.hdl.isa import ACC_BITS, AccumulatorRange, RoundMode

from .arithmetic import ACC_RANGE_BITS, align_bias, shift_round
from .checks import check_bias, check_rounding, check_tensor, check_types
from .linear import Weighted
from .lut import SIGMOID, TANH, apply_table
from .tensor import Tensor, check_frac_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ACT_TABLES", "BasicRnnCell", "Cell", "RnnMode", "basic_rnn_cell", "collect",
           "dense", "input_sums"]


class RnnMode(Enum):
    """Meaning of the input's first dimension. Source: embARC MLI 1.1, mli_types.h,
    ``mli_rnn_mode``.
    """

    ONE_TO_ONE     = 0  #: One step's input, of any shape.
    BATCH_TO_BATCH = 1  #: The first dimension counts steps; the result has every output.
    BATCH_TO_LAST  = 2  #: The first dimension counts steps; the result is the last output.


ACT_TABLES = {Act.TANH: TANH, Act.SIGM: SIGMOID}


class Cell(Weighted):
    """Base class for both cells; ``x`` below is the input, a Tensor."""

    h:    Tensor
    mode: RnnMode
    act:  Act

    def dense_frac_bits(self, x: Tensor) -> int:
        """Fractional bits of the sums before an activation."""
        return dense_frac_bits(x.bits)

    def frames(self, x: Tensor) -> np.ndarray:
        """``x`` data: int64 [steps, inputs]."""
        steps = 1 if self.mode is RnnMode.ONE_TO_ONE else x.shape[0]
        return x.data.reshape(steps, -1)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        state = tuple(self.h.shape)
        return (x_shape[0], *state) if self.mode is RnnMode.BATCH_TO_BATCH else state

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count: steps times weights."""
        steps = 1 if self.mode is RnnMode.ONE_TO_ONE else x_shape[0]
        return steps * prod(self.weights.shape)

    def begin(self, x: Tensor, frames: np.ndarray, weights: np.ndarray,
              bias: np.ndarray) -> np.ndarray:
        """Bias plus input products, int64 [steps, rows].

        Parameters
        ----------
        frames, weights, bias : arrays [steps, inputs], [rows, inputs] and [rows]; the bias has the
            products' binary point
        """
        return matmul(frames, weights.T) + bias

    def complete(self, x: Tensor, sums: np.ndarray, weights: np.ndarray,
                 h: np.ndarray) -> tuple[np.ndarray, bool]:
        """Add the products of the previous output to aligned sums; see ``dense``.

        Parameters
        ----------
        sums, weights, h : arrays [rows], [rows, outputs] and [outputs]
        """
        sums     = sums + matmul(weights, h)
        overflow = not in_range(sums, ACC_RANGE_BITS[self.acc_range(x)])
        return shift_round(wrap(sums, ACC_BITS), self.gate_shift(x), self.rounding,
                           container(x.bits)), overflow

    def gate_shift(self, x: Tensor) -> int:
        """Right shift from complete sums to the arguments of the activations, bits."""
        return self.h.frac_bits + self.weights.frac_bits - self.dense_frac_bits(x)

    def check_constants(self, x: Tensor) -> None:
        """Raise unless types and options are right."""
        check_types(x, self.weights, self.bias)
        check_kind("mode", self.mode, RnnMode)
        check_kind("act", self.act, Act)
        check_rounding(self.rounding)
        check_frac_bits("out_frac_bits", self.out_frac_bits)
        self.check_state("Previous output", self.h, x)

    def check_state(self, name: str, state: Tensor, x: Tensor) -> None:
        """Raise unless ``state`` is a Tensor with a value per weight row and the ``x`` width."""
        check_tensor(name, state)
        if state.bits != x.bits:
            raise ValueError(f"{name} has {state.bits} bits, input has {x.bits}")
        size = self.weights.shape[-2] if self.weights.data.ndim > 1 else 0
        if state.shape != (size,):
            raise ValueError(f"{name} must have shape ({size},), one value a row of the weights, "
                             f"not {state.shape}")

    def check_inputs(self, x: Tensor) -> None:
        """Raise unless bias, input and previous output fit the weights."""
        check_bias(x, self.weights, self.bias, self.weights.shape[:-1])
        if self.mode is not RnnMode.ONE_TO_ONE and x.data.ndim < 1:
            raise ValueError(f"Input of mode {self.mode.name} must have at least 1 dimension, "
                             f"not {x.data.ndim}")
        inputs, columns = self.frames(x).shape[1], self.weights.shape[-1]
        if inputs + self.h.data.size != columns:
            raise ValueError(f"Weights have {columns} columns, input and previous output have "
                             f"{inputs} and {self.h.data.size} elements")

    def check_format(self, x: Tensor, expected: int | None) -> None:
        """Raise unless the output has ``expected`` fractional bits; None accepts any number."""
        if expected not in (None, self.out_frac_bits):
            raise ValueError(f"out_frac_bits must be {expected} with act {self.act.name}, "
                             f"not {self.out_frac_bits}")


def _align(layer, x, sums):
    """Move ``layer`` sums from the input's binary point to the previous output's.

    fx16 shifts without rounding or saturation; other types round and saturate to 32 bits.
    Returns the sums, and whether they left the accumulator.
    Source: embARC MLI 1.1, kernels/common/mli_krn_common.h.
    """
    acc_bits = ACC_RANGE_BITS[layer.acc_range(x)]
    overflow = not in_range(sums, acc_bits)
    sums     = wrap(sums, ACC_BITS)
    shift    = x.frac_bits - layer.h.frac_bits
    if layer.acc_range(x) is AccumulatorRange.BITS32:
        return shift_round(sums, shift, layer.rounding, container(32)), overflow
    if shift >= 0:
        return sums >> min(shift, ACC_BITS), overflow
    fits = in_range(sums, ACC_BITS + shift) if -shift < ACC_BITS else not sums.any()
    return wrap(sums << min(-shift, ACC_BITS), ACC_BITS), overflow or not fits


def dense(layer: Cell, x: Tensor, sums: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, bool]:
    """Add the products with the previous output ``h`` to aligned sums [rows].

    Returns int64 values [rows] with the ``x`` width and ``dense_frac_bits``, and whether a sum
    left the accumulator.
    """
    weights = layer.weights.data.reshape(len(sums), -1)[:, -len(h):]
    return layer.complete(x, sums, weights, h)


def input_sums(layer: Cell, x: Tensor) -> tuple[np.ndarray, bool]:
    """Aligned bias plus input products, int64 [steps, rows]; and whether a sum overflowed."""
    frames  = layer.frames(x)
    weights = layer.weights.data.reshape(-1, layer.weights.shape[-1])[:, :frames.shape[1]]
    bias    = align_bias(layer.bias, bias_shift(x, layer.weights, layer.bias))
    return _align(layer, x, layer.begin(x, frames, weights, bias.reshape(-1)))


def collect(layer: Cell, x: Tensor, outputs: Sequence[np.ndarray]) -> Tensor:
    """A cell's output Tensor from the outputs at all steps."""
    values = outputs if layer.mode is RnnMode.BATCH_TO_BATCH else outputs[-1]
    values = np.array(values).reshape(layer.output_shape(x.shape))
    return Tensor(values.astype(x.data.dtype), layer.out_frac_bits)


@dataclass(frozen=True)
class BasicRnnCell(Cell):
    """Activation of the matrix product with the concatenated input and previous output.

    Parameters
    ----------
    weights : Tensor, shape (outputs, inputs + outputs), input columns first; or a stack of matrices
        (matrices, outputs, inputs + outputs), only in mode ONE_TO_ONE
    bias : Tensor with the weights' shape without the last dimension
    h : Tensor, shape (outputs,), previous output; each later step reads its previous output with
        the fractional bits of ``h``, too
    out_frac_bits : int, 0 .. 255 with act NONE, else 7 (fx8) or 15
    """

    weights:       Tensor
    bias:          Tensor
    h:             Tensor
    out_frac_bits: int
    mode:          RnnMode = RnnMode.ONE_TO_ONE
    act:           Act = Act.NONE
    rounding:      RoundMode = RoundMode.CONVERGENT

    def dense_frac_bits(self, x: Tensor) -> int:
        """Fractional bits of the sums before an activation."""
        return self.out_frac_bits if self.act is Act.NONE else super().dense_frac_bits(x)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        if self.weights.data.ndim == 3:
            return self.weights.shape[:2]
        return super().output_shape(x_shape)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        self.check_constants(x)
        if self.weights.data.ndim != 2:
            if self.mode is not RnnMode.ONE_TO_ONE:
                raise ValueError(f"Weights of mode {self.mode.name} must have 2 dimensions, "
                                 f"not {self.weights.data.ndim}")
            if self.weights.data.ndim != 3:
                raise ValueError(f"Weights must have 2 or 3 dimensions, "
                                 f"not {self.weights.data.ndim}")
        self.check_inputs(x)
        self.check_format(x, None if self.act is Act.NONE else x.bits - 1)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``basic_rnn_cell``."""
        sums, overflow = input_sums(self, x)
        h, outputs     = self.h.data.astype(np.int64), []
        for row in sums:
            h, left_range = dense(self, x, row, h)
            overflow |= left_range
            if self.act is not Act.NONE:
                h = apply_table(ACT_TABLES[self.act], h, self.dense_frac_bits(x), x.bits,
                                self.rounding)
            outputs.append(h)
        return Result(collect(self, x, outputs), overflow)


def basic_rnn_cell(x: Tensor, weights: Tensor, bias: Tensor, h: Tensor, *, out_frac_bits: int,
                   mode: RnnMode = RnnMode.ONE_TO_ONE, act: Act = Act.NONE,
                   rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """Activation of the matrix product with input and previous output, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor of any shape for a single step, shape (steps, ...) for several steps
    weights, bias, h, out_frac_bits, mode, act, rounding : see ``BasicRnnCell``

    Returns a Result; its output has the dtype of ``x`` and shape (outputs,), (steps, outputs) in
    mode BATCH_TO_BATCH, or (matrices, outputs) for stacked weights. ValueError or TypeError if
    ``BasicRnnCell.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/common, ``mli_krn_basic_rnn_cell_*``.
    """
    return run(BasicRnnCell(weights, bias, h, out_frac_bits, mode, act, rounding), x)
