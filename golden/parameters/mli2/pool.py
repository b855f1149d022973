"""Multipliers and shifts of means of MLI 2.0."""

from golden.parameters.mean import full_reciprocal

from .rounding import cast, limit, norm, scale_ratio, shift_left

__all__ = ["affine_scale", "fixed_scale"]


def fixed_scale(kind, out, count):
    """Multiplier and right shift that take the sum of ``count`` FX elements to their mean."""
    multiplier, shift = full_reciprocal(count)
    return multiplier, shift + kind.frac_bits - out.frac_bits


def affine_scale(kind, out, count, build):
    """The same for SA_8 elements, and what the accumulator starts with.

    The zero points are in the start value of the accumulator; the multiplier is cut to 8 bits, so
    that the mean in the format of the input is not exact either.
    """
    mode   = build.rounding
    places = norm(kind.scale, 32) - norm(out.scale, 16)
    scale, frac_bits = scale_ratio(kind.scale, out.scale, places, mode)
    frac_bits += kind.scale_frac_bits - out.scale_frac_bits
    offset = limit(out.zero_point - cast(scale * kind.zero_point, frac_bits, 32, 16, mode), 16)
    multiplier, shift = full_reciprocal(count)
    product = scale * multiplier
    excess  = 24 - norm(product, 32)
    shift  += frac_bits - excess
    return cast(product, excess, 32, 8, mode), shift, int(shift_left(offset, shift, 32))
