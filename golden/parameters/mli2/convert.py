# SPDX-License-Identifier: Apache-2.0
"""Requantisation parameters between two MLI 2.0 formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xymac.golden.formats import Fixed, as_affine

from .rounding import norm, scale_ratio

if TYPE_CHECKING:
    from xymac.golden.formats import Format
    from xymac.golden.mli2.arithmetic import Build

__all__ = ["Conversion", "conversion", "format_at"]


def format_at(kind: Format, index: int) -> tuple[int, int, int]:
    """A format's zero point, scale and fractional bits, at ``index`` if it has several."""
    if isinstance(kind, Fixed):
        return 0, 1, kind.frac_bits
    kind  = as_affine(kind)
    index = 0 if kind.dim < 0 else index
    return kind.zero_points[index], kind.scales[index], kind.fractions[index]


@dataclass(frozen=True)
class Conversion:
    """Zero points, and the multiplier and right shift between them, all int."""

    in_zero:    int
    multiplier: int
    shift:      int
    out_zero:   int


def conversion(kind: Format, out: Format, index: int, build: Build) -> Conversion:
    """Conversion from the format ``kind`` to ``out``, at ``index`` of a dimension with scales."""
    in_zero,  in_scale,  in_frac  = format_at(kind, index)
    out_zero, out_scale, out_frac = format_at(out, index)
    places = norm(in_scale, 32) - norm(out_scale, 16)
    multiplier, shift = scale_ratio(in_scale, out_scale, places, build.rounding)
    return Conversion(in_zero, multiplier, shift + in_frac - out_frac, out_zero)
