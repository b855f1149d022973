"""Multipliers and shifts of the activations of MLI 2.0."""

from .rounding import norm, normalise, scale_ratio, shift_left

__all__ = ["SHIFT_MAX", "affine_slopes", "argument_frac_bits", "fixed_slope"]

SHIFT_MAX = 31  #: Right shift of a 32-bit product: each further one gives 0 as well.


def fixed_slope(slope):
    """Multiplier and right shift of the one FX slope of a leaky ReLU.

    A slope of 16 bits is normalised first. So the product of -32768 and a power of two below 0 is
    ``2**30``, and the addition that rounds it up at a shift of 31 saturates: 0, not 1.
    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_leaky_relu_ref.h, ``leaky_relu_fx_run``.
    """
    value, shift = slope.data.item(), slope.format.frac_bits
    places = norm(value, 16) if slope.bits == 16 else 0
    return value << places, min(shift + places, SHIFT_MAX)


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
