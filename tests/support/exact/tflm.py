# SPDX-License-Identifier: Apache-2.0
"""Checks of what TensorFlow Lite derives: multipliers, limits, padding."""

from fractions import Fraction
from itertools import product
from math import ceil, floor, trunc

import numpy as np

from tests.support.seed import random_of
from xymac.golden.parameters.tflm import eltwise, linear, mean, multiplier, ranges, windows
from xymac.golden.parameters.tflm.options import Activation, Padding

from .fractions import expect, power

__all__ = ["CHECKS"]

HALF   = Fraction(1, 2)
COUNTS = (1, 2, 3, 7, 8, 9, 49, 63, 64, 65, 255, 1000, 4095, 65536, 100003, (1 << 31) - 1)
#: Float32 at its limits, of all its bits, and around powers of two.
EDGES  = (0.0, 1.401298464324817e-45, float(np.float32(1e-40)), 1.1754943508222875e-38,
          3.4028234663852886e38,
          *(float(np.nextafter(np.float32(2.0 ** place), np.float32(side)))
            for place in (-40, -8, -1, 0, 1, 7, 40) for side in (0, 2.0 ** place, np.inf)))


def _bits(value, count):
    """A positive Fraction as ``(mantissa, places)``: its first ``count`` bits and what is behind
    them, so that it is ``mantissa * 2**places``."""
    places = value.numerator.bit_length() - value.denominator.bit_length() - count
    while value * power(-places) >= power(count):
        places += 1
    while value * power(-places) < power(count - 1):
        places -= 1
    return value * power(-places), places


def _even(value, count):
    """The nearest number of ``count`` bits, halves to the even one, as float arithmetic rounds."""
    if not value:
        return Fraction(0)
    mantissa, places = _bits(abs(value), count)
    return round(mantissa) * power(places) * (-1 if value < 0 else 1)


def _quantized(exact):
    """31 bits of a Fraction and the exponent: halves away from zero."""
    if not exact:
        return 0, 0
    mantissa, places = _bits(exact, 31)
    rounded, exponent = floor(mantissa + HALF), places + 31
    if rounded == power(31):
        rounded, exponent = 1 << 30, exponent + 1
    return (rounded, exponent) if exponent >= -31 else (0, 0)


def _scales(key, count):
    """Random float32 scales as networks have them."""
    return [float(value) for value in
            np.exp2(random_of(key).uniform(-22, 4, count)).astype(np.float32)]


def check_quantize_multiplier():
    """31 bits, and the carry of what rounds up to a power of two; nothing below 2**-32."""
    rng   = random_of(11)
    plain = [*EDGES, *_scales(12, 500)]
    near  = [float(np.ldexp((1 << 52) + step, place - 52))
             for place in (-33, -32, -31, -1, 0, 3, 29, 30)
             for step in (-1, 0, 1, (1 << 21) - 1, 1 << 21, (1 << 21) + 1, 3 << 21,
                          (1 << 52) - (1 << 21) - 1, (1 << 52) - (1 << 21), (1 << 52) - 1)]
    wide  = [float(np.ldexp(value, int(place))) for value, place in zip(
        rng.uniform(0.5, 1, 500), rng.integers(-34, 31, 500), strict=True)]
    for factor in (*plain, *near, *wide):
        expect(multiplier.quantize_multiplier(factor), _quantized(Fraction(factor)), factor)


def check_reduce_multiplier():
    """15 bits of 31, rounded, but never 2**15."""
    values = {0, *(value + step for value in range(1 << 30, 1 << 31, (1 << 27) + 12345)
                   for step in (-1, 0, 1)),
              *(0x7fff0000 + step for step in (-32769, -32768, -1, 0, 1)), (1 << 31) - 1}
    for value in values:
        expect(multiplier.reduce_multiplier(value),
               int(min(floor(value * power(-16) + HALF), power(15) - 1)), value)


def check_limits_of_exponents():
    """A 32-bit 1 may be shifted by 30 bits, and 15 bits of a 64-bit factor by 8 at least."""
    expect((multiplier.EXPONENT_MAX, multiplier.EXPONENT_MAX_LONG), (32 - 2, 15 - 8))


def _ratio(numerator, denominator):
    """A quotient in double."""
    return _even(Fraction(numerator) / Fraction(denominator), 53)


def check_output_multipliers():
    """One product, exact in double, and one quotient rounded to it."""
    for x, weights, out in zip(*(_scales(key, 600) for key in (13, 14, 15)), strict=True):
        several = (weights, x, EDGES[-2], 1.1754943508222875e-38)
        expect(linear.output_multipliers(x, several, out),
               tuple(_quantized(_ratio(Fraction(x) * Fraction(each), out)) for each in several),
               x, several, out)
        expect(linear.output_multipliers(x, (weights,), out),
               (_quantized(_ratio(Fraction(x) * Fraction(weights), out)),), x, weights, out)


def check_product_multiplier():
    """The same of two elements."""
    for a, b, out in zip(*(_scales(key, 600) for key in (16, 17, 18)), strict=True):
        expect(eltwise.product_multiplier(a, b, out),
               _quantized(_ratio(Fraction(a) * Fraction(b), out)), a, b, out)


