# SPDX-License-Identifier: Apache-2.0
"""Shifts, limits and products of whole numbers of any size, against fractions."""

import numpy as np
import pytest

from tests.support.naive.kit import limited, rounded
from tests.support.seed import random_of
from xymac.host.kit.rounding import Limit, Rounding, add, limit, multiply, shift_left, shift_right

EDGES = sorted({sign * (base + step) for sign in (-1, 1) for step in (-1, 0, 1)
                for base in (0, 1, 2, 3, 6, 127, 128, 1 << 31, (1 << 31) * 3, 1 << 61, 1 << 62,
                             (1 << 62) - 1, 1 << 70)})
SHIFTS = (-70, -3, -1, 0, 1, 2, 3, 8, 31, 32, 61, 62, 63, 64, 70, 80)


def arrays(values):
    """The same as int64, if that holds them, and as Python's ints."""
    yield np.array(values, object)
    if max(map(abs, values)) < 1 << 62:
        yield np.array(values, np.int64)


@pytest.mark.parametrize("bits", [0, 32, 64])
@pytest.mark.parametrize("rounding", Rounding)
def test_every_shift_of_edges(rounding, bits):
    for shift in SHIFTS:
        for values in (EDGES, [edge for edge in EDGES if abs(edge) < 1 << 62]):
            wanted = [rounded(value, shift, rounding, bits) for value in values]
            for x in arrays(values):
                shifts = np.full(x.shape, shift)
                assert shift_right(x, shifts, rounding, bits).tolist() == wanted, (shift, x.dtype)


@pytest.mark.parametrize("rounding", Rounding)
def test_shifts_of_each_element(rounding):
    rng    = random_of(901)
    values = rng.integers(-1 << 61, 1 << 61, 500) >> rng.integers(0, 62, 500)
    shifts = rng.integers(-4, 70, 500)

    actual = shift_right(values, shifts, rounding)

    assert actual.tolist() == [rounded(int(value), int(shift), rounding)
                               for value, shift in zip(values, shifts, strict=True)]


@pytest.mark.parametrize("kind", Limit)
@pytest.mark.parametrize("bits", [1, 8, 24, 32, 62, 63, 64])
def test_limits_of_edges(bits, kind):
    for x in arrays(EDGES[3:-3]):
        assert limit(x, bits, kind).tolist() == [limited(edge, bits, kind) for edge in x.tolist()]


def test_nothing_overflows():
    big = np.array([(1 << 62) - 1, -(1 << 61)])
    assert multiply(big, big).tolist() == [((1 << 62) - 1) ** 2, 1 << 122]
    assert add(add(big, big), big).tolist() == [3 * ((1 << 62) - 1), -3 << 61]
    assert shift_left(big, np.array([1, 70])).tolist() == [(1 << 63) - 2, -1 << 131]
