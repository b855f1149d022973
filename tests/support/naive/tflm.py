# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of TensorFlow Lite on single Python ints, by fractions."""

from fractions import Fraction
from math import floor

from xymac.golden.tflm import Activation

__all__ = ["away", "clamped", "limits", "multiplied", "multiplied_long", "output_of", "quantised",
           "wrapped"]

HALF = Fraction(1, 2)


def away(value):
    """The nearest integer of a Fraction, halves away from zero."""
    return floor(value + HALF) if value >= 0 else -floor(-value + HALF)


def wrapped(value, bits=32):
    """The low ``bits`` of an int, with a sign."""
    low = value % 2 ** bits
    return low - 2 ** bits if low >= 2 ** (bits - 1) else low


def clamped(value, low, high):
    return max(low, min(value, high))


def quantised(factor):
    """31 bits of a float and the exponent ``e`` of their ``2**(e - 31)``."""
    exact, exponent = Fraction(factor), 0
    if not exact:
        return 0, 0
    while exact >= 1:
        exact, exponent = exact / 2, exponent + 1
    while exact < HALF:
        exact, exponent = exact * 2, exponent - 1
    multiplier = away(exact * 2 ** 31)
    if multiplier == 2 ** 31:
        multiplier, exponent = 2 ** 30, exponent + 1
    return (multiplier, exponent) if exponent >= -31 else (0, 0)


def multiplied(value, multiplier, exponent):
    """A 32-bit sum by 31 bits: to the nearest, halves up, then again, halves away from zero."""
    shifted = wrapped(value * 2 ** max(exponent, 0))
    high    = floor(Fraction(shifted * multiplier, 2 ** 31) + HALF)
    return away(Fraction(high, 2 ** max(-exponent, 0)))


def multiplied_long(value, multiplier, exponent):
    """A 64-bit sum by the first 15 bits: to the nearest, halves up."""
    short   = min(away(Fraction(multiplier, 2 ** 16)), 2 ** 15 - 1)
    product = wrapped(value * short, 64)
    return wrapped(floor(Fraction(product, 2 ** (15 - exponent)) + HALF))


def limits(activation, out, bits):
    """Lowest and highest output."""
    low, high = -2 ** (bits - 1), 2 ** (bits - 1) - 1
    ends = {Activation.NONE: (None, None), Activation.RELU: (0, None),
            Activation.RELU6: (0, 6), Activation.RELU_N1_TO_1: (-1, 1)}[activation]
    if ends[0] is not None:
        low = max(low, out.zero_point + away(Fraction(ends[0]) / Fraction(out.scale)))
    if ends[1] is not None:
        high = min(high, out.zero_point + away(Fraction(ends[1]) / Fraction(out.scale)))
    return low, high


def output_of(layer, x, total, channel):
    """One output of the sum ``total`` of products, the bias not in it, and whether it overflows."""
    scales = layer.weights.quantisation.scales
    factor = quantised(x.quantisation.scale * scales[channel if len(scales) > 1 else 0]
                       / layer.out.scale)
    types  = None if layer.bias is None else layer.bias.type_name
    total += 0 if layer.bias is None else int(layer.bias.data[channel])
    if x.bits == 16 and types != "INT32" and not (types is None and layer.short_sums):
        value, overflow = multiplied_long(total, *factor), wrapped(total, 48) != total
    else:
        value, overflow = multiplied(wrapped(total), *factor), wrapped(total) != total
    low, high = limits(layer.activation, layer.out, x.bits)
    return clamped(wrapped(value + layer.out.zero_point), low, high), overflow
