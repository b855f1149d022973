# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite convolutions and matrices as sums of products."""

from dataclasses import replace
from functools import partial
from math import prod

from xymac.golden.tflm import Conv2d, DepthwiseConv2d, FullyConnected, TransposeConv
from xymac.host.ir.contraction import Linear, set_windows, spread_windows
from xymac.host.ir.sums import fit_weights
from xymac.host.ir.windows import WindowRange

from .bands import ConvBand, DepthwiseBand, TransposeBand
from .requantise import requantise

__all__ = ["FORMS"]

NHWC = (0, 1, 2, 3)  #: Image dimension order.


def form_of_matrix(layer, x):
    """The ``Linear`` for a fully connected layer on a Tensor like ``x``.

    Raises Refusal, here and below, if passes would differ from the library: see
    ``requantise``.
    """
    rows = prod(x.shape) // layer.weights.shape[1]
    weights = fit_weights(layer.factors_of_input)[:, None, None]
    return replace(_linear(layer, x, weights), cols=(WindowRange(count=rows),))


def form_of_conv(layer, x):
    """The ``Linear`` for a convolution, with channel groups if the weights have fewer channels."""
    held = layer.weights.shape[3]
    return _slide_window(layer, x, layer.weights.data, x.shape[3] // held)


def form_of_depthwise(layer, x):
    """The ``Linear`` for a depthwise convolution: a grouped convolution with a single channel per
    group.
    """
    linear = _slide_window(layer, x, layer.weights.data.transpose(3, 1, 2, 0), x.shape[3])
    return linear if linear.groups == 1 or layer.outputs == x.shape[3] else replace(
        linear, turns=partial(_cut_turns, layer, x))


def _cut_turns(layer, x):
    """The Linears with an output per channel each."""
    every = layer.outputs // x.shape[3]
    whole = slice(None)
    return [form_of_depthwise(replace(
        layer, weights=layer.weights.take((whole, whole, whole, turn)),
        bias=layer.bias and layer.bias.take((turn,))), x)
        for turn in (slice(first, None, every) for first in range(every))]


def form_of_transposed(layer, x):
    """The ``Linear`` for a transposed convolution.

    With a stride longer than output and kernel together, only the first element reaches the output.
    """
    kernel = layer.weights.shape[1:3]
    sizes  = layer.output_shape(x.shape)[1:3]
    stride = tuple(map(min, layer.stride, map(sum, zip(sizes, kernel, strict=True))))
    linear = _linear(layer, x, layer.weights.data[:, ::-1, ::-1], order=NHWC, batch=x.shape[0])
    start  = tuple(side - size + 1 for side, size in zip(layer.pads(x.shape)[::2], kernel,
                                                         strict=True))
    return spread_windows(linear, x.shape[1:3], sizes, stride, start)


def _slide_window(layer, x, weights, groups):
    """The ``Linear`` for a convolution with weights [outputs, rows, columns, channels per group].

    With a single channel and output per group, each channel has a lane.
    """
    each   = len(weights) // groups
    lanes  = groups > 1 and each == weights.shape[3] == 1
    linear = _linear(layer, x, weights, order=NHWC, batch=x.shape[0], lanes=lanes,
                     groups=1 if lanes else groups)
    return set_windows(linear, x.shape[1:3], layer.output_shape(x.shape)[1:3], layer.stride,
                       layer.dilation, tuple(-side for side in layer.pads(x.shape)[::2]))


def _linear(layer, x, weights, **fields):
    """The ``Linear`` for a layer before it has windows."""
    sums = requantise(layer, x, weights)
    return Linear(sums.weights, sums.records, sums.output, **fields)


FORMS = {FullyConnected: form_of_matrix,
         **dict.fromkeys((Conv2d, ConvBand), form_of_conv),
         **dict.fromkeys((DepthwiseConv2d, DepthwiseBand), form_of_depthwise),
         **dict.fromkeys((TransposeConv, TransposeBand), form_of_transposed)}
