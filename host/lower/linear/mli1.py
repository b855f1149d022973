"""Convolutions and matrices of MLI 1.x as sums of products."""

import numpy as np

from golden.mli1.layer import FullyConnected, Layout
from hdl.isa import SHIFT_MAX, SHIFT_MIN

from .form import Linear, on_windows

__all__ = ["aligned_bias", "describe"]


def aligned_bias(bias, shift):
    """Bias in the position of the products: 8-bit ones saturate at 32 bits, others are exact."""
    data = bias.data.astype(np.int64)
    if bias.bits == 8:
        return np.clip(data << min(shift, 32), -(1 << 31), (1 << 31) - 1)
    return data << shift


def describe(layer, x):
    """The ``Linear`` of a layer for a Tensor like ``x``."""
    weights = layer.weights.data
    output  = {"clip": layer.limits(x), "rounding": layer.rounding,
               "acc_range": layer.acc_range(x),
               "shift": min(max(layer.out_shift(x), SHIFT_MIN), SHIFT_MAX)}
    records = (aligned_bias(layer.bias, layer.bias_shift(x)),)
    if isinstance(layer, FullyConnected):
        return Linear(weights[:, None, None], records, output)
    chw   = layer.layout is Layout.CHW
    taps  = weights.transpose(0, 2, 3, 1) if chw else weights
    sizes = x.shape[1:] if chw else x.shape[:2]
    shape = layer.output_shape(x.shape)
    return on_windows(Linear(taps, records, output), sizes, shape[1:] if chw else shape[:2],
                      layer.stride, (1, 1), tuple(-pad for pad in layer.pad[::2]))
