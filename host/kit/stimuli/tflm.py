# SPDX-License-Identifier: Apache-2.0
"""Cases for TensorFlow Lite."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden import tflm
from xymac.golden.tflm import Activation, Padding, Quantisation, Tensor

from .images import draw_flat, draw_matrix, draw_shapes
from .near import near_tie

if TYPE_CHECKING:
    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["GENERATORS", "draw_input"]

_ZEROS       = (-128, 127, 0, -1, 1, -37, 101)
_ACTIVATIONS = ("none", "relu", "relu6", "relu_n1_to_1")
_GAINS       = {"small": 0.1, "full": 0.4, "over": 4.0}  #: Output spread relative to the range.
_LEFT        = 6.0  #: Largest factor of a sum, a left shift of 3.
#: Factors beside a power of two by style, for the ends of the multipliers of float scales.
_MANTISSAS   = {"any": 1.0, "power of two": 1.0, "any ": 1.0, "power of two ": 1.0,
                "largest": 1 - 2.0 ** -24, "smallest": 1 + 2.0 ** -23}
_BIASES      = ("none", "zero", "other")
_X_SCALE     = 0.0625
_NEAR        = "near a tie"  #: Scale that tells the library's integers from floating point.
_TINY        = 2.0 ** -26  #: With ties of the first input, the second shows the rounding.
_RATIOS      = (1.0, 0.5, 0.3, 2.0, _TINY)


def _float(value):
    return float(np.float32(value))


def _zero(draw, quantity, kind):
    if kind != "int8":
        return 0
    return draw.tell(quantity, _ZEROS, 0) if quantity == "output_zero" else draw.pick(
        quantity, _ZEROS)


def draw_input(draw: Draw, shape: tuple[int, ...], kind: str, quantity: str = "data",
               zero: str = "input_zero", scale: float = _X_SCALE) -> Tensor:
    """A Tensor with a type and shape, its data and zero point drawn."""
    return Tensor(draw.data(quantity, shape, kind),
                  Quantisation((scale,), (_zero(draw, zero, kind),)))


def _draw_weights(draw, kind, x, shape, axis, taps):
    """A layer's weights, bias, output Quantisation and activation."""
    weights = draw.data("data of weights", shape, np.int8, low=-127)
    count   = shape[axis]
    many    = draw.tell("scales", (1, "each output"), "each output") != 1
    scales  = tuple(_float(each) for each in draw.rng.uniform(1, 4, count if many else 1) / 256)
    bias    = _bias(draw, kind, count, taps, x.quantisation.scale, scales)
    spread  = taps ** 0.5 * max(float(np.std(x.centred)), float(np.abs(x.centred).mean()), 1) \
        * max(float(np.std(weights)), float(np.abs(weights).mean()), 1)
    ends    = 256 if kind == "int8" else 65536
    wanted  = _GAINS[draw.tell("gain", tuple(_GAINS), "full")] * ends
    factor  = wanted / spread * draw.rng.uniform(0.7, 1.4)
    factor  = min(factor, 0.9 if wanted < ends else _LEFT)
    style   = draw.tell("multiplier", tuple(_MANTISSAS), "any").strip()
    if style != "any":
        factor = 2.0 ** np.floor(np.log2(factor))
        scales = _styled(scales, _MANTISSAS[style])
        bias   = None if bias is None else _rescale(bias, x.quantisation.scale, scales)
    widest = max(scales) / (1 if style == "any" else _MANTISSAS[style])
    out = Quantisation((_float(x.quantisation.scale * widest / factor),),
                       (_zero(draw, "output_zero", kind),))
    kernel = Tensor(weights, Quantisation(scales, (0,) * len(scales), axis if many else -1))
    return kernel, bias, out, _activation(draw)


def _styled(scales, mantissa):
    """Scales beside powers of two in every other channel; the others are lower and as drawn."""
    styled = [_float(2.0 ** round(np.log2(each)) * mantissa) for each in scales]
    widest = max(styled[::2])
    return tuple(each if place % 2 == 0 else _float(scales[place] * 64 * widest * 0.999)
                 for place, each in enumerate(styled))


def _bias(draw, kind, count, taps, x_scale, scales):
    style = draw.tell("bias", _BIASES, "other") if not draw.way else draw.pick(
        "bias", _BIASES, where=lambda style: style == "other")
    if style == "none":
        return None
    most = 0 if style == "zero" else taps * 64 * 64
    data = draw.integers(-most, most, count).astype(np.int32 if kind == "int8" else np.int64)
    return _rescale(Tensor(data), x_scale, scales)


def _rescale(bias, x_scale, scales):
    """A bias with the products' scales."""
    kinds = tuple(_float(x_scale * each) for each in scales)
    return Tensor(bias.data, Quantisation(kinds, (0,) * len(kinds), 0 if len(kinds) > 1 else -1))


def _activation(draw):
    return Activation[draw.lean("activation", _ACTIVATIONS).upper()]


