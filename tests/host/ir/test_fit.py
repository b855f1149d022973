# SPDX-License-Identifier: Apache-2.0
"""Multipliers that compute given outputs, against plain Python ints and against trying them all."""

from fractions import Fraction
from math import floor, gcd

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.host.ir.fit import WEIGHT_MAX, find_fit, find_pairs

BYTES, WORDS = (-128, 127), (-32768, 32767)
TIE = 2 ** 30


def computed(fit, sums, limits):
    """Outputs of a scaled pass, by fractions: halves up, but an addend rounds ties away from 0."""
    low, high = limits
    return [min(max(floor(Fraction(value * fit.mul + (fit.addend if value >= 0 else -fit.addend),
                                   2 ** fit.post) + Fraction(fit.post > 0, 2)), low), high)
            for value in sums.tolist()]


@pytest.mark.parametrize("limits", [BYTES, (-100, 20), WORDS])
@pytest.mark.parametrize("power", [-50, -31, -24, -12, -3, 0, 5, 14, 31, 40])
def test_outputs_of_a_scale_are_computed_exactly(power, limits):
    rng  = random_of((power + 60, -limits[0]))
    gain = float(2.0 ** power * rng.uniform(1, 2))
    reach = min(int(limits[1] * 1.2 / gain) + 2, 2 ** 31 - 1)
    sums = np.unique(np.array([0, 1, -1, reach, -reach, *rng.integers(-reach, reach + 1, 300)]))
    outputs = np.array([min(max(floor(Fraction(gain) * value + Fraction(1, 2)), limits[0]),
                            limits[1]) for value in sums.tolist()])

    fit = find_fit(sums, gain, outputs, limits)

    assert fit is not None
    assert 0 <= fit.mul < 2 ** 31
    assert 0 <= fit.post <= (45 if limits is WORDS else 53)
    assert computed(fit, sums, limits) == outputs.tolist()
    assert fit.records == (fit.post << 37 | fit.mul, fit.addend)


def test_ties_are_rounded_away_from_zero_by_an_addend():
    sums    = np.arange(-254, 255)
    outputs = np.sign(sums) * ((np.abs(sums) + 1) // 2)

    fit = find_fit(sums, 0.5, outputs, BYTES)

    assert (fit.post, fit.addend) == (32, TIE)
    assert computed(fit, sums, BYTES) == outputs.tolist()


def test_ties_are_rounded_up_without_an_addend():
    sums    = np.arange(-300, 301)
    outputs = (3 * sums + 4) // 8

    fit = find_fit(sums, 0.375, outputs, BYTES)

    assert (fit.mul, fit.post, fit.addend) == (3 << 29, 32, 0)
    assert computed(fit, sums, BYTES) == outputs.tolist()


@pytest.mark.parametrize(("gain", "limits", "post"), [
    (0.0, BYTES, 53), (0.0, (-511, 511), 53), (0.0, WORDS, 45), (2.0 ** 31, BYTES, 0),
    (2.0 ** 40, BYTES, 0), (2.0 ** 30, BYTES, 1), (1.0, BYTES, 31)])
def test_shifts_are_the_largest_that_fit(gain, limits, post):
    sums = np.array([-1, 0, 1])

    fit = find_fit(sums, gain, np.clip(sums * gain, *limits).astype(int), limits)

    assert (fit.post, fit.addend) == (post, TIE if post > 31 else 0)


def test_no_gain_makes_every_output_0():
    sums = np.arange(-9, 10)

    fit = find_fit(sums, 0.0, np.zeros(19, int), BYTES)

    assert computed(fit, sums, BYTES) == [0] * 19


def test_a_fit_exists_where_some_multiplier_computes_the_outputs():
    """Every function of three sums to three outputs, against all multipliers with one shift."""
    sums  = np.array([-3, 0, 2])
    gain  = 2.0 ** 29  # with a shift of 2
    found = {}
    for mul in range(40):
        outputs = tuple((value * mul + 2) >> 2 for value in sums.tolist())
        found.setdefault(outputs, mul)
    limits = (-10, 10)
    clipped = {tuple(min(max(value, -10), 10) for value in each) for each in found}
    for a in range(-10, 3):
        for b in (-1, 0, 1):
            for c in range(-3, 11):
                fit = find_fit(sums, gain, np.array([a, b, c]), limits)
                assert (fit is not None) == ((a, b, c) in clipped), (a, b, c)
                assert fit is None or computed(fit, sums, limits) == [a, b, c]


@pytest.mark.parametrize("ratio", [0.0, 1.0, -1.0, 0.5, -1 / 3, 0.7071, -0.0123])
def test_pairs_are_the_nearest_quotients(ratio):
    pairs = list(find_pairs(ratio, 50, 4))

    known = sorted((abs(Fraction(round(a * ratio), a) - Fraction(ratio)), a, round(a * ratio))
                   for a in range(1, 51) if gcd(a, round(a * ratio)) == 1)
    assert len(pairs) == min(4, len(known))
    for (a, b), (error, first, second) in zip(pairs, known, strict=False):
        assert (a, b) == (first * (WEIGHT_MAX // first), second * (WEIGHT_MAX // first))
        assert abs(Fraction(b, a) - Fraction(ratio)) == error
