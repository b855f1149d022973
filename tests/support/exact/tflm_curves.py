# SPDX-License-Identifier: Apache-2.0
"""Checks of what TensorFlow Lite derives for curves, recurrent operators and moved elements."""

from fractions import Fraction
from itertools import product
from math import ceil, floor

import numpy as np

from xymac.golden.parameters.tflm import exponent, hard_swish, places, recurrent, rescale

from .fractions import expect, power
from .tflm import _even, _quantized, _ratio, _scales

__all__ = ["CHECKS"]

HALF = Fraction(1, 2)


def _several(key, count, number=400):
    return zip(*(_scales(key + index, number) for index in range(count)), strict=True)


def check_rescale_multipliers():
    """Quotients in double, of one product that is exact in it."""
    for x, slope, out in _several(31, 3):
        above = _quantized(_ratio(x, out))
        below = _quantized(_ratio(Fraction(x) * Fraction(slope), out))
        expect(rescale.rescale_multiplier(x, out), above, x, out)
        expect(rescale.prelu_multipliers(x, slope, out), (above, below), x, slope, out)
        for alpha in (slope, -slope):
            expect(rescale.leaky_multipliers(x, alpha, out), (above, below), x, alpha, out)


def check_arguments_of_exponentials():
    """Steps of 2**-26 and 2**-27, and how far 31 and 15 of them reach."""
    for x, beta in _several(34, 2):
        for scale in (x, x * 2.0 ** 20, x / 3):
            exact = min(_even(Fraction(scale) * Fraction(beta), 53) * power(26), power(31) - 1)
            first, places_ = _quantized(exact)
            radius = floor(31 * power(26 - places_))
            expect(exponent.softmax_argument(scale, beta), (first, places_, -radius), scale, beta)
            expect(exponent.radius_of(5, places_), radius, places_)
            first, places_ = _quantized(Fraction(scale) * power(27))
            expect(exponent.sigmoid_argument(scale),
                   (first, places_, floor(15 * power(27 - places_))), scale)


def check_arguments_of_tables():
    """Steps of 10 / 65535 for softmax; 3 for 2**-12, else 15 bits of a float32, cut."""
    step = _even(Fraction(10, 65535), 53)
    for x, beta in _several(36, 2):
        exact = _even(_even(Fraction(x) * Fraction(beta), 53) / step, 53)
        expect(exponent.softmax_table_argument(x, beta), _quantized(exact), x, beta)
    for x, doubles in product((*_scales(38, 400), *(2.0 ** -place for place in range(46))),
                              (False, True)):
        if x == 2.0 ** -12 or (doubles and x == 2.0 ** -11):
            wanted = (3 if x == 2.0 ** -12 else 6), 0
        else:
            exact = Fraction(x) * 12288
            shift = next(shift for shift in range(32)
                         if shift == 31 or exact * power(shift) > Fraction(32767, 2))
            wanted = floor(exact * power(shift)), shift
        expect(exponent.table_argument(x, doubles), wanted, x, doubles)
    # A double whose product is half of the largest factor is doubled once more; 0 stays 0.
    expect(exponent.table_argument(32767 / 24576, False), (32767, 1))
    expect(exponent.table_argument(0.0, True), (0, 31))
    expect(exponent.table_argument(1.33332, True), (16383, 0))  # 16383.5 is enough
    # Next to a power of two, by 1 / 1000 of its logarithm, is as good.
    for factor, wanted in ((1.0005, (3, 0)), (0.9995, (3, 0)), (1.001, (24600, 13))):
        expect(exponent.table_argument(float(np.float32(2.0 ** -12 * factor)), True), wanted,
               factor)


def check_hard_swish_multipliers():
    """15 bits of 31, for elements with 7 more."""
    def short(exact):
        first, places_ = _quantized(exact)
        return int(min(floor(first * power(-16) + HALF), power(15) - 1)), places_

    third = _even(Fraction(3) / 32768, 53)
    small = 2.0 ** -149  # The smallest float32, and so the distance of those next to it.
    for x, out in (*_several(39, 2), (small, 9 * small), (64 * small, small), (65 * small, small),
                   (small * 0xABCDEF, small * 0xABCDE), (small * 12345678, small * 98765)):
        step = Fraction(round(Fraction(x) / 128 / Fraction(small))) * Fraction(small)
        step = step if x < 2.0 ** -119 else Fraction(x) / 128
        expect(hard_swish.hard_swish_multipliers(x, out),
               (short(_ratio(step, out)), short(_ratio(step, third))), x, out)


