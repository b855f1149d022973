# SPDX-License-Identifier: Apache-2.0
"""Sums of two vectors that saturate after the first product, as passes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, sizes
from tests.support.seed import examples, random_of
from xymac import golden
from xymac.golden import xs3
from xymac.golden.xs3 import Integers
from xymac.hdl.config import BASE, TINY
from xymac.host.lower.registry import find_lowering
from xymac.host.lower.saturating.add import SaturatingAddLowering
from xymac.host.plan.plan import Plan


def noise(seed, count):
    rng = random_of(seed)
    return Integers(rng.integers(-128, 127, count, np.int8, endpoint=True))


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, st.integers(1, 600), st.tuples(*[st.integers(-31, 31)] * 2),
       st.tuples(*[st.sampled_from([-32768, -20000, 1, 32767])] * 2),
       st.sampled_from([-1 << 31, 1 - (1 << 31), 0, (1 << 31) - 1]), st.integers(1, 31))
def test_sums_equal_golden(config, count, shifts, scales, bias, shift):
    layer = xs3.AddElementwise(shifts, scales, bias, shift)
    assert_equals_golden(config, layer, noise(count, count), noise(count + 1, count))


@pytest.mark.parametrize("config", [TINY, BASE])
def test_the_order_of_saturation_counts(config):
    """The limit forgets what the first product adds, not what the second one takes off."""
    layer = xs3.AddElementwise((-8, -8), (32767, -32768), (1 << 31) - 5, 24)
    a, b  = Integers(np.full(9, 100, np.int8)), Integers(np.arange(9, dtype=np.int8))
    exact = layer.bias + 25600 * 32767 - (np.arange(9) << 8) * 32768  # never below the limit

    run = assert_equals_golden(config, layer, a, b)

    assert isinstance(find_lowering(layer, (a, b), TINY.ways), SaturatingAddLowering)
    assert exact.min() > (1 << 31) - 1
    lowered = (1 << 31) - 1 - (np.arange(9) << 23)
    np.testing.assert_array_equal(run.output.data, np.minimum(lowered + (1 << 23) >> 24, 127))
    assert run.output.data.min() < 127


def test_longer_vectors_need_no_more_passes():
    layer   = xs3.AddElementwise((0, 0), (1, 1), (1 << 31) - 5, 24)
    lengths = [len(Plan(BASE, [layer], *[noise(0, count)] * 2).program) for count in (1600, 3200)]

    assert lengths[0] == lengths[1] < 10


def test_sums_that_fit_take_the_short_way():
    layer = xs3.AddElementwise((0, 0), (1, 1), 0, 24)
    assert not isinstance(find_lowering(layer, (noise(0, 4),) * 2, TINY.ways),
                          SaturatingAddLowering)
    assert golden.run(layer, noise(0, 4), noise(1, 4)).output.data.max() == 0