def _padding(shapes):
    return Padding.SAME if shapes.is_same else Padding.VALID


def _batches(draw):
    """Number of images or rows in an input: 1 without a limit."""
    return draw.pick("batches", (1,))


def _conv2d(draw, kind):
    shapes = draw_shapes(draw, padding="same", dilations=(1, 2))
    x = draw_input(draw, (_batches(draw), shapes.height, shapes.width, shapes.channels), kind)
    weights, bias, out, activation = _draw_weights(
        draw, kind, x, (shapes.outputs, *shapes.kernel, shapes.channels), 0,
        np.prod(shapes.kernel) * shapes.channels)
    return tflm.Conv2d(weights, bias, out, shapes.stride, _padding(shapes),
                       shapes.dilation, activation), x


def _depthwise_conv2d(draw, kind):
    shapes  = draw_shapes(draw, padding="same", dilations=(1, 2), outputs=False)
    outputs = shapes.channels * draw.pick("multiple", (1, 2))
    x = draw_input(draw, (_batches(draw), shapes.height, shapes.width, shapes.channels), kind)
    weights, bias, out, activation = _draw_weights(
        draw, kind, x, (1, *shapes.kernel, outputs), 3, np.prod(shapes.kernel))
    return tflm.DepthwiseConv2d(weights, bias, out, shapes.stride, _padding(shapes),
                                shapes.dilation, activation), x


def _fully_connected(draw, kind):
    inputs, outputs = draw_matrix(draw)
    x = draw_input(draw, (_batches(draw), inputs), kind)
    weights, bias, out, activation = _draw_weights(draw, kind, x, (outputs, inputs), 0, inputs)
    return tflm.FullyConnected(weights, bias, out, activation), x


def _pool(layer):
    def make(draw, kind):
        shapes = draw_shapes(draw, padding="same", outputs=False)
        x = draw_input(draw, (_batches(draw), shapes.height, shapes.width, shapes.channels), kind)
        return layer(shapes.kernel, x.quantisation, shapes.stride, _padding(shapes),
                     _activation(draw)), x
    return make


def _binary(layer):
    def make(draw, kind):
        ratio = draw.pick("ratio", _RATIOS)
        shape = (draw.near("height", 2), draw.near("channels", 64)) if ratio == _TINY else (
            draw.pick("height", (1, 2, 5)), draw.pick("channels", (1, 3, 8, 17)))
        a = draw_input(draw, shape, kind)
        b     = draw_input(draw, shape, kind, "data of the second", "second_zero",
                       _float(_X_SCALE * ratio))
        if ratio == _TINY:
            a, b = (replace(x, data=draw.spread("input", shape, kind)) for x in (a, b))
        scale = _X_SCALE * (16.0 if layer is tflm.Mul else draw.pick(
            "gain", (0.5, 1.0, 2.0, 2.7), where=lambda gain: gain == 2.0 or ratio > _TINY))
        out   = Quantisation((_float(scale),), (_zero(draw, "output_zero", kind),))
        return layer(out, _activation(draw)), a, b
    return make


def _relu(draw, kind):
    x   = _elements(draw, kind)
    out = Quantisation((_float(_X_SCALE * draw.pick("gain", (1.0, 0.5, 1.7))),),
                       (_zero(draw, "output_zero", kind),))
    return tflm.Relu(out), x


def _elements(draw, kind, scale=_X_SCALE):
    return draw_input(draw, draw_flat(draw), kind, scale=scale)


def _curve(layer, scale8, zero8, scale16=2.0 ** -15):
    def make(draw, kind):
        scale = draw.pick("scale", (_X_SCALE, 0.02, 0.25, _NEAR) if kind == "int8" else
                          (2.0 ** -12, 2.0 ** -11, 0.0004, 0.002))
        out   = Quantisation((scale8 if kind == "int8" else scale16,),
                             (zero8 if kind == "int8" else 0,))
        x     = _elements(draw, kind, _X_SCALE if scale == _NEAR else _float(scale))
        curve = layer(out) if layer is not tflm.Softmax else layer(out, 1.0)
        return curve, near_tie(draw, curve, x) if scale == _NEAR else x
    return make


#: Functions from a Draw and a type to a layer and its inputs, by operation.
GENERATORS = {
    "conv2d": _conv2d, "depthwise_conv2d": _depthwise_conv2d,
    "fully_connected": _fully_connected, "average_pool": _pool(tflm.AveragePool2d),
    "max_pool": _pool(tflm.MaxPool2d), "add": _binary(tflm.Add), "sub": _binary(tflm.Sub),
    "mul": _binary(tflm.Mul), "relu": _relu, "sigmoid": _curve(tflm.Logistic, 2.0 ** -8, -128),
    "tanh": _curve(tflm.Tanh, 2.0 ** -7, 0), "softmax": _curve(tflm.Softmax, 2.0 ** -8, -128),
}
