# SPDX-License-Identifier: Apache-2.0
"""Checks of reciprocals of counts, and of how MLI 2.0 shifts and rounds a parameter."""

from fractions import Fraction
from math import floor

from tests.support.seed import random_of
from xymac.golden.parameters import mean
from xymac.golden.parameters.mli2 import rounding

from .fractions import (
    BUILDS,
    SCALES,
    at_width,
    clamp,
    expect,
    first_bits,
    power,
    ratio,
    spare_bits,
)

__all__ = ["CHECKS"]

WIDTHS = (8, 16, 32, 64)
#: Every count of a kernel up to 64x64, those around each power of two, and what a byte is of.
COUNTS = (*range(1, 4097), *(max((1 << place) + step, 1) for place in range(12, 31)
                             for step in (-1, 0, 1)), (1 << 31) - 1)


def edges(bits):
    """Integers of ``bits`` at the limits, around each power of two, and around halves."""
    top  = 1 << bits - 1
    near = {sign * (1 << place) + step for place in range(bits - 1) for sign in (-1, 1)
            for step in (-1, 0, 1)}
    return sorted(near | {0, top - 1, -top, top // 3, -top // 3, top - 2})


def check_reciprocal():
    """A mean never has a larger divisor than it should: 1 / count, cut to 15 bits."""
    for count in COUNTS:
        multiplier, shift = mean.reciprocal(count)
        if count in (1, 2, 4, 8, 16):
            expect((multiplier, power(shift)), (1, count), count)
            continue
        expect(1 << 14 <= multiplier < 1 << 15, True, count, multiplier)
        bits = floor(power(31) / count)  # What the library cuts first.
        expect(multiplier, floor(bits * power(shift - 31)), count)
        if count <= 1 << 16:
            expect(multiplier, floor(power(shift) / count), count)


def check_full_reciprocal():
    """The same number, of 15 bits for every count."""
    for count in COUNTS:
        multiplier, shift = mean.full_reciprocal(count)
        short, places     = mean.reciprocal(count)
        expect(multiplier * power(-shift), short * power(-places), count)
        expect(1 << 14 <= multiplier < 1 << 15, True, count, multiplier)
        less = Fraction(1, count) - multiplier * power(-shift)
        expect(0 <= less < power(-14) / count + power(-31), True, count)


def check_shift_round():
    """Rounded at every width by every shift, beyond both ends; single values and arrays."""
    for build in BUILDS[1:]:
        for bits in WIDTHS:
            shifts = (*range(-3, 4), bits // 2, bits - 2, bits - 1, bits, bits + 1, 200, -200)
            values = edges(bits) if bits < 64 else edges(bits)[::3]
            for shift in shifts:
                actual = rounding.shift_round(values, shift, bits, build.rounding).tolist()
                for value, each in zip(values, actual, strict=True):
                    expect(each, at_width(value, shift, bits, build), value, shift, bits, build)
                each = rounding.cast(values[0], shift, bits, bits // 2, build.rounding)
                expect(each, clamp(at_width(values[0], shift, bits, build), bits // 2), shift, bits)


def check_shift_left():
    """To the left saturated, to the right floored."""
    for bits in (8, 16, 32):  # a value beyond the width saturates without a shift
        for value in (1 << bits - 1, -1 << bits):
            expect(int(rounding.shift_left(value, 0, bits)), clamp(value, bits), value, bits)
    for bits in WIDTHS:
        values = edges(bits)[::3]
        for places in (0, 1, 2, bits - 2, bits - 1, bits, 100, -1, -2, -bits, -100):
            actual = rounding.shift_left(values, places, bits).tolist()
            for value, each in zip(values, actual, strict=True):
                exact = value * power(places)
                expect(each, clamp(exact, bits) if places >= 0 else floor(exact), value, places)


def check_norm():
    """Bits that a value can be shifted to the left by, all of them for 0."""
    for bits in (16, 32):
        for value in edges(bits):
            expect(rounding.norm(value, bits), spare_bits(value, bits), value, bits)
        expect(rounding.norm(0, bits), bits - 1)


def check_normalise():
    """The first 16 bits, which stand for the value to the last one."""
    values = [*edges(32), *random_of(1).integers(-1 << 31, 1 << 31, 200).tolist()]
    for build in BUILDS[1:]:
        for value in values:
            actual, shift = rounding.normalise(value, 32, 16, build.rounding)
            expect((actual, shift), first_bits(value, build), value, build)
            expect(abs(actual * power(shift) - value) <= power(shift), True, value, build)


def check_scale_ratio():
    """A quotient of scales: the formula, and that it is the quotient to 14 bits."""
    for build in BUILDS[1:]:
        for scale in SCALES:
            for out_scale in SCALES:
                for places in (spare_bits(scale, 32),
                               spare_bits(scale, 32) - spare_bits(out_scale, 16)):
                    asked = scale, out_scale, places
                    multiplier, frac = rounding.scale_ratio(*asked, build.rounding)
                    expect((multiplier, frac), ratio(*asked, build), *asked, build)
                    exact = Fraction(scale, out_scale)
                    error = exact - multiplier * power(-frac)
                    expect(abs(error) < exact * power(-14), True, *asked, build)


CHECKS = (check_reciprocal, check_full_reciprocal, check_shift_round, check_shift_left, check_norm,
          check_normalise, check_scale_ratio)
