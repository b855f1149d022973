"""Convolutions and matrices of MLI 2.0 as sums of products."""

import numpy as np

from golden.fixed import container
from golden.mli2 import FullyConnected, GroupConv2d, TransposeConv2d
from golden.mli2.limits import relu_limits
from golden.mli2.linear import aligned_bias, output_scaling, shortened
from hdl.isa import SHIFT_MAX, SHIFT_MIN, AccumulatorRange, RoundMode, Scale
from host.lower.fields.mli2 import affine_clip, check_zero, folded

from .form import Linear, check_sums, first_record, fitted, on_windows, transposed

__all__ = ["describe"]


def describe(layer, x):
    """The ``Linear`` of a layer for a QuantTensor like ``x``.

    NoPassesError where the library would leave the accumulator of the core, or its parameters the
    records.
    """
    weights = fitted(_taps(layer, x))
    bias    = aligned_bias(x, layer.weights, layer.bias, layer.build)
    records, output = (_scaled if x.is_affine else _shifted)(layer, x, weights, bias)
    linear  = Linear(weights, (*records, bias), output)
    if isinstance(layer, FullyConnected):
        return linear
    sizes, outputs = x.shape[:2], layer.output_shape(x.shape)[:2]
    before = layer.pad[::2]
    if isinstance(layer, TransposeConv2d):
        start = tuple(side - size + 1 for side, size in zip(before, layer.weights.shape,
                                                            strict=False))
        return transposed(linear, sizes, outputs, layer.stride, start)
    return on_windows(linear, sizes, outputs, layer.stride, layer.dilation,
                      tuple(-side for side in before))


def _taps(layer, x):
    """Weights less their zero point, int64 [outputs, rows, columns, inputs]."""
    centred = layer.weights.centred
    if isinstance(layer, FullyConnected):
        return centred.T[:, None, None]
    taps = centred.transpose(3, 0, 1, 2)
    if isinstance(layer, TransposeConv2d):
        return taps[:, ::-1, ::-1]
    if isinstance(layer, GroupConv2d):
        return _spread_groups(taps, x.shape[2])
    return taps


def _spread_groups(taps, channels):
    """Weights of groups of channels as weights of all channels, 0 outside of the group."""
    outputs, rows, cols, held = taps.shape
    spread = np.zeros((outputs, rows, cols, channels), taps.dtype)
    each   = outputs // (channels // held)
    for output in range(outputs):
        first = output // each * held
        spread[output, :, :, first:first + held] = taps[output]
    return spread


def _scaled(layer, x, weights, bias):
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
        multiplier, early, shift = shortened(scaling, build)
    multiplier, shift = folded(multiplier, shift)
    record = np.broadcast_to(first_record(multiplier, early, shift), bias.shape)
    limits = relu_limits(layer.relu, layer.out, x.bits)
    return (record,), {"scale": Scale.BITS16 if build.reduced else Scale.BITS32,
                       "rounding": build.rounding, "x_zero": zero,
                       **affine_clip(limits, layer.out.zero_point)}


def _shifted(layer, x, weights, bias):
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
