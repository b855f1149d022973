# SPDX-License-Identifier: Apache-2.0
"""Sums for the TensorFlow Lite operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.parameters.tflm.multiplier import reduce_multiplier
from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.tflm import Conv2d, DepthwiseConv2d, FullyConnected
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.products import Image, products_of
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.sums import Sums

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LAYERS", "scale_short"]

_SHORT = Narrowing(
    Rounding.AWAY, shifts=2, multiplier_bits=32, work_bits=32, middle_bits=32,
    offset_bits=32, offset_limit=Limit.WRAP)
_LONG  = Narrowing(
    Rounding.UP, multiplier_bits=16, acc_bits=64, scaled_bits=32, scaled_limit=Limit.WRAP,
    offset_bits=32, offset_limit=Limit.WRAP)


def scale_short(bits: int) -> tuple[Narrowing, Callable[..., dict[str, Any]]]:
    """Narrowing from 32-bit sums to ``bits``-bit elements, and columns for a 31-bit factor.

    Returns the Narrowing and a function from (multiplier, exponent) to the columns.
    Source: tensorflow/lite/kernels/internal/common.cc, ``MultiplyByQuantizedMultiplier``.
    """
    return replace(_SHORT, out_bits=bits), lambda multiplier, exponent: {
        "left": np.maximum(exponent, 0), "factor": multiplier, "early": 31,
        "shift": np.maximum(-exponent, 0)}


def _scale_long(bits):
    """``scale_short`` for 64-bit sums and a 15-bit factor."""
    short = np.vectorize(reduce_multiplier, otypes=[np.int64])
    return replace(_LONG, out_bits=bits), lambda multiplier, exponent: {
        "multiplier": short(multiplier), "shift": 15 - exponent}


def _image(layer, x):
    zero = 0 if x.quantisation is None else x.quantisation.zero_point
    if isinstance(layer, FullyConnected):
        data    = x.centred.reshape(-1, 1, 1, layer.weights.shape[1])
        weights = layer.weights.data.astype(np.int64)[:, np.newaxis, np.newaxis]
        return Image(data, weights, zero=zero)
    weights = layer.weights.data.astype(np.int64)
    if isinstance(layer, DepthwiseConv2d):
        weights = weights.transpose(3, 1, 2, 0)
    return Image(x.centred, weights, layer.pads(x.shape), layer.stride, layer.dilation, zero)


def _sum_products(layer, inputs, places):
    """Sums for the outputs numbered ``places`` for a layer with weights."""
    [x] = inputs
    channels, columns = products_of(_image(layer, x), places)
    narrowing, scale  = (_scale_long if layer.is_long(x) else scale_short)(x.bits)
    factors   = np.array(layer.factors(x), np.int64)
    multiplier, exponent = factors[channels % len(factors)].T
    narrowing = replace(narrowing, input_bits=x.bits, weight_bits=layer.weights.bits)
    low, high = activation_range(layer.activation, layer.out.scale, layer.out.zero_point, x.bits)
    bias      = 0 if layer.bias is None else layer.bias.data.astype(np.int64)[channels]
    return Sums.of(narrowing, **columns, **scale(multiplier, exponent), bias=bias,
                   zero=layer.out.zero_point, low=low, high=high, index=places)


LAYERS = {Conv2d: _sum_products, DepthwiseConv2d: _sum_products, FullyConnected: _sum_products}
