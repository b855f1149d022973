# SPDX-License-Identifier: Apache-2.0
"""Sums for the MLI 1.x kernels."""

import numpy as np

from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, FullyConnected, Layout
from xymac.hdl.isa import ACC_BITS, RoundMode
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.products import Image, products_of
from xymac.host.kit.rounding import Limit, Rounding, limit, shift_left
from xymac.host.kit.sums import Sums

__all__ = ["LAYERS", "ROUNDINGS"]

#: Kit roundings by golden rounding.
ROUNDINGS = {RoundMode.UP: Rounding.UP, RoundMode.CONVERGENT: Rounding.CONVERGENT,
             RoundMode.FLOOR: Rounding.FLOOR}


def _image(layer, x):
    data, weights = x.data.astype(np.int64), layer.weights.data.astype(np.int64)
    if isinstance(layer, FullyConnected):
        return Image(data.reshape(1, 1, 1, -1), weights[:, np.newaxis, np.newaxis])
    first = layer.layout is Layout.CHW
    if first:
        data, weights = data.transpose(1, 2, 0), weights.transpose(0, 2, 3, 1)
    return Image(data[np.newaxis], weights, layer.pad, layer.stride, channels_first=first)


def _bias(layer, x, channels):
    """Bias in the products' position, saturated to 32 bits if it has 8."""
    shift = layer.bias_shift(x)
    whole = shift_left(layer.bias.data.astype(np.int64), np.array([shift]))
    return limit(whole, 32 if layer.bias.bits == 8 else 64, Limit.SATURATE)[channels]


def _linear(layer, inputs, places):
    """Sums for the outputs numbered ``places``."""
    [x] = inputs
    channels, columns = products_of(_image(layer, x), places)
    narrowing = Narrowing(ROUNDINGS[layer.rounding], x.bits, acc_bits=ACC_BITS, input_bits=x.bits,
                          weight_bits=layer.weights.bits)
    low, high = layer.limits(x)
    return Sums.of(narrowing, **columns, bias=_bias(layer, x, channels), shift=layer.out_shift(x),
                   low=low, high=high, index=places)


LAYERS = {Conv2d: _linear, DepthwiseConv2d: _linear, FullyConnected: _linear}