def check_sum_multipliers():
    """Both scales over twice the larger one, and that over the output's, less the shift."""
    several = list(zip(*(_scales(key, 600) for key in (19, 20, 21)), strict=True))
    several += [(a, a, out) for a, _, out in several[:50]]
    for a, b, out in several:
        for bits, shift in ((8, 20), (16, 15)):
            twice = 2 * Fraction(max(a, b))
            expect(eltwise.sum_shift(bits), shift)
            expect(eltwise.sum_multipliers(a, b, out, bits),
                   (_quantized(_ratio(a, twice)), _quantized(_ratio(b, twice)),
                    _quantized(_ratio(twice * power(-shift), out))), a, b, out, bits)


def check_mean_multiplier():
    """As many bits as the count has, but no exponent below -31; the quotient is cut."""
    for index, (x, out) in enumerate(zip(_scales(22, 600), _scales(23, 600), strict=True)):
        for factor in (1.0, 2.0 ** -(index % 34)):
            first, exponent = _quantized(_even(Fraction(x * factor) / Fraction(out), 53))
            for count in COUNTS:
                size  = next(size for size in range(32) if power(size + 1) > count)
                shift = min(size, 31 + exponent)
                expect(mean.mean_multiplier(x * factor, out, count),
                       (floor(first * power(shift) / count), exponent - shift),
                       x, factor, out, count)


def check_quantize_real():
    """A quotient of float32, rounded twice: to 24 bits, then to an integer."""
    scales = [*_scales(24, 600), *(value for value in EDGES if 1e-8 < value), 4.0, 12.0,
              *(float(np.float32(6) / np.float32(whole + 0.5)) for whole in range(300))]
    for scale, value in product(scales, (-1, 0, 1, 6)):
        exact = _even(Fraction(value) / Fraction(scale), 24)
        away  = floor(abs(exact) + HALF) * (-1 if value < 0 else 1)
        expect(ranges.quantize_real(value, scale), away, value, scale)
    expect(ranges.quantize_real(6, 2.0 ** -28), 3 << 29)  # beyond 30 bits, within 31


def check_numbers_of_options():
    """Numbers of the schema, of which files are made."""
    expect([each.value for each in Padding], [0, 1])
    expect([each.value for each in Activation], [0, 1, 2, 3, 4, 5])


def check_too_small_for_a_limit():
    """A limit of 32 bits or more is refused."""
    for value, scale in ((6, 2.0 ** -29), (1, 2.0 ** -31), (-1, 1.401298464324817e-45)):
        try:
            actual = ranges.quantize_real(value, scale)
        except ValueError:
            continue
        raise AssertionError(f"{actual} for {value} at {scale}")


def check_activation_range():
    """Limits of the type, cut by those of the activation around the zero point."""
    limits = {Activation.NONE: (None, None), Activation.RELU: (0, None),
              Activation.RELU_N1_TO_1: (-1, 1), Activation.RELU6: (0, 6)}
    zeros  = {8: (-128, -127, -1, 0, 1, 126, 127), 16: (-32768, 0, 32767)}
    for (kind, (low, high)), bits, scale in product(
            limits.items(), zeros, (*_scales(25, 60), 0.25, 1.0, 12.0, 2.0 ** -13, 2.0 ** -17)):
        for zero in zeros[bits]:
            least, most = -int(power(bits - 1)), int(power(bits - 1)) - 1
            if low is not None:
                least = max(least, zero + ranges.quantize_real(low, scale))
            if high is not None:
                most = min(most, zero + ranges.quantize_real(high, scale))
            expect(ranges.activation_range(kind, scale, zero, bits), (least, most),
                   kind, scale, zero, bits)


def check_pads_of():
    """SAME: the least padding with which every stride of the image has its window. VALID: none, if
    the kernel is not larger than the image."""
    for size, span, step in product((1, 2, 3, 7, 8, 96), (1, 2, 3, 5, 8, 9, 14), (1, 2, 3, 7)):
        wanted = ceil(Fraction(size, step))
        total  = next(total for total in range(span * step + span)
                      if floor(Fraction(size + total - span, step)) + 1 >= wanted)
        before = floor(Fraction(total, 2))
        asked  = (size, 5), (span, 2), (step, 1)
        expect(windows.pads_of(Padding.SAME, *asked), (before, total - before, 0, 1), *asked)
        swapped = [each[::-1] for each in asked]
        expect(windows.pads_of(Padding.SAME, *swapped), (0, 1, before, total - before), *swapped)
        count  = trunc(Fraction(size + step - span, step))  # not rounded down
        total  = max((count - 1) * step + span - size, 0) if count >= 0 else 0
        expect(span > size or total == 0, True, *asked)
        before = floor(Fraction(total, 2))
        expect(windows.pads_of(Padding.VALID, *asked), (before, total - before, 0, 0), *asked)


CHECKS = (check_quantize_multiplier, check_reduce_multiplier, check_limits_of_exponents,
          check_output_multipliers, check_product_multiplier, check_sum_multipliers,
          check_mean_multiplier, check_quantize_real, check_numbers_of_options,
          check_too_small_for_a_limit, check_activation_range, check_pads_of)
