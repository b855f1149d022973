"""Multipliers and shifts of the SA_8 activations of MLI 2.0."""

from .rounding import norm, normalise, scale_ratio, shift_left

__all__ = ["affine_slopes", "argument_frac_bits"]


def argument_frac_bits(table):
    """Fractional bits of an SA_8 argument of a table once it has 16 bits."""
    return 8 + table.frac_bits


def _identity(kind, out, mode):
    """Multiplier and right shift, at least 0, from one Affine to the other."""
    places = norm(kind.scale, 32) - norm(out.scale, 16)
    multiplier, shift = scale_ratio(kind.scale, out.scale, places, mode)
    shift += kind.scale_frac_bits - out.scale_frac_bits
    return int(shift_left(multiplier, max(-shift, 0), 16)), max(shift, 0)


def _slope(slope, kind, multiplier, shift, mode):
    """Multiplier and right shift of the identity times one element of the slope."""
    slope, lost = normalise(slope * kind.scale, 32, 16, mode)
    multiplier, more = normalise(multiplier * slope, 32, 16, mode)
    return multiplier, shift + kind.scale_frac_bits - lost - more


def affine_slopes(layer, x):
    """What takes the SA_8 elements of ``x`` to the output: ``(multiplier, right shift)`` from 0 on,
    and a list of them below 0, one for each element of the slope."""
    mode, kind = layer.build.rounding, layer.slope.format
    multiplier, shift = _identity(x.format, layer.out, mode)
    slopes = layer.slope.centred.reshape(-1).tolist()
    return (multiplier, shift), [_slope(slope, kind, multiplier, shift, mode) for slope in slopes]
