"""Layers of the golden model that calls of MLI 1.x stand for."""

from functools import cached_property
from math import prod
from operator import index

from golden.api.rules import Refusal
from golden.api.types import dtype_of, element_size, read
from golden.kinds import Act, EltwiseOp, Relu
from golden.mli1.activation import LeakyRelu, Rectify, Sigmoid, Softmax, Tanh
from golden.mli1.convert import ConvertTensor
from golden.mli1.eltwise import Eltwise
from golden.mli1.layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout
from golden.mli1.lstm import LstmCell
from golden.mli1.move import Concat, Padding2d, Permute
from golden.mli1.pool import AvePool, MaxPool
from golden.mli1.recurrent import BasicRnnCell, RnnMode
from golden.mli1.tensor import Tensor

__all__ = ["Call", "fixed"]


class Call:
    """One call of a function: its arguments by their names, and the layer it stands for."""

    def __init__(self, name, rounding, arguments):
        self.name, self.rounding = name, rounding
        vars(self).update(arguments)

    @cached_property
    def layout(self):
        """Layout that the name spells."""
        return Layout[self.name.layout.upper()]

    @property
    def first(self):
        """First input of the call."""
        inputs = (getattr(self, argument, None) for argument in ("in_", "in1"))
        return next((tensor for tensor in inputs if tensor is not None), None) or self.inputs[0]

    @property
    def tensors(self):
        """Inputs of a concatenation that take part in it."""
        return list(self.inputs)[:self.cfg.tensors_num]

    @property
    def stride(self):
        """Rows and columns from window to window."""
        return index(self.cfg.stride_height), index(self.cfg.stride_width)

    @property
    def pad(self):
        """Padding at the top, bottom, left and right."""
        cfg = self.cfg
        return tuple(map(index, (cfg.padding_top, cfg.padding_bottom, cfg.padding_left,
                                 cfg.padding_right)))

    @property
    def kernel(self):
        """Rows and columns of the window."""
        if hasattr(self, "weights"):
            first = 2 if self.layout is Layout.CHW else 1
            return tuple(self.weights.shape[first:first + 2])
        return index(self.cfg.kernel_height), index(self.cfg.kernel_width)

    @property
    def reach(self):
        """Rows and columns that the window covers, those of the kernel."""
        return self.kernel

    @property
    def image(self):
        """Rows and columns of the input."""
        first = 1 if self.layout is Layout.CHW else 0
        return tuple(self.in_.shape[first:first + 2])

    @property
    def channels(self):
        """Channels of the input."""
        return self.in_.shape[0 if self.layout is Layout.CHW else 2]

    @property
    def out_frac_bits(self):
        """Fractional bits that the caller asks for."""
        return index(self.out.el_params.fx.frac_bits)

    @cached_property
    def operands(self):
        """Inputs of the layer, Tensors."""
        if self.name.primitive == "concat":
            return tuple(map(fixed, self.tensors))
        if hasattr(self, "in1"):
            rank = max(self.in1.rank, self.in2.rank)
            return fixed(self.in1, rank), fixed(self.in2, rank)
        return (fixed(self.in_),)

    @cached_property
    def layer(self):
        """Layer of the golden model; Refusal of one that it does not process."""
        try:
            layer = self._build()
            layer.check(*self.operands)
        except (OverflowError, TypeError, ValueError) as error:
            raise Refusal(str(error)) from None
        return layer

    def _build(self):
        """Layer, not checked."""
        return _LAYERS[self.name.primitive](self)

    @cached_property
    def output_shape(self):
        """Shape of the output."""
        return self.layer.output_shape(*(x.shape for x in self.operands))

    @property
    def output_bytes(self):
        """Memory that the output takes."""
        kind = self.out if self.name.primitive == "convert_tensor" else self.first
        return prod(self.output_shape) * dtype_of(kind.el_type).itemsize


def fixed(tensor, rank=0):
    """Tensor of the golden model for an ``mli_tensor``; shares its memory.

    A value of rank 0 gets ``rank`` dimensions of one element.
    """
    data = read(tensor)
    return Tensor(data if data.ndim else data.reshape((1,) * rank), tensor.el_params.fx.frac_bits)


def _convolution(kind):
    def build(call):
        return kind(fixed(call.weights), fixed(call.bias), call.out_frac_bits, call.stride,
                    call.pad, Relu(call.cfg.relu.type), call.layout, call.rounding)
    return build


def _fully_connected(call):
    return FullyConnected(fixed(call.weights), fixed(call.bias), call.out_frac_bits,
                          call.rounding)


def _max_pool(call):
    return MaxPool(call.kernel, call.stride, call.pad, call.layout)


def _ave_pool(call):
    return AvePool(call.kernel, call.stride, call.pad, call.layout, call.rounding)


def _cell(kind, *states):
    def build(call):
        act  = Act(call.cfg.act)
        bits = call.out_frac_bits if act is Act.NONE else 8 * element_size(call.in_.el_type) - 1
        return kind(*(fixed(getattr(call, name)) for name in ("weights", "bias", *states)), bits,
                    RnnMode(call.cfg.mode), act, call.rounding)
    return build


def _eltwise(op):
    def build(call):
        # Fractional bits that differ are for the conditions: release mode adds the integers.
        return Eltwise(op, call.out_frac_bits if op is EltwiseOp.MUL else None, False,
                       call.rounding)
    return build


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
    "leaky_relu":       lambda call: LeakyRelu(fixed(call.slope_coeff), call.documented,
                                               call.rounding),
    "sigm":             lambda call: Sigmoid(call.rounding),
    "tanh":             lambda call: Tanh(call.rounding),
    "softmax":          lambda call: Softmax(call.rounding),
    **{f"eltwise_{op.value}": _eltwise(op) for op in EltwiseOp},
    "concat":           lambda call: Concat(index(call.cfg.axis)),
    "permute":          _permute,
    "padding2d":        lambda call: Padding2d(call.pad, call.layout),
    "convert_tensor":   _convert,
}
