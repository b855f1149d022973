# SPDX-License-Identifier: Apache-2.0
"""Multipliers and shifts for the MLI 2.0 activations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rounding import norm, normalise, scale_ratio, shift_left

if TYPE_CHECKING:
    from xymac.golden.mli2.activation import LeakyRelu
    from xymac.golden.mli2.tensor import QuantTensor
    from xymac.golden.table import Table

__all__ = ["SHIFT_MAX", "affine_slopes", "argument_frac_bits", "fixed_slope"]

SHIFT_MAX = 31  #: Largest right shift of a 32-bit product; larger shifts also give 0.


def fixed_slope(slope: QuantTensor) -> tuple[int, int]:
    """Multiplier and right shift for the single FX slope in a leaky ReLU.

    A 16-bit slope is normalised first. The product of -32768 and a negative power of two is then
    ``2**30``; at a shift of 31 its rounding addition saturates, so the result is 0, not 1.
    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_leaky_relu_ref.h, ``leaky_relu_fx_run``.
    """
    value, shift = slope.data.item(), slope.fixed.frac_bits
    places = norm(value, 16) if slope.bits == 16 else 0
    return value << places, min(shift + places, SHIFT_MAX)


def argument_frac_bits(table: Table) -> int:
    """Fractional bits of a table's SA_8 argument after its conversion to 16 bits."""
    return 8 + table.frac_bits


def _identity(kind, out, mode):
    """Multiplier and right shift, >= 0, from the Affine ``kind`` to the Affine ``out``."""
    places = norm(kind.scale, 32) - norm(out.scale, 16)
    multiplier, shift = scale_ratio(kind.scale, out.scale, places, mode)
    shift += kind.scale_frac_bits - out.scale_frac_bits
    return int(shift_left(multiplier, max(-shift, 0), 16)), max(shift, 0)


def _slope(slope, kind, multiplier, shift, mode):
    """Multiplier and right shift for the identity times one slope element."""
    slope, lost = normalise(slope * kind.scale, 32, 16, mode)
    multiplier, more = normalise(multiplier * slope, 32, 16, mode)
    return multiplier, shift + kind.scale_frac_bits - lost - more


def affine_slopes(layer: LeakyRelu,
                  x: QuantTensor) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Requantisation for SA_8 elements of ``x``: one pair for ``x >= 0``, a list of pairs below.

    A pair is (multiplier, right shift); the list has one pair per slope element.
    """
    mode, kind = layer.build.rounding, layer.slope.format
    multiplier, shift = _identity(x.format, layer.out, mode)
    slopes = layer.slope.centred.reshape(-1).tolist()
    return (multiplier, shift), [_slope(slope, kind, multiplier, shift, mode) for slope in slopes]
