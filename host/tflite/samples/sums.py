# SPDX-License-Identifier: Apache-2.0
"""Operators with weights, and pooling operators."""

import numpy as np

from .. import options
from ..codes import PADDING
from .wish import INT4, INT32, constant, value

__all__ = ["SUMS"]

_OUTPUTS = 4
_TAPS    = 2  #: Kernel rows and columns.
_SCALE   = 0.0625 * 0.03125


def _window(wish, size, taps=_TAPS):
    """Output count along a dimension."""
    span = (taps - 1) * wish.dilation + 1
    return (-(-size // wish.stride) if wish.padding == PADDING.SAME
            else (size - span) // wish.stride + 1)


def _image(wish, channels):
    """An output's shape."""
    shape = wish.shape
    if len(shape) != 4:
        return (*shape[:-1], channels)
    return shape[0], _window(wish, shape[1]), _window(wish, shape[2]), channels


def _weights(wish, shape, dimension, input_kind):
    """Weights, and bias or None."""
    count  = shape[dimension]
    data   = (np.arange(np.prod(shape)) * 37 % 251 - 125).reshape(shape)
    if input_kind == INT4:
        data = data % 15 - 7
    scales = (0.03125,) * (count if wish.many else 1)
    bias   = None if wish.bias is None else constant(
        "bias", np.arange(count) * 9 - 20, wish.bias, (_SCALE,) * len(scales))
    return constant("weights", data, input_kind, scales, dimension if wish.many else 0), bias


def _conv_2d(wish):
    channels = wish.shape[-1]
    weights, bias = _weights(wish, (_OUTPUTS, _TAPS, _TAPS, channels // wish.times), 0, wish.other)
    return ((value("x", wish.shape, wish.kind), weights, bias),
            (value("y", _image(wish, _OUTPUTS), wish.to),),
            options.Conv2DOptions(wish.padding, *wish.strides, wish.activation,
                                  wish.dilation, wish.dilation))


def _depthwise_conv_2d(wish):
    outputs = wish.shape[-1] * wish.times
    weights, bias = _weights(wish, (1, _TAPS, _TAPS, outputs), 3, wish.other)
    return ((value("x", wish.shape, wish.kind), weights, bias),
            (value("y", _image(wish, outputs), wish.to),),
            options.DepthwiseConv2DOptions(wish.padding, *wish.strides, wish.times,
                                           wish.activation, wish.dilation, wish.dilation))


def _transpose_conv(wish):
    shape = wish.shape
    weights, bias = _weights(wish, (_OUTPUTS, _TAPS, _TAPS, shape[-1]), 0, wish.other)
    sizes = [size * wish.stride if wish.padding == PADDING.SAME
             else (size - 1) * wish.stride + _TAPS for size in shape[1:3]]
    y = value("y", (shape[0], *sizes, _OUTPUTS), wish.to)
    return ((constant("shape", y.shape, INT32), weights, value("x", shape, wish.kind), bias),
            (y,), options.TransposeConvOptions(wish.padding, *wish.strides, wish.activation))


def _fully_connected(wish):
    shape = wish.shape
    weights, bias = _weights(wish, (_OUTPUTS, shape[-1]), 0, wish.other)
    lead  = shape[:-1] if wish.flag else (int(np.prod(shape[:-1], dtype=int)),)
    return ((value("x", shape, wish.kind), weights, bias),
            (value("y", (*lead, _OUTPUTS), wish.to),),
            options.FullyConnectedOptions(wish.activation, keep_num_dims=wish.flag))


def _pool(wish):
    return ((value("x", wish.shape, wish.kind),),
            (value("y", _image(wish, wish.shape[-1]), wish.to),),
            options.Pool2DOptions(wish.padding, *wish.strides, _TAPS, _TAPS, wish.activation))


def _mean(wish):
    shape, axes = wish.shape, (1, 2) if wish.rank > 2 else (0,)
    kept = [1 if axis in axes else size for axis, size in enumerate(shape)
            if wish.flag or axis not in axes]
    return ((value("x", shape, wish.kind), constant("axes", axes, INT32)),
            (value("y", kept, wish.to),), options.ReducerOptions(wish.flag))


#: Functions from a Wish to inputs (None for a missing input), outputs and options.
SUMS = {
    "CONV_2D": _conv_2d, "DEPTHWISE_CONV_2D": _depthwise_conv_2d,
    "FULLY_CONNECTED": _fully_connected, "TRANSPOSE_CONV": _transpose_conv,
    "AVERAGE_POOL_2D": _pool, "MAX_POOL_2D": _pool, "L2_POOL_2D": _pool, "MEAN": _mean,
}
