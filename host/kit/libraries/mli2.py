# SPDX-License-Identifier: Apache-2.0
"""Sums for the MLI 2.0 kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.mli2 import Conv2d, DepthwiseConv2d, Fixed, FullyConnected, GroupConv2d
from xymac.golden.parameters.mli2.limits import relu_limits
from xymac.golden.parameters.mli2.linear import align_bias, output_scaling, shorten
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.products import Image, products_of
from xymac.host.kit.rounding import Limit
from xymac.host.kit.rule import When
from xymac.host.kit.sums import Sums

from .mli1 import ROUNDINGS

if TYPE_CHECKING:
    from xymac.golden.mli2 import Build
    from xymac.golden.parameters.mli2.linear import Scaling

__all__ = ["LAYERS", "scale_sums"]

_SHIFT_MAX = 63  #: Largest library shift of a 64-bit product.


def scale_sums(scaling: Scaling, build: Build) -> tuple[Narrowing, dict[str, Any]]:
    """Narrowing from 32-bit sums to 8 bits, and its columns, from a Scaling and a Build.

    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``result_cast_relu_store``.
    """
    common = {"scaled_bits": 16, "offset_bits": 16, "when": When.BIAS,
              "acc_limit": Limit.SATURATE}
    if not build.reduced:
        narrowing = Narrowing(ROUNDINGS[build.rounding], multiplier_bits=32, **common)
        return narrowing, {"multiplier": scaling.multiplier,
                           "shift": np.minimum(scaling.shift, _SHIFT_MAX)}
    multiplier, early, shift = shorten(scaling, build)
    narrowing = Narrowing(
        ROUNDINGS[build.rounding], shifts=2, first=ROUNDINGS[build.rounding],
        middle_bits=16, multiplier_bits=16, **common)
    return narrowing, {"multiplier": multiplier, "early": early,
                       "shift": np.minimum(shift, _SHIFT_MAX)}


def _image(layer, x):
    zero    = x.format.zero_points[0] if x.is_affine else 0
    weights = layer.weights.centred
    if isinstance(layer, FullyConnected):
        return Image(x.centred.reshape(1, 1, 1, -1), weights.T[:, np.newaxis, np.newaxis],
                     zero=zero)
    return Image(x.centred[np.newaxis], weights.transpose(3, 0, 1, 2), layer.pad, layer.stride,
                 layer.dilation, zero)


def _fixed(layer, x):
    """Narrowing and columns for a layer with a fixed-point output."""
    wide  = layer.weights.bits == 16
    shift = (x.format.frac_bits + layer.weights.format.frac_bits - layer.out.frac_bits)
    narrowing = Narrowing(ROUNDINGS[layer.build.rounding], x.bits, last_bits=64 if wide else 32)
    return (replace(narrowing, acc_bits=64) if wide else
            replace(narrowing, when=When.BIAS, acc_limit=Limit.SATURATE)), {"shift": shift}


def _linear(layer, inputs, places):
    """Sums for the outputs numbered ``places``."""
    [x] = inputs
    channels, columns = products_of(_image(layer, x), places)
    if isinstance(layer.out, Fixed):
        narrowing, scale = _fixed(layer, x)
        zero = 0
    else:
        narrowing, scale = scale_sums(output_scaling(x, layer.weights, layer.out, layer.build),
                                  layer.build)
        scale = {name: value[channels % len(value)] for name, value in scale.items()}
        zero  = layer.out.zero_point
    narrowing = replace(narrowing, input_bits=x.bits, weight_bits=layer.weights.bits)
    bias = align_bias(x, layer.weights, layer.bias, layer.build)[channels]
    low, high = relu_limits(layer.relu, layer.out, x.bits)
    return Sums.of(narrowing, **columns, **scale, bias=bias, zero=zero, low=low, high=high,
                   index=places)


LAYERS = {kind: _linear for kind in (Conv2d, DepthwiseConv2d, FullyConnected, GroupConv2d)}
