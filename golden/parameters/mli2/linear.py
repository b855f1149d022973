# SPDX-License-Identifier: Apache-2.0
"""Parameters for MLI 2.0 sums of products: aligned bias and output scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.formats import Affine

from .rounding import norm, of_each, scale_ratio, shift_left, shift_round

if TYPE_CHECKING:
    from xymac.golden.mli2.arithmetic import Build
    from xymac.golden.mli2.tensor import QuantTensor

__all__ = ["Scaling", "align_bias", "gate_format", "output_scaling", "shorten"]

_TARGET_SHIFT  = 21  #: Target of the final shift of a reduced sum: 32 - 8 bits, 3 headroom.
_EARLY_MAX     = 8   #: Largest early shift of a sum, bits.
_SCALE_STEP    = 4   #: Bytes of two 16-bit scales,
_FRACTION_STEP = 2   #: and of their fractional bits.


@dataclass(frozen=True)
class Scaling:
    """Output multiplier and right shift, arrays with one element or one element per output."""

    multiplier: np.ndarray
    shift:      np.ndarray


def output_scaling(x: QuantTensor, weights: QuantTensor, out: Affine, build: Build) -> Scaling:
    """Scaling from sums of SA_8 products to the Affine ``out``.

    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``define_quant_params``,
    ``adjust_quant_params``.
    """
    places = norm(x.affine.scales[0], 32)
    ratio, frac_bits = scale_ratio(x.affine.scales[0], out.scales[0], places, build.rounding)
    frac_bits += x.affine.fractions[0] - out.fractions[0]
    multiplier = ratio * np.array(weights.affine.scales, np.int64)
    shift      = frac_bits + np.array(weights.affine.fractions, np.int64)
    if build.reduced:
        places     = of_each(lambda each: norm(each, 32), multiplier)
        multiplier = shift_left(multiplier, places, 32)
        shift      = shift + places
    return Scaling(multiplier, shift)


def shorten(scaling: Scaling, build: Build) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """16-bit multiplier, early right shift to 16 bits, and remaining right shift, for reduced
    builds.
    """
    multiplier = shift_round(scaling.multiplier, 16, 32, build.rounding)
    shift      = scaling.shift - 16
    early      = np.clip(shift - _TARGET_SHIFT, 0, _EARLY_MAX)
    return multiplier, early, shift - early


def _reduce(bias):
    """A 32-bit bias cut to 16 significant bits, as the reduced build keeps it."""
    lost = max(16 - norm(bias, 32), 0)
    return bias >> lost << lost


def _keep(bias):
    """The low 32 bits of a bias."""
    half = 1 << 31
    return (bias + half & 2 * half - 1) - half


def align_bias(x: QuantTensor, weights: QuantTensor, bias: QuantTensor, build: Build) -> np.ndarray:
    """Bias at the products' binary point, int64.

    An SA_8 bias already has that point; it keeps 32 bits, in the reduced build only the upper 16.
    An FX bias is shifted in 64 bits for 16-bit weights, else in 32 bits, and keeps its low 32 bits.
    Source: embARC MLI 2.0, bricks/impl/mli_prv_quant_ref.h, ``bias_additive``.
    """
    data = bias.data.astype(np.int64)
    if isinstance(x.format, Affine):
        return of_each(_reduce, data) if build.reduced else data
    shift = bias.fixed.frac_bits - x.fixed.frac_bits - weights.fixed.frac_bits
    bits  = 64 if weights.bits == 16 else 32
    return of_each(_keep, shift_round(data, shift, bits, build.rounding))


def gate_format(kind: Affine) -> Affine:
    """Affine that the library uses for the third gate in weights with the single scale ``kind``.

    The library adds pointer increments in bytes to the scale and to its fractional bits.
    Source: embARC MLI 2.0, kernels/common/impl/mli_krn_gru_cell_ref.h, ``inc_scales_for_new_gate``.
    """
    return Affine(kind.zero_points[0], kind.scales[0] + _SCALE_STEP,
                  kind.fractions[0] + _FRACTION_STEP)
