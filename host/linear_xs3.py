"""Convolutions and matrices of the XS3 library as sums of products."""

import numpy as np

from golden.xs3_bso import BsoOutput
from golden.xs3_kernels import (
    Xs3Conv2d1x1,
    Xs3Conv2dDepthwise,
    Xs3Conv2dShallowin,
    Xs3FcDeepin,
    Xs3FullyConnected,
)
from hdl.isa import RoundMode, Scale

from .linear import Linear, check_sums, first_record, on_windows
from .refuse import NoPassesError

__all__ = ["describe"]

PEAK  = 128            #: Largest magnitude of an input, and of what is outside of the image.
LIMIT = (1 << 31) - 1  #: From here on a sum of the unit saturates.
DEEPIN_SHIFT = 14      #: Fractional bits of the scales of ``fc_deepin_shallowout``.


def describe(layer, x):
    """The ``Linear`` of a layer for Integers like ``x``.

    The unit saturates a sum after each block of products; here it is one exact sum, which is the
    same where no partial sum can reach the limit, whatever the input. NoPassesError if one can, and
    for outputs that are rounded twice.
    """
    weights = _taps(layer)
    records, bias, output = _output(layer, len(weights))
    check_sums(weights, bias, PEAK, LIMIT)
    if isinstance(layer, (Xs3FullyConnected, Xs3FcDeepin)):
        return Linear(weights, (*records, bias), output)
    if isinstance(layer, Xs3Conv2d1x1):
        return on_windows(Linear(weights, (*records, bias), output), x.shape[:2], x.shape[:2],
                          (1, 1), (1, 1), (0, 0))
    # sum(x * w) with z outside is sum((x - z) * w) of the taps inside, and z * w of all taps.
    zero   = layer.zero_point
    bias   = bias + zero * weights.astype(np.int64).reshape(len(weights), -1).sum(1)
    linear = Linear(weights, (*records, bias), {**output, "x_zero": zero})
    window = layer.window
    return on_windows(linear, x.shape[:2], window.out, window.stride, (1, 1), window.start)


def _taps(layer):
    """Weights [outputs, rows, columns, inputs]."""
    weights = layer.weights.data
    if weights.ndim == 2:
        return weights[:, None, None]
    if isinstance(layer, Xs3Conv2dDepthwise):
        return weights.transpose(2, 0, 1)[..., None]
    if isinstance(layer, Xs3Conv2dShallowin):
        return weights[:, :, :layer.columns]
    return weights


def _output(layer, outputs):
    """Records of the parameters, the bias, and fields of the passes."""
    output = {"scale": Scale.SYMMETRIC16, "rounding": RoundMode.UP, "clip": (-32767, 32767)}
    if isinstance(layer, Xs3FcDeepin):
        if layer.out_bits == 8:
            raise NoPassesError("Outputs of fc_deepin_shallowout_8 are rounded twice")
        shifts, scales = (tensor.data[:outputs].astype(np.int64)
                          for tensor in (layer.shifts, layer.scales))
        return ((first_record(scales, shifts, DEEPIN_SHIFT),), layer.bias.data.astype(np.int64),
                output)
    bso = BsoOutput.read(layer.bso, outputs)
    if getattr(layer, "out_bits", 8) == 8:
        if layer.final_shift:
            raise NoPassesError("Outputs with final_shift are rounded twice")
        output["clip"] = (layer.low, 127)
    records = first_record(bso.scale, bso.shift1, bso.shift2), bso.offset_scale * bso.offset
    return records, bso.bias, {**output, "addend": True}
