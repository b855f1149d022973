"""Convolutions and matrices of MLI 2.0 as sums of products."""

from dataclasses import replace
from functools import partial

import numpy as np

from golden.fixed import container
from golden.mli2 import Conv2d, DepthwiseConv2d, FullyConnected, GroupConv2d, TransposeConv2d
from golden.mli2.limits import relu_limits
from golden.mli2.linear import align_bias, output_scaling, shorten
from hdl.isa import SHIFT_MAX, SHIFT_MIN, AccumulatorRange, RoundMode, Scale
from host.lower.fields.mli2 import affine_clip, check_zero, fold_shift
from host.lower.pixels import HWC
from host.lower.products import check_sums, first_record, fit_weights

from .form import Linear, set_windows, spread_windows

__all__ = ["FORMS"]


def form_of_matrix(layer, x):
    """The ``Linear`` of a fully connected layer for a QuantTensor like ``x``.

    NoPassesError, here and below, where the library would leave the accumulator of the core, or
    its parameters the records.
    """
    return _linear(layer, x, layer.weights.centred.T[:, None, None])


def form_of_conv(layer, x, lanes=False):
    """The ``Linear`` of a convolution for a QuantTensor like ``x``."""
    return _on_windows(layer, x, _taps(layer), lanes)


def form_of_groups(layer, x):
    """The ``Linear`` of a convolution of groups of channels: depthwise if a group is one channel
    with one output."""
    groups = x.shape[2] // layer.weights.shape[2]
    if groups == x.shape[2] == layer.weights.shape[3]:
        return form_of_conv(layer, x, lanes=True)
    return replace(form_of_conv(layer, x), groups=groups)


def form_of_transposed(layer, x):
    """The ``Linear`` of a transposed convolution."""
    linear = _linear(layer, x, _taps(layer)[:, ::-1, ::-1], order=HWC)
    start  = tuple(side - size + 1 for side, size in zip(layer.pad[::2], layer.weights.shape,
                                                         strict=False))
    return spread_windows(linear, x.shape[:2], layer.output_shape(x.shape)[:2], layer.stride, start)


def _taps(layer):
    """Weights less their zero point, int64 [outputs, rows, columns, inputs]."""
    return layer.weights.centred.transpose(3, 0, 1, 2)


def _linear(layer, x, taps, **fields):
    """The ``Linear`` of a layer with these weights before it has windows."""
    weights = fit_weights(taps)
    bias    = align_bias(x, layer.weights, layer.bias, layer.build)
    records, output = (_scale_fields if x.is_affine else _shift_fields)(layer, x, weights, bias)
    return Linear(weights, (*records, bias), output, **fields)


def _on_windows(layer, x, taps, lanes=False):
    return set_windows(_linear(layer, x, taps, order=HWC, lanes=lanes), x.shape[:2],
                       layer.output_shape(x.shape)[:2], layer.stride, layer.dilation,
                       tuple(-side for side in layer.pad[::2]))


def _scale_fields(layer, x, weights, bias):
    """Parameters and fields of SA_8 outputs.

    Sums without the bias stay within 32 bits, so that the library does not wrap them.
    """
    zero = x.format.zero_point
    check_zero("the input", zero)
    peak = max(abs(limit - zero) for limit in container(8))
    check_sums(weights, bias * 0, peak, (1 << 31) - 1)
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
                       "rounding": build.rounding, "x_zero": zero,
                       **affine_clip(limits, layer.out.zero_point)}


def _shift_fields(layer, x, weights, bias):
    """Fields of FX outputs.

    Sums of 16-bit weights that need more than 40 bits wrap, and set the flag as on a core; the
    reference has 64. Those of 8-bit weights must stay within 32 bits, and where so many bits are
    dropped that it matters, below the half that rounds them up: there the library saturates.
    """
    mode  = layer.build.rounding
    shift = x.format.frac_bits + layer.weights.format.frac_bits - layer.out.frac_bits
    wide  = layer.weights.bits == 16
    if not wide:
        peak, limit = 1 << 15, (1 << 31) - 1
        check_sums(weights, bias * 0, peak, limit)
        if shift > 16 - 1 and mode is RoundMode.UP:
            check_sums(weights, bias, peak, limit - (1 << min(shift, 31) - 1))
    return (), {"shift": min(max(shift, SHIFT_MIN), SHIFT_MAX), "rounding": mode,
                "clip": relu_limits(layer.relu, layer.out, x.bits),
                "acc_range": AccumulatorRange.BITS40 if wide else AccumulatorRange.BITS32}


FORMS = {FullyConnected: form_of_matrix, Conv2d: form_of_conv, GroupConv2d: form_of_groups,
         DepthwiseConv2d: partial(form_of_conv, lanes=True), TransposeConv2d: form_of_transposed}
