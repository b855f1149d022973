# SPDX-License-Identifier: Apache-2.0
"""Random convolutions of MLI 2.0 with zero points of 16 bits."""

from dataclasses import replace

from tests.support.seed import random_of
from xymac.golden import mli2
from xymac.sim.benchmarks.quantised import affine_conv

__all__ = ["far_conv"]


def far_conv(kind, zero, weight_zero, **options):
    """A convolution of SA_8 whose input and weights have these zero points, and its input."""
    channels, held = 4, {mli2.GroupConv2d: 2, mli2.DepthwiseConv2d: 1}.get(kind, 4)
    layer, x = affine_conv(kind, (2, 3, held, 4), (5, 6, channels), random_of(zero + 40000))
    largest  = 6 * held * max(abs(zero), 128) * max(abs(weight_zero), 128)
    affine   = replace(layer.weights.format, zero_point=(weight_zero,) * 4,
                       scale_frac_bits=(min(largest.bit_length(), 31) + 8,) * 4)
    layer    = replace(layer, weights=replace(layer.weights, format=affine),
                       **{"pad": (0,) * 4} | options)
    return layer, replace(x, format=replace(x.format, zero_point=zero))
