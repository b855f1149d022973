# SPDX-License-Identifier: Apache-2.0
"""Sums for the XS3 kernels."""

from dataclasses import replace

import numpy as np

from xymac.golden.parameters.xs3 import BLOCK, bso_columns
from xymac.golden.xs3 import (
    Conv2d1x1,
    Conv2dDeep,
    Conv2dDepthwise,
    Conv2dShallowin,
    FcDeepin,
    FullyConnected,
)
from xymac.golden.xs3.sums import blocks
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import When
from xymac.host.kit.sums import Sums

__all__ = ["LAYERS", "UNIT"]

#: Sums, and the 16-bit factors made from them, saturate symmetrically.
UNIT = Narrowing(
    Rounding.UP, shifts=2, multiplier_bits=16, acc_limit=Limit.SYMMETRIC, when=When.STEP,
    block=BLOCK, middle_bits=16, middle_limit=Limit.SYMMETRIC)

_TWICE     = {"scaled_bits": 16, "scaled_limit": Limit.SYMMETRIC, "final_shift": 8}
_FRACTION  = 14  #: Fractional bits of a factor in ``fc_deepin``.
_HIGHEST8  = 127
_HIGHEST16 = 32767


def _narrowing(**changes):
    return replace(UNIT, **changes)


def _scale(layer, channels, rows, places, block=BLOCK):
    """Sums for a kernel with a tensor for biases, scales and offsets.

    ``rows`` are elements and weights, a row per output.
    """
    columns = bso_columns(layer.bso.data, layer.weights.shape[
        -1 if isinstance(layer, Conv2dDepthwise) else 0])
    bias, early, scale, offset_scale, offset, shift = (
        getattr(columns, name)[channels]
        for name in ("bias", "shift1", "scale", "offset_scale", "offset", "shift2"))
    if getattr(layer, "out_bits", 8) == 16:
        changes, low, high = {"out_bits": 16, "out": Limit.SYMMETRIC}, -_HIGHEST16, _HIGHEST16
    else:
        changes, low, high = _TWICE if layer.final_shift else {}, layer.low, _HIGHEST8
    elements, weights = (row.T for row in rows)
    narrowing = _narrowing(**changes, block=block, input_bits=8)
    return Sums.of(narrowing, elements, weights, bias=bias, early=early, multiplier=scale,
                   addend=offset_scale * offset, shift=shift, low=low, high=high, index=places)


def _dense(layer, inputs, places):
    [x] = inputs
    weights = blocks(layer.weights.data, front=True).reshape(len(layer.weights.data), -1)
    taps    = blocks(x.data, front=True).reshape(1, -1)
    return _scale(layer, places, (np.repeat(taps, len(places), axis=0), weights[places]), places)


def _deep_dense(layer, inputs, places):
    [x]   = inputs
    bits  = layer.out_bits
    final = _TWICE if bits == 8 else {}
    high  = _HIGHEST8 if bits == 8 else _HIGHEST16
    narrowing = _narrowing(out_bits=bits, out=Limit.SYMMETRIC, **final)
    shifts    = layer.shifts.data.astype(np.int64)[places] & 0xFFFF
    weights   = layer.weights.data[places].T
    elements  = np.broadcast_to(x.data[:, np.newaxis], weights.shape)
    return Sums.of(narrowing, elements, weights,
                   bias=layer.bias.data.astype(np.int64)[places], early=shifts,
                   multiplier=layer.scales.data.astype(np.int64)[places], shift=_FRACTION,
                   low=-high, high=high, index=places)


def _pixels(layer, inputs, places):
    [x]      = inputs
    outputs  = layer.weights.shape[0]
    channels = places % outputs
    taps     = blocks(x.data.reshape(-1, layer.weights.shape[1])).reshape(
        x.shape[0] * x.shape[1], -1)
    weights  = blocks(layer.weights.data).reshape(outputs, -1)
    return _scale(layer, channels, (taps[places // outputs], weights[channels]), places)


def _row(layer, x, row):
    """A row's elements (columns, products) and weights (outputs, products), in order."""
    order   = layer.window.outside_first(row, layer.weights.shape[1], x.shape[0])
    taps    = layer.window.taps(x.data, row, layer.weights.shape[1:3], layer.zero_point)[order]
    weights = layer.weights.data[:, order]
    if isinstance(layer, Conv2dShallowin):
        return (taps.transpose(1, 0, 2, 3).reshape(layer.window.out[1], -1),
                weights.reshape(len(weights), -1))
    return (blocks(taps.transpose(1, 0, 2, 3)).reshape(layer.window.out[1], -1),
            blocks(weights).reshape(len(weights), -1))


def _sum_windows(layer, inputs, places):
    [x] = inputs
    rows, columns = layer.window.out
    outputs  = layer.weights.shape[0]
    taps, weights = (np.stack(part) for part in zip(
        *(_row(layer, x, row) for row in range(rows)), strict=True))
    windows, channels = places // outputs, places % outputs
    row, column = windows // columns, windows % columns
    return _scale(layer, channels, (taps[row, column], weights[row, channels]), places)


def _depthwise(layer, inputs, places):
    [x] = inputs
    rows, columns = layer.window.out
    *kernel, outputs = layer.weights.shape
    taps = np.stack([layer.window.taps(x.data, row, kernel, layer.zero_point)
                     for row in range(rows)])
    taps = taps.transpose(0, 2, 4, 1, 3).reshape(rows * columns * outputs, -1)
    channels = places % outputs
    weights  = layer.weights.data.reshape(-1, outputs).T
    return _scale(layer, channels, (taps[places], weights[channels]), places, block=1)


LAYERS = {Conv2d1x1: _pixels, Conv2dDeep: _sum_windows, Conv2dDepthwise: _depthwise,
          Conv2dShallowin: _sum_windows, FcDeepin: _deep_dense, FullyConnected: _dense}
