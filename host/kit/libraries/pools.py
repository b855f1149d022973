"""Sums of windows of which a library takes the mean."""

import numpy as np

from golden import mli1, tflm, xs3
from golden.fixed import container
from golden.mli1 import Layout
from golden.parameters.mean import reciprocal
from golden.parameters.tflm.ranges import activation_range
from golden.parameters.xs3 import mean_factor
from hdl.isa import ACC_BITS
from host.kit.narrowing import Narrowing
from host.kit.products import Image, products_of
from host.kit.rounding import Limit, Rounding
from host.kit.rule import When
from host.kit.sums import Sums

from .mli1 import ROUNDINGS

__all__ = ["LAYERS"]

_HIGHEST = 127


def _ones(channels, kernel):
    return np.ones((channels, *kernel, 1), np.int64)


def _windows(image, places):
    """Elements under the windows of a layer that takes every channel by itself, and how many of
    them are no padding."""
    _, columns = products_of(image, places)
    counted = Image(np.ones_like(image.data), image.weights, image.pad, image.stride,
                    channels_first=image.channels_first)
    return columns, products_of(counted, places)[1]["elements"].sum(axis=0)


def _tflm(layer, inputs, places):
    """AVERAGE_POOL_2D: elements as they are, divided by their count."""
    [x]   = inputs
    image = Image(x.data.astype(np.int64), _ones(x.shape[3], layer.kernel), layer.pads(x.shape),
                  layer.stride)
    columns, counts = _windows(image, places)
    low, high = activation_range(layer.activation, layer.out.scale, layer.out.zero_point, x.bits)
    return Sums.of(Narrowing(Rounding.AWAY, x.bits), **columns, divisor=counts, low=low, high=high,
                   index=places)


def _mli1(layer, inputs, places):
    """Average pooling: the sum times a reciprocal, shifted."""
    [x]   = inputs
    first = layer.layout is Layout.CHW
    data  = x.data.astype(np.int64)
    data  = data.transpose(1, 2, 0) if first else data
    image = Image(data[np.newaxis], _ones(data.shape[-1], layer.kernel), layer.pad, layer.stride,
                  channels_first=first)
    columns, counts = _windows(image, places)
    factors   = {count: reciprocal(count) for count in np.unique(counts).tolist()}
    multiplier, shift = np.array([factors[count] for count in counts.tolist()], np.int64).T
    low, high = container(x.bits)
    return Sums.of(Narrowing(ROUNDINGS[layer.rounding], x.bits, acc_bits=ACC_BITS), **columns,
                   multiplier=multiplier, shift=shift, low=low, high=high, index=places)


def _xs3(layer, inputs, places):
    """avgpool2d: every element times a factor, added by itself."""
    [x] = inputs
    rows, columns = layer.window.out
    taps = np.stack([layer.window.taps(x.data, row, layer.kernel, 0) for row in range(rows)])
    taps = taps.transpose(0, 2, 4, 1, 3).reshape(rows * columns * x.shape[2], -1)[places].T
    factor, shift = mean_factor(layer.kernel[0] * layer.kernel[1])
    narrowing = Narrowing(Rounding.UP, acc_limit=Limit.SYMMETRIC, when=When.STEP)
    return Sums.of(narrowing, taps, np.full(taps.shape, factor), shift=shift, low=layer.low,
                   high=_HIGHEST, index=places)


LAYERS = {mli1.AvePool: _mli1, tflm.AveragePool2d: _tflm, xs3.AvgPool2d: _xs3}
