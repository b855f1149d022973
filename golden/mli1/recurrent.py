"""Recurrent cells: what all of them have, and the basic one."""

from dataclasses import dataclass
from enum import Enum
from math import prod

import numpy as np

from golden.checks import check_kind
from golden.fixed import container, in_range, matmul, wrap
from golden.kinds import Act
from golden.layer import run
from golden.parameters.mli1 import bias_shift, dense_frac_bits
from golden.result import Result
from hdl.isa import ACC_BITS, AccumulatorRange, RoundMode

from .arithmetic import ACC_RANGE_BITS, align_bias, shift_round
from .checks import check_bias, check_rounding, check_tensor, check_types
from .linear import Weighted
from .lut import SIGMOID, TANH, apply_table
from .tensor import Tensor, check_frac_bits

__all__ = ["ACT_TABLES", "BasicRnnCell", "Cell", "RnnMode", "basic_rnn_cell", "collect",
           "dense", "input_sums"]


class RnnMode(Enum):
    """What the input holds. Source: embARC MLI 1.1, mli_types.h, ``mli_rnn_mode``."""

    ONE_TO_ONE     = 0  #: One step's input, of any shape.
    BATCH_TO_BATCH = 1  #: A step in every index of the first dimension; all outputs are returned.
    BATCH_TO_LAST  = 2  #: The same; the output of the last step is returned.


ACT_TABLES = {Act.TANH: TANH, Act.SIGM: SIGMOID}


class Cell(Weighted):
    """What both cells have; ``x`` below is the input, a Tensor."""

    def dense_frac_bits(self, x):
        """Fractional bits of what the products add up to, before an activation."""
        return dense_frac_bits(x.bits)

    def frames(self, x):
        """Data of ``x``, a row for each step."""
        steps = 1 if self.mode is RnnMode.ONE_TO_ONE else x.shape[0]
        return x.data.reshape(steps, -1)

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        state = tuple(self.h.shape)
        return (x_shape[0], *state) if self.mode is RnnMode.BATCH_TO_BATCH else state

    def work(self, x_shape):
        """Products of every step, one an element of the weights."""
        steps = 1 if self.mode is RnnMode.ONE_TO_ONE else x_shape[0]
        return steps * prod(self.weights.shape)

    def check_constants(self, x):
        """Raise unless types and options are right."""
        check_types(x, self.weights, self.bias)
        check_kind("mode", self.mode, RnnMode)
        check_kind("act", self.act, Act)
        check_rounding(self.rounding)
        check_frac_bits("out_frac_bits", self.out_frac_bits)
        self.check_state("Previous output", self.h, x)

    def check_state(self, name, state, x):
        """Raise unless ``state`` is a Tensor of one value a row of the weights."""
        check_tensor(name, state)
        if state.bits != x.bits:
            raise ValueError(f"{name} has {state.bits} bits, input has {x.bits}")
        size = self.weights.shape[-2] if self.weights.data.ndim > 1 else 0
        if state.shape != (size,):
            raise ValueError(f"{name} must have shape ({size},), one value a row of the weights, "
                             f"not {state.shape}")

    def check_inputs(self, x):
        """Raise unless bias, input and previous output fit the weights."""
        check_bias(x, self.weights, self.bias, self.weights.shape[:-1])
        if self.mode is not RnnMode.ONE_TO_ONE and x.data.ndim < 1:
            raise ValueError(f"Input of mode {self.mode.name} must have at least 1 dimension, "
                             f"not {x.data.ndim}")
        inputs, columns = self.frames(x).shape[1], self.weights.shape[-1]
        if inputs + self.h.data.size != columns:
            raise ValueError(f"Weights have {columns} columns, input and previous output have "
                             f"{inputs} and {self.h.data.size} elements")

    def check_format(self, x, expected):
        """Raise unless the output has ``expected`` fractional bits; None stands for any."""
        if expected not in (None, self.out_frac_bits):
            raise ValueError(f"out_frac_bits must be {expected} with act {self.act.name}, "
                             f"not {self.out_frac_bits}")
        # The library reads the output of every further step with those of the first.
        if self.mode is not RnnMode.ONE_TO_ONE and self.h.frac_bits != self.out_frac_bits:
            raise ValueError(f"Previous output must have {self.out_frac_bits} fractional bits, "
                             f"those of the output, in mode {self.mode.name}, "
                             f"not {self.h.frac_bits}")


