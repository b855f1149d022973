# SPDX-License-Identifier: Apache-2.0
"""Checks of what TensorFlow Lite derives for quotients, squares, roots and logarithms."""

from fractions import Fraction
from math import floor, isqrt

from xymac.golden.parameters.tflm import exponent, pairs, roots

from .fractions import expect, power
from .tflm import _even, _quantized, _ratio, _scales

__all__ = ["CHECKS"]


def _several(key, count, number=300):
    return zip(*(_scales(key + index, number) for index in range(count)), strict=True)


def check_difference_multipliers():
    """Halves of the larger scale; squares of it are exact in double."""
    for a, b, out in _several(61, 3):
        for bits, shift in ((8, 7), (16, 0)):
            expect(pairs.difference_shift(bits), shift, bits)
            twice = 2 * max(Fraction(a), Fraction(b))
            expect(pairs.difference_multipliers(a, b, out, bits),
                   (_quantized(_ratio(a, twice)), _quantized(_ratio(b, twice)),
                    _quantized(_ratio(twice * twice, power(2 * shift) * Fraction(out)))),
                   a, b, out, bits)


def check_shift_of_comparisons():
    """Operands of a comparison have 8 more bits."""
    expect(pairs.COMPARE_SHIFT, 8)


def check_quotient_multiplier():
    """A product that a double has, and a quotient of doubles."""
    for a, b, out in _several(64, 3):
        expect(pairs.quotient_multiplier(a, b, out),
               _quantized(_ratio(a, Fraction(b) * Fraction(out))), a, b, out)
    # No factor is as large: the multiplier is 0, and the exponent is beyond every shift.
    expect(pairs.quotient_multiplier(1.0, 1.0, 0.0), (0, 1 << 30))


def check_root_multiplier():
    """A root, its product and the inverse, each rounded to double."""
    for x, out in _several(67, 2):
        root = Fraction(isqrt(int(Fraction(x) * power(200))), 1 << 100)
        product = _even(_even(root, 53) * Fraction(out), 53)
        expect(roots.root_multiplier(x, out), _quantized(_ratio(1, product)), x, out)


def check_log_softmax_argument():
    """Steps of 2**-26, how far 31 of them reach, and the inverse of what the factor has become."""
    for x in _scales(69, 300):
        first, places = _quantized(min(Fraction(x) * power(26), power(31) - 1))
        radius = floor(31 * power(26 - places))
        expect(exponent.log_softmax_argument(x),
               (first, places, -radius, *_quantized(_ratio(power(31 - places), first))), x)


CHECKS = (check_difference_multipliers, check_shift_of_comparisons,
          check_quotient_multiplier, check_root_multiplier,
          check_log_softmax_argument)
