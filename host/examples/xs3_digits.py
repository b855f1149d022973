"""The digits CNN with the kernels of lib_nn: int8, a scale an output.

Kernels have no activation: an output whose lowest element stands for 0 is one of a ReLU, as it
saturates there, and one whose highest stands for 6 of a ReLU6. The last layer is a convolution over
the whole image, as a matrix takes a vector alone; outputs are filled up to a multiple of four.
"""

from math import floor, log2

import numpy as np

from golden import xs3
from golden.mli1 import DepthwiseConv2d, Relu
from golden.xs3 import Integers, Window
from host.network.network import join_layers

from .scales import channel_scales, range_of, round_bias, round_weights

__all__ = ["CHANNELS", "digits_xs3"]

CHANNELS = 4  #: Of the image: its own and others that are not looked at.

_LANES     = 16
_HELD      = 32  #: Weights of a kernel row of ``conv2d_shallowin``.
_SUM_BITS  = 15  #: Of a sum that is multiplied, without the sign.
_SHIFT_MAX = 22  #: So that -128 times its power of two is a product of two numbers of 16 bits.
_FILL      = -(1 << 20)  #: Bias of outputs that fill up.


def digits_xs3(layers, name, pixel):
    """The Network of trained layers, after a last ``forward`` of the images that they learnt from.
    ``pixel`` has scale and zero point of the input."""
    rows, columns = (size - 2 * layers[0].pad for size in layers[0].padded.shape[2:])
    kind, made = pixel, []
    for layer in layers:
        out = _range(layer)
        made.append(_convert(layer, kind, out, first=not made))
        kind = out
    return join_layers(name, Integers.zeros((rows, columns, CHANNELS), np.int8), tuple(made))


def _range(layer):
    """Scale and zero point of an output."""
    if layer.relu is Relu.RELU6:
        return float(np.float32(6 / 255)), -128
    return range_of(layer.output)


def _convert(layer, kind, out, *, first):
    scale, zero_point = kind
    scales   = np.array(channel_scales(layer.weights))
    weights  = round_weights(layer.weights, scales)
    bias     = round_bias(layer.bias, scale, scales).astype(np.int64)
    bias    -= zero_point * weights.astype(np.int64).sum(axis=(1, 2, 3))
    factors  = scale * scales / out[0]
    window   = Window(layer.output.shape[2:], (-layer.pad,) * 2, (layer.stride,) * 2)
    if layer.kind is DepthwiseConv2d:
        bso = _bso(bias, factors, out[1], weights)
        return xs3.Conv2dDepthwise(Integers(weights[:, 0].transpose(1, 2, 0).copy()), bso, window,
                                   zero_point)
    weights, bias, factors = _fill(weights.transpose(0, 2, 3, 1), bias, factors)
    bso = _bso(bias, factors, out[1], weights)
    if first:
        return _first(weights, bso, window, zero_point)
    if weights.shape[1:3] == (1, 1):
        return xs3.Conv2d1x1(Integers(weights[:, 0, 0].copy()), bso)
    return xs3.Conv2dDeep(Integers(weights.copy()), bso, window, zero_point)


def _first(weights, bso, window, zero_point):
    """The convolution of the image."""
    outputs, rows, columns, channels = weights.shape
    held = np.zeros((outputs, rows, _HELD // CHANNELS, CHANNELS), np.int8)
    held[:, :, :columns, :channels] = weights
    return xs3.Conv2dShallowin(Integers(held), bso, window, zero_point, columns=columns)


def _fill(weights, bias, factors):
    """The same with outputs that are a multiple of four; those that fill up are lowest."""
    more = -len(bias) % CHANNELS
    return (np.pad(weights, ((0, more), *((0, 0),) * 3)),
            np.pad(bias, (0, more), constant_values=_FILL),
            np.pad(factors, (0, more), mode="edge"))


def _bso(bias, factors, zero_point, weights):
    """Biases, scales and offsets of outputs that are ``factors`` times their sums, and a zero
    point; ``weights`` bound the sums."""
    taps = weights.astype(np.int64)
    taps = np.abs(taps.reshape(len(bias), -1)).sum(axis=1)
    data = np.zeros((-(-len(bias) // _LANES), 7, _LANES), np.int16)
    for index, (each, factor, most) in enumerate(zip(
            bias.tolist(), factors.tolist(), (128 * taps + np.abs(bias)).tolist(), strict=True)):
        early = max(most.bit_length() - _SUM_BITS, 0)
        late  = min(_SUM_BITS - 2 - early - floor(log2(factor)), _SHIFT_MAX)
        low   = each & 0xFFFF
        data[index // _LANES, :, index % _LANES] = (
            each >> 16, low - (low >> 15 << 16), early, round(factor * 2.0 ** (early + late)),
            zero_point << min(late, 8), 1 << max(late - 8, 0), late)
    return Integers(data)
