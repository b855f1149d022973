# SPDX-License-Identifier: Apache-2.0
"""Golden-model layers for MLI 1.x calls."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any

from xymac.golden.api.call import Call as BaseCall
from xymac.golden.kinds import Act, EltwiseOp, Relu
from xymac.golden.mli1.activation import LeakyRelu, Rectify, Sigmoid, Softmax, Tanh
from xymac.golden.mli1.conv import Conv2d, DepthwiseConv2d
from xymac.golden.mli1.convert import ConvertTensor
from xymac.golden.mli1.dense import FullyConnected
from xymac.golden.mli1.eltwise import Eltwise
from xymac.golden.mli1.layout import Layout
from xymac.golden.mli1.lstm import LstmCell
from xymac.golden.mli1.move import Concat, Padding2d, Permute
from xymac.golden.mli1.pool import AvePool, MaxPool
from xymac.golden.mli1.recurrent import BasicRnnCell, RnnMode

from .memory import dims, dtype_of, element_size, to_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.golden.api.grammar import Name
    from xymac.golden.mli1.tensor import Tensor
    from xymac.hdl.isa import RoundMode

    from .types import mli_tensor

__all__ = ["Call"]


class Call(BaseCall):
    """An MLI 1.x function call.

    Parameters
    ----------
    concat_max_tensors : int, maximum tensor count in a concatenation

    and the parameters of the base class.
    """

    def __init__(self, name: Name, rounding: RoundMode, arguments: dict[str, Any],
                 concat_max_tensors: int) -> None:
        super().__init__(name, rounding, arguments)
        self.concat_max_tensors = concat_max_tensors

    @property
    def builders(self) -> dict[str, Callable]:
        """Functions from the call to a layer, by primitive."""
        return _LAYERS

    @cached_property
    def layout(self) -> Layout:
        """Layout in the function name."""
        return Layout[(self.name.layout or "").upper()]

    @property
    def tensors(self) -> list[mli_tensor]:
        """Inputs in use by a concatenation."""
        return list(self.inputs)[:self.cfg.tensors_num]

    @property
    def kernel(self) -> tuple[int, ...]:
        """Window rows and columns."""
        if hasattr(self, "weights"):
            first = 2 if self.layout is Layout.CHW else 1
            return tuple(self.weights.shape[first:first + 2])
        return index(self.cfg.kernel_height), index(self.cfg.kernel_width)

    @property
    def reach(self) -> tuple[int, ...]:
        """Rows and columns that the window covers: the kernel size."""
        return self.kernel

    @property
    def image(self) -> tuple[int, ...]:
        """Input rows and columns."""
        first = 1 if self.layout is Layout.CHW else 0
        return tuple(self.in_.shape[first:first + 2])

    @property
    def channels(self) -> int:
        """Input channels."""
        return self.in_.shape[0 if self.layout is Layout.CHW else 2]

    @property
    def out_frac_bits(self) -> int:
        """Requested output fractional bits."""
        return index(self.out.el_params.fx.frac_bits)

    @property
    def result_frac_bits(self) -> int:
        """Fractional bits of a recurrent cell's output."""
        if Act(self.cfg.act) is not Act.NONE:
            return 8 * element_size(self.in_.el_type) - 1
        lstm = hasattr(self, "cell")
        return index(self.prev_out.el_params.fx.frac_bits) if lstm else self.out_frac_bits

    @cached_property
    def operands(self) -> tuple[Tensor, ...]:
        """Layer inputs, Tensors."""
        if self.name.primitive == "concat":
            first, *others = map(to_tensor, self.tensors)
            # The library moves raw elements and gives the output the format of the first input.
            return (first, *(replace(x, frac_bits=first.frac_bits) for x in others))
        if hasattr(self, "in1"):
            rank = max(self.in1.rank, self.in2.rank)
            first, second = to_tensor(self.in1, rank), to_tensor(self.in2, rank)
            if first.data.size == second.data.size > 1:  # the library counts elements
                second = replace(second, data=second.data.reshape(first.shape))
            return first, second
        return (to_tensor(self.in_),)

    @property
    def described(self) -> tuple[int, ...]:
        """Shape to write into ``out``; for two single elements, the shape of the second."""
        if hasattr(self, "in2") and prod(self.output_shape) == 1:
            return dims(self.in2)
        return self.output_shape

    @property
    def output_bytes(self) -> int:
        """Output size in bytes."""
        kind = self.out if self.name.primitive == "convert_tensor" else self.first
        return prod(self.output_shape) * dtype_of(kind.el_type).itemsize


def _flatten(tensor):
    """A Tensor with one dimension: the library counts bias and state elements."""
    return replace(tensor, data=tensor.data.reshape(-1))


def _convolution(kind):
    def build(call):
        return kind(to_tensor(call.weights), _flatten(to_tensor(call.bias)), call.out_frac_bits,
                    call.stride, call.pad, Relu(call.cfg.relu.type), call.layout, call.rounding)
    return build


def _fully_connected(call):
    return FullyConnected(to_tensor(call.weights), _flatten(to_tensor(call.bias)),
                          call.out_frac_bits, call.rounding)


def _max_pool(call):
    return MaxPool(call.kernel, call.stride, call.pad, call.layout)


def _ave_pool(call):
    return AvePool(call.kernel, call.stride, call.pad, call.layout, call.rounding)


def _cell(kind, *states):
    def build(call):
        vectors = (_flatten(to_tensor(getattr(call, name))) for name in states)
        return kind(to_tensor(call.weights), to_tensor(call.bias), *vectors, call.result_frac_bits,
                    RnnMode(call.cfg.mode), Act(call.cfg.act), call.rounding)
    return build


def _eltwise(op):
    def build(call):
        # Release mode adds integers with different fractional bits; other modes check them.
        return Eltwise(op, call.out_frac_bits if op is EltwiseOp.MUL else None, False,
                       call.rounding)
    return build


def _concat(call):
    count, most = index(call.cfg.tensors_num), call.concat_max_tensors
    if count > most:
        raise ValueError(f"tensors_num must be at most {most}, not {count}")
    return Concat(index(call.cfg.axis))


def _permute(call):
    return Permute(tuple(map(index, tuple(call.cfg.perm_dim)[:call.in_.rank])))


def _convert(call):
    return ConvertTensor(8 * element_size(call.out.el_type), call.out_frac_bits, call.rounding)


_LAYERS = {
    "conv2d":           _convolution(Conv2d),
    "depthwise_conv2d": _convolution(DepthwiseConv2d),
    "maxpool":          _max_pool,
    "avepool":          _ave_pool,
    "fully_connected":  _fully_connected,
    "lstm_cell":        _cell(LstmCell, "prev_out", "cell"),
    "basic_rnn_cell":   _cell(BasicRnnCell, "prev_out"),
    "relu":             lambda call: Rectify(Relu(call.cfg.type)),
    "leaky_relu":       lambda call: LeakyRelu(to_tensor(call.slope_coeff), call.documented,
                                               call.rounding),
    "sigm":             lambda call: Sigmoid(call.rounding),
    "tanh":             lambda call: Tanh(call.rounding),
    "softmax":          lambda call: Softmax(call.rounding),
    **{f"eltwise_{op.value}": _eltwise(op) for op in EltwiseOp},
    "concat":           _concat,
    "permute":          _permute,
    "padding2d":        lambda call: Padding2d(call.pad, call.layout),
    "convert_tensor":   _convert,
}
