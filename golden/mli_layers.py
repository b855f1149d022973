"""Layers of the golden model that calls of MLI 1.x stand for."""

from functools import cached_property
from math import prod

from .layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout, Relu
from .mli_types import dtype_of, read
from .tensor import Tensor

__all__ = ["Call"]


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
        return self.cfg.stride_height, self.cfg.stride_width

    @property
    def pad(self):
        """Padding at the top, bottom, left and right."""
        cfg = self.cfg
        return cfg.padding_top, cfg.padding_bottom, cfg.padding_left, cfg.padding_right

    @property
    def kernel(self):
        """Rows and columns of the window."""
        if hasattr(self, "weights"):
            first = 2 if self.layout is Layout.CHW else 1
            return tuple(self.weights.shape[first:first + 2])
        return self.cfg.kernel_height, self.cfg.kernel_width

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
        return self.out.el_params.fx.frac_bits

    @cached_property
    def operands(self):
        """Inputs of the layer, Tensors."""
        if self.name.primitive == "concat":
            return tuple(map(fixed, self.tensors))
        names = ("in1", "in2") if hasattr(self, "in1") else ("in_",)
        return tuple(fixed(getattr(self, name)) for name in names)

    @cached_property
    def layer(self):
        """Layer of the golden model; ValueError or TypeError for one that cannot be."""
        layer = _LAYERS[self.name.primitive](self)
        layer.check(*self.operands)
        return layer

    @cached_property
    def output_shape(self):
        """Shape of the output."""
        return self.layer.output_shape(*(x.shape for x in self.operands))

    @property
    def output_bytes(self):
        """Memory that the output takes."""
        kind = self.out if self.name.primitive == "convert_tensor" else self.first
        return prod(self.output_shape) * dtype_of(kind.el_type).itemsize


def fixed(tensor):
    """Tensor of the golden model for an ``mli_tensor``; shares its memory."""
    return Tensor(read(tensor), tensor.el_params.fx.frac_bits)


def _convolution(kind):
    def build(call):
        return kind(fixed(call.weights), fixed(call.bias), call.out_frac_bits, call.stride,
                    call.pad, Relu(call.cfg.relu.type), call.layout, call.rounding)
    return build


def _fully_connected(call):
    return FullyConnected(fixed(call.weights), fixed(call.bias), call.out_frac_bits,
                          call.rounding)


_LAYERS = {
    "conv2d":           _convolution(Conv2d),
    "depthwise_conv2d": _convolution(DepthwiseConv2d),
    "fully_connected":  _fully_connected,
}
