# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of MLI 2.0 on single Python ints, by fractions."""

from fractions import Fraction
from math import floor

from xymac.golden.mli2 import Affine, Build

__all__ = ["affine_output", "fixed_output", "limits", "norm", "requantised", "rescaled", "rounded",
           "saturated", "scaled_to_16"]


def saturated(value, bits):
    return max(-2 ** (bits - 1), min(value, 2 ** (bits - 1) - 1))


def rounded(value, shift, bits, build):
    """``value / 2**shift`` as an operand of ``bits`` is rounded."""
    if shift <= 0:
        return saturated(value * 2 ** -shift, bits)
    if shift >= bits:
        return 0
    if build is Build.CONVERGENT_FULL:
        return round(Fraction(value, 2 ** shift))
    return floor(Fraction(saturated(value + 2 ** (shift - 1), bits), 2 ** shift))


def norm(value, bits):
    """Bits by which ``value`` can be doubled."""
    places = 0
    while places < bits - 1 and saturated(value * 2 ** (places + 1), bits) == value * 2 ** (
            places + 1):
        places += 1
    return places


def scaled_to_16(value, build):
    """A 32-bit value as 16 bits, and its right shift."""
    shift = 16 - norm(value, 32)
    return saturated(rounded(value, shift, 32, build), 16), shift


def rescaled(scale, out_scale, places, build):
    """A quotient of scales, 16 bits, and its fractional bits."""
    multiplier, shift = scaled_to_16(scale * 2 ** places // out_scale, build)
    return multiplier, places - shift


def requantised(kind, out, build):
    """Multiplier and right shift from one Affine to another."""
    places = norm(kind.scale, 32) - norm(out.scale, 16)
    multiplier, shift = rescaled(kind.scale, out.scale, places, build)
    return multiplier, shift + kind.scale_frac_bits - out.scale_frac_bits


def limits(relu, out, bits):
    """Of the output, in order of application: highest, lowest."""
    zero, scale, frac = ((out.zero_point, out.scale, out.scale_frac_bits)
                         if isinstance(out, Affine) else (0, 1, out.frac_bits))
    top  = 2 ** (bits - 1) - 1
    six  = floor(6 * Fraction(2) ** frac) // scale if frac < 28 else top
    one  = floor(Fraction(2) ** frac) // scale if frac < 30 else top
    low  = {"NONE": -top - 1, "RELU1": zero - one}.get(relu.name, zero)
    high = {"RELU1": zero + one, "RELU6": zero + six}.get(relu.name, top)
    return min(high, top), max(low, -top - 1)


def fixed_output(layer, x, total, bias):
    """One FX output of the sum ``total``, its bias an int, or None if the sum overflows."""
    build, frac = layer.build, x.format.frac_bits + layer.weights.format.frac_bits
    bits   = 64 if layer.weights.bits == 16 else 32
    bias   = rounded(bias, layer.bias.format.frac_bits - frac, bits, build)
    bias   = (bias + 2 ** 31) % 2 ** 32 - 2 ** 31
    acc    = total + bias
    limit  = 40 if bits == 64 else 32
    if acc != saturated(acc, limit) or total != saturated(total, limit):
        return None
    return saturated(rounded(acc, frac - layer.out.frac_bits, bits, build), 16)


def affine_output(layer, x, total, bias, index):
    """One SA_8 output of the sum ``total``, or None if the sum overflows."""
    build, out, kind = layer.build, layer.out, layer.weights.format
    index  = index if kind.dim >= 0 else 0
    ratio, shift = rescaled(x.format.scale, out.scale, norm(x.format.scale, 32), build)
    shift += x.format.scale_frac_bits - out.scale_frac_bits + kind.fractions[index]
    multiplier = ratio * kind.scales[index]
    if build is Build.UP_REDUCED:
        places = norm(multiplier, 32)
        multiplier, shift = multiplier * 2 ** places, shift + places
        lost = 2 ** max(16 - norm(bias, 32), 0)
        bias = floor(Fraction(bias, lost)) * lost
    if total != saturated(total, 32) or total + bias != saturated(total + bias, 32):
        return None
    acc = total + bias
    if build is Build.UP_REDUCED:
        multiplier, shift = rounded(multiplier, 16, 32, build), shift - 16
        early = max(0, min(shift - 21, 8))
        acc, shift = saturated(rounded(acc, early, 32, build), 16), shift - early
    value = saturated(rounded(acc * multiplier, min(shift, 63), 64, build), 16)
    return saturated(saturated(value + out.zero_point, 16), 8)
