# SPDX-License-Identifier: Apache-2.0
"""Cases for embARC MLI 2.0."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden import mli2
from xymac.golden.kinds import EltwiseOp, Relu
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor

from .images import draw_flat, draw_matrix, draw_shapes
from .near import telling_one

if TYPE_CHECKING:

    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["BUILDS", "GENERATORS", "draw_tensor"]

_ELEMENTS = {"sa8": Element.SA_8, "fx8": Element.FX_8, "fx16": Element.FX_16,
             "fx16_fx8_fx8": Element.FX_16}
_ZEROS  = (-128, 127, 0, -1, 1, -37)
_RELUS  = ("none", "gen", "relu1", "relu6")
BUILDS = tuple(build.value for build in Build)
#: Fractional bits where a curve bends; with 10 tanh differs from the exact one, rounded.
_CURVES = {8: (4, 7, 3, 10), 16: (12, 11, 15)}
_FRAC   = 4  #: Fractional bits of inputs and weights.
_SCALE  = (16384, 18)  #: Input scale: 1 / 16.


def _relu_of(draw, kinds=_RELUS):
    return Relu[draw.lean("activation", kinds).upper()]


def _build(draw):
    return Build(draw.pick("build", BUILDS))


def draw_tensor(draw: Draw, kind: str, shape: tuple[int, ...], quantity: str = "data",
                zero: str = "input_zero", frac_bits: int = _FRAC) -> QuantTensor:
    """A QuantTensor with ``kind``'s data type, random data and a random zero point."""
    element = _ELEMENTS[kind]
    form    = (Affine(draw.pick(zero, _ZEROS), *_SCALE) if element is Element.SA_8
               else Fixed(frac_bits))
    return QuantTensor(draw.data(quantity, shape, element.dtype), element, form)


def _out(draw, kind, spread, scale=0):
    """Output format filled by sums near ``2**spread`` units, input * weights."""
    gain = draw.tell("gain", (0, 2, -2, 4), 0)
    if _ELEMENTS[kind] is Element.SA_8:
        return Affine(draw.tell("output_zero", _ZEROS, 0),
                      scale or int(draw.integers(1 << 14, (1 << 15) - 1)), 26 - spread - gain)
    return Fixed(2 * _FRAC - max(spread + gain, 0))


def _draw_weights(draw, kind, shape, axis, taps):
    """Weights, bias and the output's format."""
    style = draw.tell("bias", ("zero", "other"), "other")
    count = shape[axis]
    if kind == "sa8":
        many   = draw.tell("scales", (1, "each output"), "each output") != 1
        is_two = draw.tell("power_of_two", (False, True), False)
        scales = [1 << 14 if is_two and place % 2 == 0 else each for place, each in enumerate(
            draw.integers(1 << 12, (1 << 15) - 1, count).tolist())]
        zero   = draw.pick("weights_zero", (0, 0, -5, 127))
        fracs  = tuple(draw.integers(22, 23, count).tolist())
        form   = (Affine((zero,) * count, tuple(scales), fracs, axis) if many
                  else Affine(zero, scales[0], 22))
        weights = QuantTensor(draw.data("data of weights", shape, np.int8), Element.SA_8, form)
        most    = taps * 4096 if style == "other" else 0
        bias    = QuantTensor(draw.integers(-most, most, count).astype(np.int32), Element.SA_32,
                              Affine(0, 1, 0))
        return weights, bias, _out(draw, kind, 6 + int(np.log2(taps) / 2), is_two << 14)
    element = Element.FX_16 if kind == "fx16" else Element.FX_8
    weights = QuantTensor(draw.data("data of weights", shape, element.dtype), element, Fixed(_FRAC))
    bias    = draw.data("data of biases", (count,), element.dtype)
    bias    = QuantTensor(bias if style == "other" else np.zeros_like(bias), element, Fixed(2))
    return weights, bias, _out(draw, kind, element.bits - 2 + int(np.log2(taps) / 2))


