"""Of sums of products of MLI 2.0: the bias as the accumulator takes it, and the scale."""

from dataclasses import dataclass

import numpy as np

from golden.formats import Affine

from .rounding import norm, of_each, scale_ratio, shift_left, shift_round

__all__ = ["Scaling", "align_bias", "gate_format", "output_scaling", "shorten"]

_TARGET_SHIFT  = 21  #: Right shift that is left of a reduced sum: 32 bits less 8 and 3 of headroom.
_EARLY_MAX     = 8   #: Bits by which a sum is reduced at most.
_SCALE_STEP    = 4   #: Bytes of two scales of 16 bits,
_FRACTION_STEP = 2   #: and of their fractional bits.


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
    places = norm(x.format.scale, 32)
    ratio, frac_bits = scale_ratio(x.format.scale, out.scale, places, build.rounding)
    frac_bits += x.format.scale_frac_bits - out.scale_frac_bits
    multiplier = ratio * np.array(weights.format.scales, np.int64)
    shift      = frac_bits + np.array(weights.format.fractions, np.int64)
    if build.reduced:
        places     = of_each(lambda each: norm(each, 32), multiplier)
        multiplier = shift_left(multiplier, places, 32)
        shift      = shift + places
    return Scaling(multiplier, shift)


def shorten(scaling, build):
    """Multiplier of 16 bits, early right shift to 16 bits, and the rest, of the reduced build."""
    multiplier = shift_round(scaling.multiplier, 16, 32, build.rounding)
    shift      = scaling.shift - 16
    early      = np.clip(shift - _TARGET_SHIFT, 0, _EARLY_MAX)
    return multiplier, early, shift - early


def _reduce(bias):
    """16 bits of a 32-bit bias and zeros below, as the reduced build keeps it."""
    lost = max(16 - norm(bias, 32), 0)
    return bias >> lost << lost


def _keep(bias):
    """The low 32 bits of a bias."""
    half = 1 << 31
    return (bias + half & 2 * half - 1) - half


def align_bias(x, weights, bias, build):
    """Bias in the position of the products, int64: that of SA_8 has it, in all of its 32 bits or
    the first 16 of them; that of FX is shifted there, at 64 bits if the weights have 16, and kept
    in 32.

    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``bias_additive``.
    """
    data = bias.data.astype(np.int64)
    if isinstance(x.format, Affine):
        return of_each(_reduce, data) if build.reduced else data
    shift = bias.format.frac_bits - x.format.frac_bits - weights.format.frac_bits
    bits  = 64 if weights.bits == 16 else 32
    return of_each(_keep, shift_round(data, shift, bits, build.rounding))


def gate_format(kind):
    """Affine that the library takes for the third gate of weights with the one scale ``kind``.

    It adds steps in bytes to the scale and to its fractional bits.
    Source: embARC MLI 2.0, kernels/common/impl/mli_krn_gru_cell_ref.h, ``inc_scales_for_new_gate``.
    """
    return Affine(kind.zero_point, kind.scale + _SCALE_STEP, kind.scale_frac_bits + _FRACTION_STEP)
