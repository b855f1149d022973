# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's recurrent layer with long short-term memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.checks import check_kind, check_rank
from xymac.golden.fixed import in_range, matmul, saturate, wrap
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.recurrent import (
    cell_clip_limit,
    cell_multipliers,
    cell_table_argument,
    gate_multiplier,
)
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import (
    check_factors,
    check_flag,
    check_out,
    check_scaled,
    check_types,
    check_whole,
)
from xymac.golden.tflm.curves.interpolate import sigmoid, tanh
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["UnidirectionalSequenceLstm"]

_GATES     = 4
_ARGUMENT  = (3, 0)  #: Factor and shift of a Q3.12 gate argument, see ``table_argument``.
_SHIFT_MAX = 15      #: Largest left shift of the tangent's argument within 32 bits.
_RIGHT_MAX = 31      #: Largest right shift that C defines.


@dataclass(frozen=True)
class UnidirectionalSequenceLstm(TensorLayer):
    """UNIDIRECTIONAL_SEQUENCE_LSTM: INT8 input and output, INT16 cell state.

    The gates are input, forget, new and output. Output and cell state persist between calls:
    ``following`` returns the next call's layer. There are no peepholes, projection or
    normalisation.
    Source: tensorflow/lite/micro/kernels/lstm_eval.h, ``EvalLstm``; lstm_eval_common.cc.

    Parameters
    ----------
    weights_in : tuple of 4 Tensors, INT8, shape (outputs, inputs)
    weights_out : tuple of 4 Tensors, INT8, shape (outputs, outputs)
    biases : tuple of 4 Tensors, INT32, shape (outputs,), scale input * weights
    state : Tensor, INT8, shape (batches, outputs), output before the first step
    cell : Tensor, INT16, shape (batches, outputs), cell state before the first step
    out : output Quantisation; it does not change the elements, which have the state's quantisation;
        None for the state's
    cell_clip : float, a float32 value, cell state limit, 0 for no limit
    time_major : bool, whether inputs and outputs are (steps, batches, ...), else (batches, steps,
        ...)
    """

    weights_in:  tuple[Tensor, ...]
    weights_out: tuple[Tensor, ...]
    biases:      tuple[Tensor, ...]
    state:       Tensor
    cell:        Tensor
    out:         Quantisation | None = None
    cell_clip:   float = 0.0
    time_major:  bool = False

    work_unit = WorkUnit.PRODUCTS

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return *x_shape[:2], self.state.shape[1]

    def output_like(self, x: Tensor) -> Tensor:
        """Zeros in the output format."""
        return Tensor.zeros(self.output_shape(x.shape), np.int8, self._kind())

    def _kind(self):
        return self.state.quantisation if self.out is None else self.out

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Products over all steps."""
        outputs = self.state.shape[1]
        return x_shape[0] * x_shape[1] * _GATES * outputs * (x_shape[2] + outputs)

    def data_type(self, x: Tensor) -> str:
        """Input, weight and bias types as the schema spells them."""
        return "_".join(tensor.type_name for tensor in (x, self.weights_in[0], self.biases[0]))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        check_rank("Input", x, 3)
        check_kind("cell_clip", self.cell_clip, float)
        check_flag("time_major", self.time_major)
        self._check_memory(x)
        for name in ("weights_in", "weights_out", "biases"):
            check_kind(name, getattr(self, name), tuple)
            if len(getattr(self, name)) != _GATES:
                raise ValueError(f"{name} must have {_GATES} entries, "
                                 f"not {len(getattr(self, name))}")
        outputs = self.state.shape[1]
        for gate in range(_GATES):
            for name, tensor, kind, shape in (
                    ("weights_in", self.weights_in[gate], "INT8", (outputs, x.shape[2])),
                    ("weights_out", self.weights_out[gate], "INT8", (outputs, outputs)),
                    ("biases", self.biases[gate], "INT32", (outputs,))):
                check_types(name, tensor, kind)
                if tensor.shape != shape:
                    raise ValueError(f"{name} must have shape {shape}, not {tensor.shape}")
                if kind == "INT8":
                    check_whole(name, tensor)
            check_factors(self.factors(x, gate), EXPONENT_MAX)

    def _check_memory(self, x):
        for name, tensor, kind in (("state", self.state, "INT8"), ("cell", self.cell, "INT16")):
            check_types(name, tensor, kind)
            check_whole(name, tensor)
            check_rank(name, tensor, 2)
            batches = x.shape[1 if self.time_major else 0]
            if tensor.shape != (batches, self.state.shape[1]):
                raise ValueError(f"{name} must have shape {(batches, self.state.shape[1])}, "
                                 f"not {tensor.shape}")
            if not tensor.scaling.scale:
                raise ValueError(f"Scale of {name} must be more than 0, not 0.0")
        check_out(self._kind(), np.int8)
        check_factors(self._cell_factors(), EXPONENT_MAX)
        factor, shift = cell_table_argument(self.cell.scaling.scale)
        if factor > 3 << _SHIFT_MAX or shift > _RIGHT_MAX:
            raise ValueError(f"Scale of the cell must be between 2**-43 and 8, "
                             f"not {self.cell.scaling.scale:g}")

    def factors(self, x: Tensor, gate: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Multiplier and exponent for the sums with the input and with the state, two pairs."""
        return (gate_multiplier(x.scaling.scale, self.weights_in[gate].scaling.scale),
                gate_multiplier(self.state.scaling.scale,
                                self.weights_out[gate].scaling.scale))

    def _cell_factors(self):
        return cell_multipliers(self.cell.scaling.scale, self.state.scaling.scale)

    def following(self, result: Result) -> UnidirectionalSequenceLstm:
        """The next call's layer, with the state in ``result``, this call's Result."""
        last = result.output.data[-1] if self.time_major else result.output.data[:, -1]
        return replace(self, state=replace(self.state, data=last.copy()), cell=result.cell)

    def _gate(self, number, x, state):
        """Gate argument, Q3.12, and whether a sum left 32 bits."""
        factors = self.factors(x, number)
        bias    = self.biases[number].data.astype(np.int64)
        parts, left = zip(
            self.part(x.centred, self.weights_in[number].centred, bias, factors[0],
                      x.scaling.zero_point),
            self.part(state, self.weights_out[number].centred, np.zeros_like(bias), factors[1],
                      self.state.scaling.zero_point), strict=True)
        return saturate(sum(parts), 16), any(left)

    def part(self, data: np.ndarray, weights: np.ndarray, bias: np.ndarray,
             factor: tuple[int, int], zero_point: int) -> tuple[np.ndarray, bool]:
        """One of the two products of a gate, Q3.12, int64 (batches, outputs), and whether a sum
        left 32 bits.

        Parameters
        ----------
        data, weights, bias : int64 arrays (batches, inputs), (outputs, inputs) and (outputs,)
            without zero points
        factor : multiplier and exponent
        zero_point : int, already subtracted from ``data``
        """
        total = matmul(data, weights.T) + bias
        return (saturate(multiply_quantized(wrap(total, 32), *factor), 16),
                not in_range(total, 32))

    def step(self, x: Tensor, state: np.ndarray,
             cell: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
        """State and cell after one step, int64, and whether a sum left 32 bits.

        Parameters
        ----------
        x : Tensor, shape (batches, inputs)
        state, cell : int64 arrays (batches, outputs), ``state`` without its zero point
        """
        sums, overflow = zip(*(self._gate(gate, x, state) for gate in range(_GATES)), strict=True)
        enter, keep, leave = (sigmoid(sums[gate], *_ARGUMENT) for gate in (0, 1, 3))
        new = tanh(sums[2], *_ARGUMENT)
        kept, added, shown = self._cell_factors()
        kept  = saturate(multiply_quantized(keep * cell, *kept), 16)
        added = saturate(multiply_quantized(enter * new, *added), 16)
        cell  = saturate(kept + added, 16)
        limit = cell_clip_limit(self.cell_clip, self.cell.scaling.scale)
        if limit is not None:
            cell = np.clip(cell, -limit, limit)
        out   = tanh(cell, *cell_table_argument(self.cell.scaling.scale)) * leave
        zero  = self.state.scaling.zero_point
        state = saturate(wrap(multiply_quantized(out, *shown) + zero, 32), 8) - zero
        return state, cell, any(overflow)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; its ``cell`` is the cell state after the last step."""
        steps = x.data if self.time_major else x.data.swapaxes(0, 1)
        state, cell = self.state.centred, self.cell.data.astype(np.int64)
        outputs, overflow = [], False
        for data in steps:
            state, cell, left = self.step(replace(x, data=data), state, cell)
            outputs.append(state)
            overflow |= left
        values = (np.stack(outputs) + self.state.scaling.zero_point).astype(np.int8)
        values = values if self.time_major else values.swapaxes(0, 1).copy()
        return Result(Tensor(values, self._kind()), overflow,
                      replace(self.cell, data=cell.astype(np.int16)))
