# SPDX-License-Identifier: Apache-2.0
"""Factors of TensorFlow Lite on data: every rounding against fractions, and values by hand."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.support.naive.tflm import away, multiplied, multiplied_long, wrapped
from tests.support.seed import random_of
from xymac.golden.tflm.arithmetic import (
    divide_by_power,
    divide_rounded,
    doubling_high_mul,
    multiply_quantized,
    multiply_quantized_long,
)

LOW, TOP = -2 ** 31, 2 ** 31 - 1
SUMS     = [LOW, LOW + 1, TOP, TOP - 1, 0, 1, -1, 2, -2, 3, -3,
            *(sign * 2 ** place + step for place in (7, 8, 15, 16, 29, 30) for sign in (-1, 1)
              for step in (-1, 0, 1))]
FACTORS  = [0, 2 ** 30, 2 ** 30 + 1, 3 * 2 ** 29, 0x5a827999, 0x7ffeffff, 0x7fff0000, TOP]


def sums_of(bits, key):
    rng = random_of(key)
    wide = rng.integers(-2 ** 62, 2 ** 62, 40) >> rng.integers(62 - bits, 62, 40)
    return np.array([*SUMS, *wide.tolist()], np.int64)


@pytest.mark.parametrize("exponent", range(-31, 31))
def test_factors_of_32_bits_round_twice(exponent):
    values = sums_of(31, exponent + 31)

    for multiplier in FACTORS:
        expected = [multiplied(value, multiplier, exponent) for value in values.tolist()]
        assert multiply_quantized(values, multiplier, exponent).tolist() == expected


@pytest.mark.parametrize("exponent", range(-31, 8))
def test_factors_of_64_bits_round_once(exponent):
    values = sums_of(50, exponent + 31)

    for multiplier in FACTORS:
        expected = [multiplied_long(value, multiplier, exponent) for value in values.tolist()]
        assert multiply_quantized_long(values, multiplier, exponent).tolist() == expected


def test_factors_of_every_output():
    values  = np.array([[1000, -1000, 77], [TOP, LOW, 0]], np.int64)
    factors = np.array([2 ** 30, 3 * 2 ** 29, 2 ** 30]), np.array([-3, 2, 0])

    for function, single in ((multiply_quantized, multiplied),
                             (multiply_quantized_long, multiplied_long)):
        expected = [[single(value, *map(int, factor)) for value, factor
                     in zip(row, zip(*factors, strict=True), strict=True)]
                    for row in values.tolist()]
        assert function(values, *factors).tolist() == expected


@pytest.mark.parametrize(("value", "multiplier", "exponent", "expected"), [
    # 3/8 is less than a half, but 1.5 becomes 2, and 2/4 becomes 1.
    (3, 2 ** 30, -2, 1),
    # Below zero the first rounding goes up, to -1, and -1/4 is 0.
    (-3, 2 ** 30, -2, 0),
    # Halves of the second one go away from zero: -2/4.
    (-4, 2 ** 30, -2, -1),
    # What is shifted left wraps.
    (2 ** 30, 2 ** 30, 1, -2 ** 30)])
def test_roundings_by_hand(value, multiplier, exponent, expected):
    assert multiply_quantized(value, multiplier, exponent) == expected


@pytest.mark.parametrize(("value", "multiplier", "exponent", "expected"), [
    (3, 2 ** 30, -2, 0), (4, 2 ** 30, -2, 1), (-4, 2 ** 30, -2, 0), (-5, 2 ** 30, -2, -1),
    # The multiplier of almost 1 is 0x7fff: a value of 17 bits shows it.
    (2 ** 16, TOP, 0, 2 ** 16 - 2),
    # Two of 31 bits that 15 bits cannot tell.
    (2 ** 20, 2 ** 30 + 2 ** 15 - 1, 0, 2 ** 19), (2 ** 20, 2 ** 30 + 2 ** 15, 0, 2 ** 19 + 32)])
def test_short_factors_by_hand(value, multiplier, exponent, expected):
    assert multiply_quantized_long(value, multiplier, exponent) == expected


def test_high_halves_of_products():
    for a, b in product(SUMS, SUMS):
        exact = (2 * a * b + 2 ** 31) // 2 ** 32
        assert doubling_high_mul(a, b) == min(exact, TOP), (a, b)
    assert doubling_high_mul(LOW, LOW) == TOP


@pytest.mark.parametrize("exponent", range(32))
def test_division_by_powers_of_two(exponent):
    values = sums_of(31, exponent)

    expected = [away(Fraction(value, 2 ** exponent)) for value in values.tolist()]
    assert divide_by_power(values, exponent).tolist() == expected


def test_division_by_counts():
    for count in (*range(1, 50), 1000, 65535):
        values   = np.array([-count, -1, 0, 1, count, *range(-3 * count // 2, 3 * count, 1 + count
                                                             // 50), TOP - count, LOW + count])
        expected = [away(Fraction(value, count)) for value in values.tolist()]
        assert divide_rounded(values, count).tolist() == expected


def test_values_wrap():
    assert [wrapped(value) for value in (TOP + 1, LOW - 1, 2 ** 32)] == [LOW, TOP, 0]