def _convolution(layer):
    def make(draw, kind):
        is_depthwise = layer is mli2.DepthwiseConv2d
        shapes = draw_shapes(draw, dilations=(1, 2), outputs=not is_depthwise)
        inputs = 1 if is_depthwise else shapes.channels
        weights, bias, out = _draw_weights(draw, kind, (*shapes.kernel, inputs, shapes.outputs), 3,
                                       np.prod(shapes.kernel) * inputs)
        x = draw_tensor(draw, kind, (shapes.height, shapes.width, shapes.channels))
        return layer(weights, bias, out, shapes.stride, shapes.pad, shapes.dilation,
                     _relu_of(draw), _build(draw)), x
    return make


def _fully_connected(draw, kind):
    inputs, outputs = draw_matrix(draw)
    weights, bias, out = _draw_weights(draw, kind, (inputs, outputs), 1, inputs)
    return (mli2.FullyConnected(weights, bias, out, _relu_of(draw),
                                _build(draw)), draw_tensor(draw, kind, (inputs,)))


def _pool(layer):
    def make(draw, kind):
        shapes = draw_shapes(draw, outputs=False)
        x    = draw_tensor(draw, kind, (shapes.height, shapes.width, shapes.channels))
        rest: dict[str, Any] = ({"out": x.format, "build": _build(draw)}
                                if layer is mli2.AvePool else {})
        return layer(shapes.kernel, shapes.stride, shapes.pad, **rest), x
    return make


def _binary(op):
    def make(draw, kind):
        shape = draw_flat(draw)
        frac  = _FRAC
        if op is EltwiseOp.MUL and kind != "sa8":  # fractions alone too: most products in range
            frac = draw.pick("frac_bits", (_FRAC, _ELEMENTS[kind].bits - 1))
        a, b = (draw_tensor(draw, kind, shape, *names, frac) for names in (
            ("data", "input_zero"), ("data of the second", "second_zero")))
        out = a.format if kind != "sa8" else Affine(draw.pick("output_zero", _ZEROS),
                                                    *_pair_scale(draw, op))
        return mli2.Eltwise(op, out, _build(draw)), a, b
    return make


def _pair_scale(draw, op):
    """Output scale and its fractional bits; for products a power of two, with ties, or any scale,
    and all shifts.
    """
    if op is not EltwiseOp.MUL:
        return 20000, 18
    scale = draw.pick("scale", ("power of two", "other"))
    return (1 << 14 if scale != "other" else int(draw.integers(1 << 14, (1 << 15) - 1)),
            draw.pick("gain", (18, 15, 14, 13, 12)))


def _relu(draw, kind):
    return mli2.Rectify(_relu_of(draw, _RELUS[1:])), draw_tensor(draw, kind, draw_flat(draw))


def _curve(layer):
    def make(draw, kind):
        build = _build(draw)
        if kind == "sa8":
            return layer(build=build), _scaled(draw, layer(build=build))
        bits  = draw.pick("frac_bits", _CURVES[_ELEMENTS[kind].bits])
        return layer(build=build), draw_tensor(draw, kind, draw_flat(draw), frac_bits=bits)
    return make


def _scaled(draw, layer):
    """A curve's SA_8 input, with the usual scale or a scale where floating point differs."""
    usual: Any = draw_tensor(draw, "sa8", draw_flat(draw))
    if draw.pick("scale", ("1/16", "telling")) == "1/16":
        return usual
    return telling_one(draw, layer, lambda: replace(
        usual, data=draw.spread("input", usual.shape, np.int8), format=Affine(
            usual.format.zero_point, int(draw.integers(1 << 14, (1 << 15) - 1)),
            int(draw.integers(16, 22)))))


#: Functions from a Draw and a type to a layer and its inputs, by operation.
GENERATORS = {
    "conv2d": _convolution(mli2.Conv2d), "depthwise_conv2d": _convolution(mli2.DepthwiseConv2d),
    "fully_connected": _fully_connected, "average_pool": _pool(mli2.AvePool),
    "max_pool": _pool(mli2.MaxPool), "add": _binary(EltwiseOp.ADD), "sub": _binary(EltwiseOp.SUB),
    "mul": _binary(EltwiseOp.MUL), "relu": _relu, "sigmoid": _curve(mli2.Sigmoid),
    "tanh": _curve(mli2.Tanh), "softmax": _curve(mli2.Softmax),
}
