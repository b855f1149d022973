"""From exact sums of products to the output: bias, scale, rounding, limits."""

from dataclasses import dataclass

import numpy as np

from golden.fixed import in_range, saturate, wrap
from golden.result import Result
from hdl.isa import ACC_BITS

from .arithmetic import cast, norm, scale_ratio, shift_left, shift_round
from .limits import clip, relu_limits
from .tensor import Fixed, QuantTensor

__all__ = ["Scaling", "add_bias", "align_bias", "finish", "output_scaling", "shorten"]

_TARGET_SHIFT = 21  #: Right shift that is left of a reduced sum: 32 bits less 8 and 3 of headroom.
_EARLY_MAX    = 8   #: Bits by which a sum is reduced at most.


@dataclass(frozen=True)
class Scaling:
    """Multiplier and right shift of every output, arrays with one element or one an output."""

    multiplier: np.ndarray
    shift:      np.ndarray


def output_scaling(x, weights, out, build):
    """Scaling of sums of SA_8 products to the Affine ``out``.

    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``define_quant_params``,
    ``adjust_quant_params``.
    """
    places = int(norm(x.format.scale, 32))
    ratio, frac_bits = scale_ratio(x.format.scale, out.scale, places, build.rounding)
    frac_bits += x.format.scale_frac_bits - out.scale_frac_bits
    multiplier = ratio * np.array(weights.format.scales, np.int64)
    shift      = frac_bits + np.array(weights.format.fractions, np.int64)
    if build.reduced:
        places     = norm(multiplier, 32)
        multiplier = shift_left(multiplier, places, 32)
        shift      = shift + places
    return Scaling(multiplier, shift)


def _reduce_bias(bias):
    """16 bits of every 32-bit bias and zeros below, as the reduced build keeps it."""
    lost = np.maximum(16 - norm(bias, 32), 0)
    return bias >> lost << lost


def align_bias(x, weights, bias, build):
    """Bias in the position of the products, int64; see ``add_bias``."""
    data = bias.data.astype(np.int64)
    if x.is_affine:
        return _reduce_bias(data) if build.reduced else data
    shift = bias.format.frac_bits - x.format.frac_bits - weights.format.frac_bits
    bits  = 64 if weights.bits == 16 else 32
    return wrap(shift_round(data, shift, bits, build.rounding), 32)


def add_bias(sums, x, weights, bias, build):
    """Sums of products with the bias, and whether they left the accumulator of the library.

    That has 32 bits for SA_8 and for 8-bit weights, where sums wrap and the bias saturates; for
    FX_16 it has 64 bits in the reference, 40 on a core, and the aligned bias 32.
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


def shorten(scaling, build):
    """Multiplier of 16 bits, early right shift to 16 bits, and the rest, of the reduced build."""
    multiplier = shift_round(scaling.multiplier, 16, 32, build.rounding)
    shift      = scaling.shift - 16
    early      = np.clip(shift - _TARGET_SHIFT, 0, _EARLY_MAX)
    return multiplier, early, shift - early


def _scale(sums, scaling, build):
    """Sums of SA_8 products in units of the output, from its zero point, 16 bits."""
    if not build.reduced:
        # |sum * multiplier| < 2**31 * 2**30, far from the 64 bits that it is rounded in.
        return cast(sums * scaling.multiplier, np.minimum(scaling.shift, 63), 64, 16,
                    build.rounding)
    multiplier, early, shift = shorten(scaling, build)
    short = cast(sums, early, 32, 16, build.rounding)
    return cast(short * multiplier, np.minimum(shift, 63), 64, 16, build.rounding)


def finish(layer, x, sums, relu):
    """Turn exact sums [..., outputs], bias not included, into the Result of a layer.

    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``result_cast_relu_store``.
    """
    weights, out, build = layer.weights, layer.out, layer.build
    acc, overflow = add_bias(sums, x, weights, layer.bias, build)
    if isinstance(out, Fixed):
        shift  = x.format.frac_bits + weights.format.frac_bits - out.frac_bits
        values = cast(acc, shift, 64 if weights.bits == 16 else 32, x.bits, build.rounding)
    else:
        scaled = _scale(acc, output_scaling(x, weights, out, build), build)
        values = saturate(saturate(scaled + out.zero_point, 16), 8)
    values = clip(values, relu_limits(relu, out, x.bits))
    return Result(QuantTensor(values.astype(x.data.dtype), x.element, out), overflow)
