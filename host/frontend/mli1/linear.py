# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x convolutions and matrices as sums of products."""

from functools import partial

import numpy as np

from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, FullyConnected
from xymac.hdl.isa import SHIFT_MAX, SHIFT_MIN
from xymac.host.frontend.mli1.pixels import pixel_order
from xymac.host.ir.contraction import Linear, set_windows

__all__ = ["FORMS", "align_bias"]


def align_bias(bias, shift):
    """Bias at the products' binary point: 8-bit biases saturate at 32 bits, others are exact."""
    data = bias.data.astype(np.int64)
    if bias.bits == 8:
        return np.clip(data << min(shift, 32), -(1 << 31), (1 << 31) - 1)
    return data << shift


def form_of_matrix(layer, x):
    """The ``Linear`` for a fully connected layer on a Tensor like ``x``."""
    return Linear(layer.weights.data[:, None, None], *_outputs(layer, x))


def form_of_conv(layer, x, lanes=False):
    """The ``Linear`` for a convolution on a Tensor like ``x``."""
    order  = pixel_order(layer.layout)
    taps   = np.moveaxis(layer.weights.data, 1 + order[2], 3)
    linear = Linear(taps, *_outputs(layer, x), order, lanes)
    sizes, outputs = ([shape[axis] for axis in order[:2]]
                      for shape in (x.shape, layer.output_shape(x.shape)))
    return set_windows(linear, sizes, outputs, layer.stride, (1, 1),
                       tuple(-pad for pad in layer.pad[::2]))


def _outputs(layer, x):
    """Records, and fields for the passes."""
    return (align_bias(layer.bias, layer.bias_shift(x)),), {
        "clip": layer.limits(x), "rounding": layer.rounding, "acc_range": layer.acc_range(x),
        "shift": min(max(layer.out_shift(x), SHIFT_MIN), SHIFT_MAX)}


FORMS = {FullyConnected: form_of_matrix, Conv2d: form_of_conv,
         DepthwiseConv2d: partial(form_of_conv, lanes=True)}
