"""Multipliers and shifts of two SA_8 operands of MLI 2.0, element by element."""

from .rounding import norm, scale_ratio, shift_round

__all__ = ["extreme_scale", "product_scale", "sum_scales"]

_SHIFT_MAX     = 31  #: Right shift of a 32-bit product at most, left shift likewise.
_SUM_SHIFT_MAX = 23  #: Right shift of an operand of a sum or an extreme: it has 24 bits.
_MUL_TARGET    = 21  #: Right shift that is left of a product of elements after an early one
_MUL_EARLY_MAX = 3   #: of at most so many bits.


def _guard(multiplier, shift, largest, mode):
    """``shift`` within the guards, the multiplier shifted by what is beyond them."""
    excess = max(shift - largest, 0) + min(shift + _SHIFT_MAX, 0)
    return int(shift_round(multiplier, excess, 16, mode)), shift - excess


def _operand_scale(layer, kind):
    """Multiplier and right shift that take an operand to the scale of the output.

    All 32 bits hold the operand scale before the division, however small it is.
    """
    mode, out = layer.build.rounding, layer.out
    multiplier, shift = scale_ratio(kind.scale, out.scale, norm(kind.scale, 32), mode)
    shift += kind.scale_frac_bits - out.scale_frac_bits
    return _guard(multiplier, shift, _SUM_SHIFT_MAX, mode)


def extreme_scale(layer, a):
    """Multiplier and right shift of both SA_8 operands of a MIN or MAX, which have one format."""
    return _operand_scale(layer, a.format)


def sum_scales(layer, a, b):
    """Multiplier and right shift of each SA_8 operand of an ADD or SUB."""
    return [_operand_scale(layer, kind) for kind in (a.format, b.format)]


def product_scale(layer, a, b):
    """Multiplier of a product of SA_8 elements, right shift before and after it."""
    scale, kinds = a.format.scale * b.format.scale, (a.format, b.format)
    mode, out    = layer.build.rounding, layer.out
    multiplier, shift = scale_ratio(scale, out.scale, norm(scale, 32), mode)
    shift += sum(kind.scale_frac_bits for kind in kinds) - out.scale_frac_bits
    multiplier, shift = _guard(multiplier, shift, _SHIFT_MAX, mode)
    early = min(max(shift - _MUL_TARGET, 0), _MUL_EARLY_MAX)
    return multiplier, early, shift - early
