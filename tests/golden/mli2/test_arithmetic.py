# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of MLI 2.0 against fractions, single values and whole arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive import mli2 as naive
from tests.support.seed import SEED
from xymac.golden.mli2 import Build
from xymac.golden.mli2.arithmetic import norm, shift_left, shift_round
from xymac.golden.parameters.mli2.rounding import normalise, scale_ratio

WIDTHS = (8, 16, 32, 64)


def edges(bits):
    top = 2 ** (bits - 1)
    return sorted({0, 1, -1, 2, 3, -3, top - 1, top - 2, -top, 1 - top, top // 2, -top // 2,
                   top // 3, -top // 3})


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("bits", WIDTHS)
def test_shift_round_at_every_shift(bits, build):
    values = edges(bits)
    shifts = list(range(-bits - 2, bits + 3))

    shifted = shift_round(np.array(values, np.int64)[:, None], np.array(shifts), bits,
                          build.rounding)

    assert shifted.tolist() == [[naive.rounded(value, shift, bits, build) for shift in shifts]
                                for value in values]


def test_rounding_up_saturates_at_the_width():
    up, even = Build.UP_FULL.rounding, Build.CONVERGENT_FULL.rounding
    assert shift_round(32767, 1, 16, up) == 16383
    assert shift_round(32767, 1, 16, even) == shift_round(32767, 1, 32, up) == 16384
    assert shift_round(-32768, 15, 16, up) == -1
    assert shift_round([-32768, 32767], 16, 16, up).tolist() == [0, 0]


@pytest.mark.parametrize("bits", WIDTHS)
def test_shift_left_saturates_and_rounds_down(bits):
    for value in edges(bits):
        for places in range(-bits - 1, bits + 2):
            exact = value * 2 ** places if places >= 0 else value >> -places
            assert int(shift_left(value, places, bits)) == naive.saturated(exact, bits)


@pytest.mark.parametrize("bits", [16, 32])
def test_norm_counts_redundant_sign_bits(bits):
    values = [value + step for place in range(bits - 1) for value in (2 ** place, -2 ** place)
              for step in (-1, 0, 1)]
    values = [value for value in (*values, *edges(bits)) if value == naive.saturated(value, bits)]
    assert norm(values, bits).tolist() == [naive.norm(value, bits) for value in values]


@settings(derandomize=SEED.is_default, deadline=None)
@given(st.integers(-2 ** 31, 2 ** 31 - 1), st.sampled_from(Build))
def test_normalise(value, build):
    assert normalise(value, 32, 16, build.rounding) == naive.scaled_to_16(value, build)


@settings(derandomize=SEED.is_default, deadline=None)
@given(st.integers(1, 32767), st.integers(1, 32767), st.integers(0, 16), st.sampled_from(Build))
def test_scale_ratio(scale, out_scale, places, build):
    assert scale_ratio(scale, out_scale, places, build.rounding) == naive.rescaled(
        scale, out_scale, places, build)
