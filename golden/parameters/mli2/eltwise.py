# SPDX-License-Identifier: Apache-2.0
"""Multipliers and shifts of element-wise MLI 2.0 operations on two SA_8 operands."""

from .rounding import norm, scale_ratio, shift_round

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
    multiplier, shift = scale_ratio(kind.scale, out.scale, norm(kind.scale, 32), mode)
    shift += kind.scale_frac_bits - out.scale_frac_bits
    return _guard(multiplier, shift, _SUM_SHIFT_MAX, mode)


def extreme_scale(layer, a):
    """Multiplier and right shift of both SA_8 operands of a MIN or MAX, which share a format."""
    return _operand_scale(layer, a.format)


def sum_scales(layer, a, b):
    """(multiplier, right shift) of each SA_8 operand of an ADD or SUB, a list."""
    return [_operand_scale(layer, kind) for kind in (a.format, b.format)]


def product_scale(layer, a, b):
    """Multiplier of a product of SA_8 elements, and the right shifts before and after it."""
    scale, kinds = a.format.scale * b.format.scale, (a.format, b.format)
    mode, out    = layer.build.rounding, layer.out
    multiplier, shift = scale_ratio(scale, out.scale, norm(scale, 32), mode)
    shift += sum(kind.scale_frac_bits for kind in kinds) - out.scale_frac_bits
    multiplier, shift = _guard(multiplier, shift, _SHIFT_MAX, mode)
    early = min(max(shift - _MUL_TARGET, 0), _MUL_EARLY_MAX)
    return multiplier, early, shift - early
