# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 convolutions and fully connected layers as sums of products."""

from dataclasses import replace
from functools import partial

import numpy as np

from xymac.golden.mli2 import Conv2d, DepthwiseConv2d, FullyConnected, GroupConv2d, TransposeConv2d
from xymac.golden.parameters.mli2.limits import relu_limits
from xymac.golden.parameters.mli2.linear import align_bias, output_scaling, shorten
from xymac.hdl.isa import SHIFT_MAX, SHIFT_MIN, AccumulatorRange, Scale
from xymac.host.frontend.mli2.fields import check_zero, fold_shift, saturate_clip
from xymac.host.ir.contraction import Linear, set_windows, spread_windows
from xymac.host.ir.fields import affine_clip, container_clip
from xymac.host.ir.pixels import HWC
from xymac.host.ir.sums import check_sums, first_record, fit_weights

__all__ = ["FORMS", "LIMIT", "outputs", "taps"]

LIMIT = (1 << 31) - 1  #: Sums beyond it wrap, except FX sums with 16-bit weights.


def form_of_matrix(layer, x):
    """Linear for a fully connected layer on a QuantTensor like ``x``.

    Refusal, here and below, if sums exceed the core's accumulator, or parameters exceed their
    fields.
    """
    return _linear(layer, x, taps(layer))


def form_of_conv(layer, x, lanes=False):
    """Linear for a convolution on a QuantTensor like ``x``."""
    weights = taps(layer)
    return set_windows(_linear(layer, x, weights, order=HWC, lanes=lanes), x.shape[:2],
                       layer.output_shape(x.shape)[:2], layer.stride, layer.dilation,
                       tuple(-side for side in layer.pad[::2]))


def form_of_groups(layer, x):
    """Linear for a grouped convolution: depthwise if each group has a single channel and output."""
    groups = x.shape[2] // layer.weights.shape[2]
    if groups == x.shape[2] == layer.weights.shape[3]:
        return form_of_conv(layer, x, lanes=True)
    return replace(form_of_conv(layer, x), groups=groups)


def form_of_transposed(layer, x):
    """Linear for a transposed convolution."""
    linear = _linear(layer, x, taps(layer)[:, ::-1, ::-1], order=HWC)
    start  = tuple(side - size + 1 for side, size in zip(layer.pad[::2], layer.weights.shape,
                                                         strict=False))
    return spread_windows(linear, x.shape[:2], layer.output_shape(x.shape)[:2], layer.stride, start)


def taps(layer):
    """Weights minus their zero point, int64 [outputs, rows, columns, inputs]."""
    weights = layer.weights.centred
    return (weights.T[:, None, None] if weights.ndim == 2 else weights.transpose(3, 0, 1, 2))


def _linear(layer, x, weights, **fields):
    """Linear for a layer with ``weights``, without windows.

    Sums without bias must have 32 bits, so that the library does not wrap them. FX sums with 16-bit
    weights that need more than 40 bits wrap and set the flag; the reference has 64 bits.
    """
    weights = fit_weights(weights)
    if x.is_affine:
        check_zero("the input", x.format.zero_point)
    records, bias, output = outputs(layer, x)
    if x.is_affine or layer.weights.bits == 8:
        zero = x.format.zero_point if x.is_affine else 0
        peak = max(abs(limit - zero) for limit in container_clip(x.bits))
        check_sums(weights, bias * 0, peak, LIMIT)
    return Linear(weights, (*records, bias), output, **fields)


def outputs(layer, x):
    """Scale parameters, bias, and output fields for the passes."""
    bias = align_bias(x, layer.weights, layer.bias, layer.build)
    records, output = (_scale_fields if x.is_affine else _shift_fields)(layer, x, bias)
    return records, bias, output


def _scale_fields(layer, x, bias):
    """Parameters and fields for SA_8 outputs."""
    build   = layer.build
    scaling = output_scaling(x, layer.weights, layer.out, build)
    early   = scaling.shift * 0
    multiplier, shift = scaling.multiplier, scaling.shift
    if build.reduced:
        multiplier, early, shift = shorten(scaling, build)
    multiplier, shift = fold_shift(multiplier, shift)
    record = np.broadcast_to(first_record(multiplier, early, shift), bias.shape)
    limits = relu_limits(layer.relu, layer.out, x.bits)
    return (record,), {"scale": Scale.BITS16 if build.reduced else Scale.BITS32,
                       "rounding": build.rounding, "x_zero": x.format.zero_point,
                       **affine_clip(limits, layer.out.zero_point)}


def _shift_fields(layer, x, bias):
    """Fields for FX outputs.

    With 8-bit weights, the sum with bias and the rounding addition saturate at 32 bits. A shift is
    monotonic, so these are output limits.
    """
    mode  = layer.build.rounding
    shift = x.format.frac_bits + layer.weights.format.frac_bits - layer.out.frac_bits
    wide  = layer.weights.bits == 16
    clip  = relu_limits(layer.relu, layer.out, x.bits)
    if not wide:
        low, high = saturate_clip(x.bits, shift, mode)
        clip      = tuple(min(max(limit, low), high) for limit in clip)
    return (), {"shift": min(max(shift, SHIFT_MIN), SHIFT_MAX), "rounding": mode, "clip": clip,
                "acc_range": AccumulatorRange.BITS40 if wide else AccumulatorRange.BITS32}


FORMS = {FullyConnected: form_of_matrix, Conv2d: form_of_conv, GroupConv2d: form_of_groups,
         DepthwiseConv2d: partial(form_of_conv, lanes=True), TransposeConv2d: form_of_transposed}
