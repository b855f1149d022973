# SPDX-License-Identifier: Apache-2.0
"""Cases for embARC MLI 1.x."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden import mli1
from xymac.golden.kinds import EltwiseOp, Relu
from xymac.golden.mli1 import Layout, Tensor
from xymac.hdl.isa import RoundMode

from .images import draw_flat, draw_matrix, draw_shapes

if TYPE_CHECKING:

    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["BITS", "GENERATORS", "draw_mode", "draw_tensor"]

BITS   = {"fx8": (8, 8), "fx16": (16, 16), "fx8w16d": (16, 8)}  #: (data, weight) widths, bits.
_RELUS  = ("none", "gen", "relu1", "relu6")
_FRAC   = 4  #: Fractional bits of inputs and weights.
_CURVES = {8: (4, 7, 3), 16: (12, 11, 15)}  #: Fractional bits where a curve bends.
_MODES  = ("convergent", "up")


def _relu_of(draw, kinds=_RELUS):
    return Relu[draw.lean("activation", kinds).upper()]


def draw_mode(draw: Draw) -> RoundMode:
    """A RoundMode."""
    return RoundMode[draw.pick("rounding", _MODES).upper()]


def draw_tensor(draw: Draw, kind: str, shape: tuple[int, ...], quantity: str = "data",
                frac_bits: int = _FRAC) -> Tensor:
    """A Tensor with ``kind``'s data type and random data."""
    return Tensor(draw.data(quantity, shape, f"int{BITS[kind][0]}"), frac_bits)


def _draw_weights(draw, kind, shape, taps):
    """Weights, bias and the output's fractional bits."""
    bits    = BITS[kind]
    weights = Tensor(draw.data("data of weights", shape, f"int{bits[1]}"), _FRAC)
    style   = draw.pick("bias", ("zero", "other"))
    bias    = draw.data("data of biases", shape[:1], f"int{bits[1]}")
    bias    = Tensor(bias if style == "other" else np.zeros_like(bias), 2)
    # The sum has 8 fractional bits and fills data bits + log2(taps) / 2.
    spread = bits[1] - 2 + int(np.log2(taps) / 2)
    shift  = spread + draw.pick("gain", (0, 2, -2, 4))
    return weights, bias, max(2 * _FRAC - shift, 0)


def _convolution(kind_of_layer):
    def make(draw, kind):
        is_depthwise = kind_of_layer is mli1.DepthwiseConv2d
        shapes  = draw_shapes(draw, outputs=not is_depthwise)
        layout  = Layout.CHW if is_depthwise else Layout[draw.pick("layout", ("CHW", "HWC"))]
        inputs  = 1 if is_depthwise else shapes.channels
        taps    = layout.join_shape(inputs, *shapes.kernel)
        weights, bias, out = _draw_weights(draw, kind, (shapes.outputs, *taps), np.prod(taps))
        x = draw_tensor(draw, kind, layout.join_shape(shapes.channels, shapes.height, shapes.width))
        return kind_of_layer(weights, bias, out, shapes.stride, shapes.pad,
                             _relu_of(draw), layout,
                             draw_mode(draw)), x
    return make


def _fully_connected(draw, kind):
    inputs, outputs = draw_matrix(draw)
    weights, bias, out = _draw_weights(draw, kind, (outputs, inputs), inputs)
    return (mli1.FullyConnected(weights, bias, out, draw_mode(draw)),
            draw_tensor(draw, kind, (inputs,)))


def _pool(layer):
    def make(draw, kind):
        shapes = draw_shapes(draw, outputs=False)
        layout = Layout[draw.pick("layout", ("CHW", "HWC"))]
        x = draw_tensor(draw, kind, layout.join_shape(shapes.channels, shapes.height, shapes.width))
        mode = (draw_mode(draw),) if layer is mli1.AvePool else ()
        return layer(shapes.kernel, shapes.stride, shapes.pad, layout, *mode), x
    return make


def _binary(op):
    def make(draw, kind):
        shape = draw_flat(draw)
        frac, out = _FRAC, None
        if op is EltwiseOp.MUL:  # fractions alone too, so that most products are in range
            frac = draw.pick("frac_bits", (_FRAC, BITS[kind][0] - 1))
            out  = frac - _FRAC + draw.pick("gain", (1, 0, 4))
        layer = mli1.Eltwise(op, out, rounding=draw_mode(draw))
        return (layer, draw_tensor(draw, kind, shape, frac_bits=frac),
                draw_tensor(draw, kind, shape, "data of the second", frac))
    return make


def _relu(draw, kind):
    return mli1.Rectify(_relu_of(draw, _RELUS[1:])), draw_tensor(draw, kind, draw_flat(draw))


def _curve(layer):
    def make(draw, kind):
        frac_bits = draw.pick("frac_bits", _CURVES[BITS[kind][0]])
        return layer(), draw_tensor(draw, kind, draw_flat(draw), frac_bits=frac_bits)
    return make


#: Functions from a Draw and a type to a layer and its inputs, by operation.
GENERATORS = {
    "conv2d": _convolution(mli1.Conv2d), "depthwise_conv2d": _convolution(mli1.DepthwiseConv2d),
    "fully_connected": _fully_connected, "average_pool": _pool(mli1.AvePool),
    "max_pool": _pool(mli1.MaxPool), "add": _binary(EltwiseOp.ADD), "sub": _binary(EltwiseOp.SUB),
    "mul": _binary(EltwiseOp.MUL), "relu": _relu, "sigmoid": _curve(mli1.Sigmoid),
    "tanh": _curve(mli1.Tanh), "softmax": _curve(mli1.Softmax),
}
