# SPDX-License-Identifier: Apache-2.0
"""Multipliers and shifts of MLI 2.0 means."""

from xymac.golden.parameters.mean import full_reciprocal

from .rounding import cast, limit, norm, scale_ratio, shift_left

__all__ = ["affine_scale", "fixed_scale"]


def fixed_scale(kind, out, count):
    """Multiplier and right shift from the sum of ``count`` FX elements to their mean."""
    multiplier, shift = full_reciprocal(count)
    return multiplier, shift + kind.frac_bits - out.frac_bits


def affine_scale(kind, out, count, build):
    """Multiplier, right shift and initial accumulator from the sum of ``count`` SA_8 elements to
    their mean.

    The initial accumulator contains the zero points. The multiplier has only 8 bits, so a mean is
    inexact even if input and output have the same format.
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