def _align(layer, x, sums):
    """Take sums of ``layer`` from the binary point of the input to that of the previous output.

    fx16 shifts without rounding and without saturation; the others round and saturate to 32
    bits. Returns the sums and whether they left the accumulator.
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


def dense(layer, x, sums, h):
    """Add the products of the previous output ``h`` to aligned sums [rows].

    Returns values of the bits of ``x`` and ``dense_frac_bits``, and whether a sum left the
    accumulator.
    """
    weights  = layer.weights.data.reshape(len(sums), -1)[:, -len(h):]
    sums     = sums + matmul(weights, h)
    overflow = not in_range(sums, ACC_RANGE_BITS[layer.acc_range(x)])
    shift    = layer.h.frac_bits + layer.weights.frac_bits - layer.dense_frac_bits(x)
    return shift_round(wrap(sums, ACC_BITS), shift, layer.rounding, container(x.bits)), overflow


def input_sums(layer, x):
    """Bias and products of the input, aligned: [steps, rows]; and whether one overflowed."""
    frames  = layer.frames(x)
    weights = layer.weights.data.reshape(-1, layer.weights.shape[-1])[:, :frames.shape[1]]
    bias    = align_bias(layer.bias, bias_shift(x, layer.weights, layer.bias))
    return _align(layer, x, matmul(frames, weights.T) + bias.reshape(-1))


def collect(layer, x, outputs):
    """The Tensor that a cell returns, of the outputs of all steps."""
    values = outputs if layer.mode is RnnMode.BATCH_TO_BATCH else outputs[-1]
    values = np.array(values).reshape(layer.output_shape(x.shape))
    return Tensor(values.astype(x.data.dtype), layer.out_frac_bits)


@dataclass(frozen=True)
class BasicRnnCell(Cell):
    """Activation of a matrix times input and previous output.

    Parameters
    ----------
    weights : Tensor, shape (outputs, inputs + outputs), the columns of the input first; or
        (matrices, outputs, inputs + outputs) for a stack of them, in mode ONE_TO_ONE only
    bias : Tensor, shape of the weights without the last dimension
    h : Tensor, shape (outputs,), the previous output; in the other modes than ONE_TO_ONE with the
        fractional bits of the output
    out_frac_bits : int, 0 .. 255 with act NONE, else 7 (fx8) or 15
    mode : RnnMode
    act : Act
    rounding : RoundMode
    """

    weights:       Tensor
    bias:          Tensor
    h:             Tensor
    out_frac_bits: int
    mode:          RnnMode = RnnMode.ONE_TO_ONE
    act:           Act = Act.NONE
    rounding:      RoundMode = RoundMode.CONVERGENT

    def dense_frac_bits(self, x):
        """Fractional bits of what the products add up to, before an activation."""
        return self.out_frac_bits if self.act is Act.NONE else super().dense_frac_bits(x)

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        if self.weights.data.ndim == 3:
            return self.weights.shape[:2]
        return super().output_shape(x_shape)

    def check(self, x):
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

    def run(self, x):
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


def basic_rnn_cell(x, weights, bias, h, *, out_frac_bits, mode=RnnMode.ONE_TO_ONE, act=Act.NONE,
                   rounding=RoundMode.CONVERGENT):
    """Activation of a matrix times input and previous output, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor of any shape for one step, shape (steps, ...) for several
    weights, bias, h, out_frac_bits, mode, act, rounding : see ``BasicRnnCell``

    Returns a Result with an output of the dtype of ``x`` and shape (outputs,), (steps, outputs) in
    mode BATCH_TO_BATCH, (matrices, outputs) for stacked weights; ValueError or TypeError for a call
    that ``BasicRnnCell.check`` refuses.
    Source: embARC MLI 1.1, kernels/common, ``mli_krn_basic_rnn_cell_*``.
    """
    return run(BasicRnnCell(weights, bias, h, out_frac_bits, mode, act, rounding), x)
