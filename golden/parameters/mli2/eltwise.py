# SPDX-License-Identifier: Apache-2.0
"""Multipliers and shifts for element-wise MLI 2.0 operations on two SA_8 operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.formats import as_affine

from .rounding import norm, scale_ratio, shift_round

if TYPE_CHECKING:
    from xymac.golden.mli2.eltwise import Eltwise
    from xymac.golden.mli2.tensor import QuantTensor

__all__ = ["extreme_scale", "product_scale", "sum_scales"]

_SHIFT_MAX     = 31  #: Largest right or left shift of a 32-bit product.
_SUM_SHIFT_MAX = 23  #: Largest right shift of a 24-bit operand (ADD, SUB, MIN, MAX).
_MUL_TARGET    = 21  #: Target of the final right shift of an element product,
_MUL_EARLY_MAX = 3   #: and limit of its early shift.


def _guard(multiplier, shift, largest, mode):
    """``shift`` clipped to -31 .. ``largest``; the multiplier absorbs the excess shift."""
    excess = max(shift - largest, 0) + min(shift + _SHIFT_MAX, 0)
    return int(shift_round(multiplier, excess, 16, mode)), shift - excess


def _operand_scale(layer, kind):
    """Multiplier and right shift that take an operand to the output scale.

    The operand scale is normalised to 32 bits before the division.
    """
    mode, out = layer.build.rounding, layer.out
    multiplier, shift = scale_ratio(kind.scales[0], out.scales[0], norm(kind.scales[0], 32), mode)
    shift += kind.fractions[0] - out.fractions[0]
    return _guard(multiplier, shift, _SUM_SHIFT_MAX, mode)


def extreme_scale(layer: Eltwise, a: QuantTensor) -> tuple[int, int]:
    """Multiplier and right shift for both SA_8 operands in a MIN or MAX, which share a format."""
    return _operand_scale(layer, a.affine)


def sum_scales(layer: Eltwise, a: QuantTensor, b: QuantTensor) -> list[tuple[int, ...]]:
    """(multiplier, right shift) for each SA_8 operand in an ADD or SUB, a list."""
    return [_operand_scale(layer, kind) for kind in (a.affine, b.affine)]


def product_scale(layer: Eltwise, a: QuantTensor, b: QuantTensor) -> tuple[int, int, int]:
    """Multiplier for a product of SA_8 elements, and the right shifts before and after it."""
    scale, kinds = a.affine.scales[0] * b.affine.scales[0], (a.affine, b.affine)
    mode, out    = layer.build.rounding, as_affine(layer.out)
    multiplier, shift = scale_ratio(scale, out.scales[0], norm(scale, 32), mode)
    shift += sum(kind.fractions[0] for kind in kinds) - out.fractions[0]
    multiplier, shift = _guard(multiplier, shift, _SHIFT_MAX, mode)
    early = min(max(shift - _MUL_TARGET, 0), _MUL_EARLY_MAX)
    return multiplier, early, shift - early
