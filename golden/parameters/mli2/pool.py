# SPDX-License-Identifier: Apache-2.0
"""Multipliers and shifts for MLI 2.0 means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.parameters.mean import full_reciprocal

from .rounding import cast, limit, norm, scale_ratio, shift_left

if TYPE_CHECKING:
    from xymac.golden.formats import Affine, Fixed
    from xymac.golden.mli2.arithmetic import Build

__all__ = ["affine_scale", "fixed_scale"]


def fixed_scale(kind: Fixed, out: Fixed, count: int) -> tuple[int, int]:
    """Multiplier and right shift from the sum of ``count`` FX elements to their mean."""
    multiplier, shift = full_reciprocal(count)
    return multiplier, shift + kind.frac_bits - out.frac_bits


def affine_scale(kind: Affine, out: Affine, count: int, build: Build) -> tuple[int, int, int]:
    """Multiplier, right shift and initial accumulator from the sum of ``count`` SA_8 elements to
    their mean.

    The initial accumulator contains the zero points. The multiplier has only 8 bits, so a mean is
    inexact even if input and output have the same format.
    """
    mode   = build.rounding
    places = norm(kind.scales[0], 32) - norm(out.scales[0], 16)
    scale, frac_bits = scale_ratio(kind.scales[0], out.scales[0], places, mode)
    frac_bits += kind.fractions[0] - out.fractions[0]
    zero   = cast(scale * kind.zero_points[0], frac_bits, 32, 16, mode)
    offset = limit(out.zero_points[0] - zero, 16)
    multiplier, shift = full_reciprocal(count)
    product = scale * multiplier
    excess  = 24 - norm(product, 32)
    shift  += frac_bits - excess
    return cast(product, excess, 32, 8, mode), shift, int(shift_left(offset, shift, 32))