def check_recurrent_multipliers():
    """Products of two scales over a third; a gate has steps of 2**-12."""
    for x, feature, state, time, out in _several(41, 5):
        expect(recurrent.gate_multiplier(x, feature),
               _quantized(Fraction(x) * Fraction(feature) * power(12)), x, feature)
        expect(recurrent.svdf_multipliers(x, feature, state, time, out),
               (_quantized(_ratio(Fraction(x) * Fraction(feature), state)),
                _quantized(_ratio(Fraction(state) * Fraction(time), out))),
               x, feature, state, time, out)


def check_cell_of_lstm():
    """A cell counts by its scale, but for the tangent by the power of two next to it."""
    for cell, out in [(2.0 ** -place, 2.0 ** -7) for place in range(44)] + [*_several(46, 2)]:
        expect(recurrent.cell_multipliers(cell, out),
               (_quantized(power(-15)), _quantized(_ratio(power(-30), cell)),
                _quantized(_ratio(power(-30), out))), cell, out)
        # sqrt(2) lies between two neighbours: the square decides.
        nearest = next(place for place in range(-50, 20)
                       if Fraction(cell) ** 2 < power(2 * place + 1))
        wanted  = (3 << max(nearest + 12, 0), max(-nearest - 12, 0))
        expect(recurrent.cell_table_argument(cell), wanted, cell)
        for clip in (0.5, 1.0, 10.0, 1e9):
            limit = min(_even(Fraction(clip) / Fraction(cell), 53), 32767)
            expect(recurrent.cell_clip_limit(clip, cell), floor(limit), clip, cell)
        expect(recurrent.cell_clip_limit(0.0, cell), None, cell)


def check_nearest_places():
    """Products and quotients of float32."""
    for size, out_size, align, half in product((1, 2, 3, 7, 20, 96), (1, 2, 3, 5, 13, 40, 100),
                                               (False, True), (False, True)):
        spread = align and out_size > 1
        scale  = _even(Fraction(size - spread, out_size - spread), 24)
        exact  = [_even(_even(place + half * HALF, 24) * scale, 24) for place in range(out_size)]
        wanted = tuple(min(floor(value + align * HALF), size - 1) for value in exact)
        expect(places.nearest_places(size, out_size, align, half), wanted, size, out_size, align,
               half)


def check_bilinear_places():
    """Positions in steps of 2**-10, of which a place is the whole part."""
    for size, out_size, align, half in product((1, 2, 3, 7, 20, 96), (1, 2, 3, 5, 13, 40, 100),
                                               (False, True), (False, True)):
        spread = align and out_size > 1
        ratio  = Fraction(size - spread, out_size - spread) * power(10)
        step   = floor(ratio + Fraction((out_size - spread) // 2, out_size - spread))
        exact  = [Fraction(place * step + half * (floor(Fraction(step, 2)) - 512), 1024)
                  for place in range(out_size)]
        firsts = [max(floor(value), 0) for value in exact]
        wanted = tuple((first, min(max(ceil(value), 0), size - 1), (value - first) * 1024)
                       for value, first in zip(exact, firsts, strict=True))
        expect(places.bilinear_places(size, out_size, align, half), wanted, size, out_size, align,
               half)


def check_strided_range():
    """What Python's own slices take."""
    for size, stride in product((1, 2, 5), (-3, -2, -1, 1, 2, 3)):
        ends = (None, *range(-size - 2, size + 3))
        for begin, end in product(ends, ends):
            expect(places.strided_range(size, begin, end, stride),
                   slice(begin, end, stride).indices(size), size, begin, end, stride)


CHECKS = (check_rescale_multipliers, check_arguments_of_exponentials, check_arguments_of_tables,
          check_hard_swish_multipliers, check_recurrent_multipliers, check_cell_of_lstm,
          check_nearest_places, check_bilinear_places, check_strided_range)
