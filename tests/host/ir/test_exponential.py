# SPDX-License-Identifier: Apache-2.0
"""Exponentials, reciprocals, shares and logarithms of the lowering against single Python ints."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from tests.support.naive import tflm_curves as naive
from tests.support.naive.tflm import away, quantised
from tests.support.seed import random_of
from xymac.host.ir.exponential import BELOW, exponentials, logarithm, reciprocal, share

TOP = 2 ** 31 - 1


def argument_of(scale):
    """Multiplier, exponent and least difference of a scale."""
    multiplier, exponent = quantised(scale * 2.0 ** 26)
    return multiplier, exponent, -floor(31 * 2.0 ** (26 - exponent))


@pytest.mark.parametrize("scale", [
    2.0 ** -25, 2.0 ** -20, 2.0 ** -9, 0.0078, 0.02, 0.0625, 0.147, 0.25, 0.5, 1.0, 2.0, 3.3, 9.0])
def test_exponentials_of_all_differences(scale):
    multiplier, exponent, least = argument_of(scale)

    made = exponentials(multiplier, exponent, least)

    assert BELOW.tolist() == list(range(-255, 1))
    assert made.tolist() == [
        naive.exponential(naive.high(below * 2 ** exponent, multiplier), 5) if below >= least
        else 0 for below in range(-255, 1)]


def test_reciprocals():
    x = np.array([0, 1, 2 ** 30, TOP - 1, TOP, *random_of(2).integers(0, 2 ** 31, 500)])

    assert reciprocal(x).tolist() == [naive.reciprocal(value) for value in x.tolist()]


def test_logarithms():
    turns = [2 ** power + step for power in range(19, 31) for step in (-1, 0, 1)]
    turns += [round(2 ** (power + 0.5)) + step for power in range(19, 31) for step in (-1, 0, 1)]
    x = np.array([*turns[1:], TOP, *random_of(3).integers(2 ** 19, 2 ** 31, 500)])

    assert logarithm(x).tolist() == [naive.logarithm(value) for value in x.tolist()]


@pytest.mark.parametrize("bits", [8, 16])
def test_shares(bits):
    rng    = random_of(bits)
    sums   = np.array([2 ** 19, 2 ** 19 + 1, 2 ** 20 - 1, 2 ** 20, 2 ** 27 + 1, 2 ** 28 - 1,
                       *rng.integers(2 ** 19, 2 ** 28, 300)])
    powers = np.array([TOP, 0, 1, TOP - 1, 2 ** 30, TOP, *rng.integers(0, 2 ** 31, 300)])

    made = share(powers, sums, bits)

    expected = []
    for power, total in zip(powers.tolist(), sums.tolist(), strict=True):
        length  = total.bit_length()
        inverse = min(2 * naive.reciprocal(total * 2 ** (32 - length) - 2 ** 31), TOP)
        high    = naive.high(inverse, power)
        expected.append(away(Fraction(high, 2 ** (length + 11 - bits))))
    assert made.tolist() == expected
    assert share(powers, sums).tolist() == share(powers, sums, 8).tolist()
