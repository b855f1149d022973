# SPDX-License-Identifier: Apache-2.0
"""Sums for a mean's windows."""

from typing import Any

import numpy as np

from xymac.golden import mli1, mli2, tflm, xs3
from xymac.golden.fixed import container
from xymac.golden.mli1 import Layout
from xymac.golden.parameters.mean import reciprocal
from xymac.golden.parameters.mli2.pool import affine_scale, fixed_scale
from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.parameters.xs3 import mean_factor
from xymac.hdl.isa import ACC_BITS
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.products import Image, products_of
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import When
from xymac.host.kit.sums import Sums

from .mli1 import ROUNDINGS

__all__ = ["LAYERS"]

_HIGHEST = 127


def _ones(channels, kernel):
    return np.ones((channels, *kernel, 1), np.int64)


def _windows(image, places) -> tuple[dict[str, Any], Any]:
    """Elements under a channel-wise layer's windows, and their count without padding.
    """
    _, columns = products_of(image, places)
    counted = Image(np.ones_like(image.data), image.weights, image.pad, image.stride,
                    channels_first=image.channels_first)
    return columns, products_of(counted, places)[1]["elements"].sum(axis=0)


def _scales(counts, kernel, scale, zero=0) -> dict[str, Any]:
    """Columns for means over ``counts`` elements, and over whole windows.

    Parameters
    ----------
    scale : function from a count to columns, a dict
    zero : int, input zero point
    """
    whole   = kernel[0] * kernel[1]
    factors = {count: scale(count) for count in {whole, *np.unique(counts).tolist()}}
    columns = {name: np.array([factors[count][name] for count in counts.tolist()], np.int64)
               for name in factors[whole]}
    return columns | {"outside": zero * (whole - counts),
                      **{f"whole_{name}": value for name, value in factors[whole].items()}}


def _tflm(layer, inputs, places):
    """AVERAGE_POOL_2D: integer elements divided by their count."""
    [x]   = inputs
    image = Image(x.data.astype(np.int64), _ones(x.shape[3], layer.kernel), layer.pads(x.shape),
                  layer.stride)
    columns, counts = _windows(image, places)
    low, high = activation_range(layer.activation, layer.out.scale, layer.out.zero_point, x.bits)
    return Sums.of(Narrowing(Rounding.AWAY, x.bits, mean=True), **columns,
                   **_scales(counts, layer.kernel, lambda count: {"divisor": count},
                             x.quantisation.zero_point), low=low, high=high, index=places)


def _mli1(layer, inputs, places):
    """Average pooling: the sum times a reciprocal, shifted."""
    [x]   = inputs
    first = layer.layout is Layout.CHW
    data  = x.data.astype(np.int64)
    data  = data.transpose(1, 2, 0) if first else data
    image = Image(data[np.newaxis], _ones(data.shape[-1], layer.kernel), layer.pad, layer.stride,
                  channels_first=first)
    columns, counts = _windows(image, places)
    low, high = container(x.bits)
    return Sums.of(Narrowing(ROUNDINGS[layer.rounding], x.bits, acc_bits=ACC_BITS, mean=True),
                   **columns, **_scales(counts, layer.kernel, lambda count: dict(
                       zip(("multiplier", "shift"), reciprocal(count), strict=True))),
                   low=low, high=high, index=places)


def _mli2(layer, inputs, places):
    """Average pooling: the sum times a multiplier, in the output's scale."""
    [x]   = inputs
    image = Image(x.data.astype(np.int64)[np.newaxis], _ones(x.shape[2], layer.kernel), layer.pad,
                  layer.stride)
    columns, counts = _windows(image, places)
    out, bits = layer.output_format(x), 64 if x.bits == 16 else 32

    def scale(count):
        factors = (affine_scale(x.format, out, count, layer.build) if x.is_affine
                   else fixed_scale(x.format, out, count))
        return dict(zip(("multiplier", "shift", "addend"), factors, strict=False))

    narrowing = Narrowing(ROUNDINGS[layer.build.rounding], x.bits, acc_bits=64, last_bits=bits,
                          product_bits=bits, mean=True)
    low, high = container(x.bits)
    zero      = x.format.zero_point if x.is_affine else 0
    return Sums.of(narrowing, **columns, **_scales(counts, layer.kernel, scale, zero), low=low,
                   high=high, index=places)


def _xs3(layer, inputs, places):
    """avgpool2d: each element times a factor is a separate addition."""
    [x] = inputs
    rows, columns = layer.window.out
    taps = np.stack([layer.window.taps(x.data, row, layer.kernel, 0) for row in range(rows)])
    taps = taps.transpose(0, 2, 4, 1, 3).reshape(rows * columns * x.shape[2], -1)[places].T
    factor, shift = mean_factor(layer.kernel[0] * layer.kernel[1])
    narrowing = Narrowing(Rounding.UP, acc_limit=Limit.SYMMETRIC, when=When.STEP)
    return Sums.of(narrowing, taps, np.full(taps.shape, factor), shift=shift, low=layer.low,
                   high=_HIGHEST, index=places)


LAYERS = {mli1.AvePool: _mli1, mli2.AvePool: _mli2, tflm.AveragePool2d: _tflm, xs3.AvgPool2d: _xs3}
