# SPDX-License-Identifier: Apache-2.0
"""The digits CNN with lib_nn kernels: int8, per-output scales.

Kernels have no activation: an output whose lowest element means 0 is a ReLU, because it saturates
there; an output whose highest element means 6 is a ReLU6. The last layer is a convolution over the
whole image, because the matrix kernel accepts only vectors; outputs are padded to a multiple of
four.
"""

from math import floor, log2

import numpy as np

from xymac.golden import xs3
from xymac.golden.mli1 import DepthwiseConv2d, Relu
from xymac.golden.xs3 import Integers, Window
from xymac.host.network.network import join_layers

from .scales import channel_scales, range_of, round_bias, round_weights

__all__ = ["CHANNELS", "digits_xs3"]

CHANNELS = 4  #: Image channels: one used channel and three ignored ones.

_LANES     = 16
_HELD      = 32  #: Weights per kernel row of ``conv2d_shallowin``.
_SUM_BITS  = 15  #: Width of a sum before the multiplication, without the sign.
_SHIFT_MAX = 22  #: Keeps -128 * 2**shift a product of two 16-bit numbers.
_FILL      = -(1 << 20)  #: Bias of padding outputs.


def digits_xs3(layers, name, pixel):
    """Network from trained layers after a final ``forward`` of the training images.

    ``pixel`` is the input's (scale, zero point).
    """
    rows, columns = (size - 2 * layers[0].pad for size in layers[0].padded.shape[2:])
    kind, made = pixel, []
    for layer in layers:
        out = _range(layer)
        made.append(_convert(layer, kind, out, first=not made))
        kind = out
    return join_layers(name, Integers.zeros((rows, columns, CHANNELS), np.int8), tuple(made))


def _range(layer):
    """An output's scale and zero point."""
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
    """The convolution over the image."""
    outputs, rows, columns, channels = weights.shape
    held = np.zeros((outputs, rows, _HELD // CHANNELS, CHANNELS), np.int8)
    held[:, :, :columns, :channels] = weights
    return xs3.Conv2dShallowin(Integers(held), bso, window, zero_point, columns=columns)


def _fill(weights, bias, factors):
    """Weights, bias and factors padded to a multiple of four outputs; padding outputs are lowest.
    """
    more = -len(bias) % CHANNELS
    return (np.pad(weights, ((0, more), *((0, 0),) * 3)),
            np.pad(bias, (0, more), constant_values=_FILL),
            np.pad(factors, (0, more), mode="edge"))


def _bso(bias, factors, zero_point, weights):
    """Biases, scales and offsets for outputs ``factors * sum + zero_point``.

    ``weights`` bound the sums.
    """
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
