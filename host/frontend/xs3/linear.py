# SPDX-License-Identifier: Apache-2.0
"""XS3 convolutions and matrices as sums of products."""

from functools import partial

import numpy as np

from xymac.golden import xs3
from xymac.golden.parameters.xs3 import bso_columns
from xymac.hdl.isa import RoundMode, Scale
from xymac.host.ir.contraction import Linear, set_windows
from xymac.host.ir.pixels import HWC
from xymac.host.ir.sums import first_record, largest_sum

__all__ = ["FORMS", "LIMIT", "PEAK", "outputs", "saturates", "taps"]

PEAK  = 128            #: Largest input magnitude, and largest padding magnitude.
LIMIT = (1 << 31) - 1  #: Limit at which a sum of the unit saturates.
DEEPIN_SHIFT = 14      #: Fractional bits in the ``fc_deepin_shallowout`` scales.


def form_of_matrix(layer, x):
    """The ``Linear`` for a matrix on Integers like ``x``.

    The unit saturates a sum after each product block; here and below it is a single exact sum. Both
    are equal if no partial sum can reach the limit for any input: see ``saturates``.
    """
    weights = taps(layer)
    records, bias, fields = outputs(layer, len(weights))
    return Linear(weights, (*records, bias), **fields)


def form_of_pixels(layer, x):
    """The ``Linear`` for a single-pixel convolution."""
    weights = taps(layer)
    records, bias, fields = outputs(layer, len(weights))
    linear = Linear(weights, (*records, bias), order=HWC, **fields)
    return set_windows(linear, x.shape[:2], x.shape[:2], (1, 1), (1, 1), (0, 0))


def form_of_conv(layer, x, lanes=False):
    """The ``Linear`` for a window convolution."""
    weights = taps(layer)
    records, bias, fields = outputs(layer, len(weights))
    # sum(x * w) with z outside is sum((x - z) * w) over the taps inside, and z * w over all taps.
    zero   = layer.zero_point
    bias   = bias + zero * weights.astype(np.int64).reshape(len(weights), -1).sum(1)
    fields["output"] |= {"x_zero": zero}
    linear = Linear(weights, (*records, bias), order=HWC, lanes=lanes, **fields)
    window = layer.window
    return set_windows(linear, x.shape[:2], window.out, window.stride, (1, 1), window.start)


def saturates(layer):
    """Whether a layer's partial sum can pass the limit, for some input, in some order."""
    weights = taps(layer)
    _, bias, _ = outputs(layer, len(weights))
    return largest_sum(weights, bias, PEAK) > LIMIT


def taps(layer):
    """Weights [outputs, rows, columns, inputs]."""
    weights = layer.weights.data
    if weights.ndim == 2:
        return weights[:, None, None]
    if isinstance(layer, xs3.Conv2dDepthwise):
        return weights.transpose(2, 0, 1)[..., None]
    if isinstance(layer, xs3.Conv2dShallowin):
        return weights[:, :, :layer.columns]
    return weights


def outputs(layer, count):
    """Parameter records, the bias, and the ``Linear`` fields ``output`` and ``narrow_to``.

    ``narrow_to`` are 8-bit limits if outputs are rounded a second time.
    """
    output = {"scale": Scale.SYMMETRIC16, "rounding": RoundMode.UP, "clip": (-32767, 32767)}
    fields = {"output": output, "narrow_to": None}
    if isinstance(layer, xs3.FcDeepin):
        if layer.out_bits == 8:
            fields["narrow_to"] = -127, 127
        shifts, scales = (tensor.data[:count].astype(np.int64)
                          for tensor in (layer.shifts, layer.scales))
        return ((first_record(scales, shifts, DEEPIN_SHIFT),), layer.bias.data.astype(np.int64),
                fields)
    bso = bso_columns(layer.bso.data, count)
    if getattr(layer, "out_bits", 8) == 8:
        if layer.final_shift:
            fields["narrow_to"] = layer.low, 127
        else:
            output["clip"] = (layer.low, 127)
    output["addend"] = True
    records = first_record(bso.scale, bso.shift1, bso.shift2), bso.offset_scale * bso.offset
    return records, bso.bias, fields


FORMS = {
    **dict.fromkeys((xs3.FullyConnected, xs3.FcDeepin), form_of_matrix),
    **dict.fromkeys((xs3.Conv2dDeep, xs3.Conv2dShallowin), form_of_conv),
    xs3.Conv2d1x1: form_of_pixels,
    xs3.Conv2dDepthwise: partial(form_of_conv, lanes=True),
}
