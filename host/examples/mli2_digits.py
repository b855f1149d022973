# SPDX-License-Identifier: Apache-2.0
"""The digits CNN with MLI 2.0 kernels: SA_8, per-output scales."""

from math import frexp

import numpy as np

from xymac.golden import mli2
from xymac.golden.mli1 import DepthwiseConv2d, FullyConnected, Relu
from xymac.golden.mli2 import Affine, Element, QuantTensor
from xymac.host.network.network import join_layers

from .scales import channel_scales, range_of, round_bias, round_weights

__all__ = ["digits_sa8"]

_RELU       = {Relu.NONE: mli2.Relu.NONE, Relu.GEN: mli2.Relu.GEN, Relu.RELU6: mli2.Relu.RELU6}
_SCALE_BITS = 15


def _mantissa(scale):
    """Scale, a 16-bit int, and its fractional bits."""
    part, exponent = frexp(scale)
    whole = round(part * (1 << _SCALE_BITS))
    if whole == 1 << _SCALE_BITS:
        whole, exponent = whole >> 1, exponent + 1
    return whole, _SCALE_BITS - exponent


def _value_of(scale):
    """A scale after rounding to 16 bits."""
    whole, frac_bits = _mantissa(scale)
    return whole / 2.0 ** frac_bits


def _whole(scale, zero_point):
    """Affine for a whole tensor."""
    return Affine(zero_point, *_mantissa(scale))


def _along(scales, dim):
    """Affine with zero points 0 and a scale per index along ``dim``."""
    wholes, fractions = zip(*map(_mantissa, scales), strict=True)
    return Affine((0,) * len(scales), wholes, fractions, dim)


def digits_sa8(layers, name, pixel):
    """Network from trained layers after a final ``forward`` of the training images, with a softmax
    at the end.

    ``pixel`` is the input's (scale, zero point).
    """
    rows, columns = (size - 2 * layers[0].pad for size in layers[0].padded.shape[2:])
    x = QuantTensor(np.zeros((rows, columns, 1), np.int8), Element.SA_8, _whole(*pixel))
    scale, made = _value_of(pixel[0]), []
    for layer in layers:
        made.append(_convert(layer, scale))
        out   = made[-1].out
        scale = out.scale / 2.0 ** out.scale_frac_bits
    return join_layers(name, x, (*made, mli2.Softmax()))


def _convert(layer, scale):
    """The layer for an input with scale ``scale``."""
    dense  = layer.kind is FullyConnected
    scales = tuple(map(_value_of, channel_scales(layer.weights)))
    data   = round_weights(layer.weights, scales).transpose(2, 3, 1, 0)  # rows, columns, in, out
    if dense:
        data = data.reshape(-1, data.shape[3])
    weights = QuantTensor(data.copy(), Element.SA_8, _along(scales, data.ndim - 1))
    bias    = QuantTensor(round_bias(layer.bias, scale, scales), Element.SA_32,
                          _along([scale * each for each in scales], 0))
    out     = _whole(*range_of(layer.output))
    if dense:
        return mli2.FullyConnected(weights, bias, out, _RELU[layer.relu])
    kind = mli2.DepthwiseConv2d if layer.kind is DepthwiseConv2d else mli2.Conv2d
    return kind(weights, bias, out, (layer.stride,) * 2, (layer.pad,) * 4, relu=_RELU[layer.relu])
