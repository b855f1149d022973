# SPDX-License-Identifier: Apache-2.0
"""Accumulators to outputs: bias, scale, rounding, limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import in_range, saturate, wrap
from xymac.golden.formats import Affine, as_fixed
from xymac.golden.parameters.mli2.limits import relu_limits
from xymac.golden.parameters.mli2.linear import align_bias, output_scaling, shorten
from xymac.golden.result import Result
from xymac.hdl.isa import ACC_BITS

from .arithmetic import cast
from .limits import clip
from .tensor import QuantTensor

if TYPE_CHECKING:
    from xymac.golden.kinds import Relu

    from .arithmetic import Build
    from .layer import Weighted

__all__ = ["add_bias", "finish"]

def add_bias(sums: np.ndarray, x: QuantTensor, weights: QuantTensor, bias: QuantTensor,
             build: Build) -> tuple[np.ndarray, bool]:
    """Sums of products plus the bias, and whether they left the library's accumulator.

    SA_8 and 8-bit weights have a 32-bit accumulator: sums wrap, and the bias addition saturates.
    FX_16 has a 64-bit accumulator in the reference library, 40 bits on a core, and a 32-bit aligned
    bias.
    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``bias_additive``.

    Parameters
    ----------
    sums : int64 array [..., outputs]
    """
    aligned = align_bias(x, weights, bias, build)
    total = sums + aligned
    if weights.bits == 16:
        return total, not in_range(total, ACC_BITS)
    overflow = not (in_range(sums, 32) and in_range(total, 32))
    return saturate(wrap(sums, 32) + aligned, 32), overflow


def _scale(sums, scaling, build):
    """Sums of SA_8 products in output units relative to the zero point, 16 bits."""
    if not build.reduced:
        # |sum * multiplier| < 2**31 * 2**30 fits 64 bits.
        return cast(sums * scaling.multiplier, np.minimum(scaling.shift, 63), 64, 16,
                    build.rounding)
    multiplier, early, shift = shorten(scaling, build)
    short = cast(sums, early, 32, 16, build.rounding)
    return cast(short * multiplier, np.minimum(shift, 63), 64, 16, build.rounding)


def finish(layer: Weighted, x: QuantTensor, sums: np.ndarray, relu: Relu) -> Result:
    """Turn exact sums [..., outputs], bias not included, into a layer's Result.

    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``result_cast_relu_store``.
    """
    weights, out, build = layer.weights, layer.out, layer.build
    acc, overflow = add_bias(sums, x, weights, layer.bias, build)
    if not isinstance(out, Affine):
        shift  = x.fixed.frac_bits + weights.fixed.frac_bits - as_fixed(out).frac_bits
        values = cast(acc, shift, 64 if weights.bits == 16 else 32, x.bits, build.rounding)
    else:
        scaled = _scale(acc, output_scaling(x, weights, out, build), build)
        values = saturate(saturate(scaled + out.zero_points[0], 16), 8)
    values = clip(values, relu_limits(relu, out, x.bits))
    return Result(QuantTensor(values.astype(x.data.dtype), x.element, out), overflow)
