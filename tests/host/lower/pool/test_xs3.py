# SPDX-License-Identifier: Apache-2.0
"""Pooling of the XS3 library as passes against the golden kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, sizes
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac.golden import xs3
from xymac.golden.xs3 import Integers, Window
from xymac.hdl.config import TINY
from xymac.host.plan.plan import Plan

lows = st.sampled_from([-128, -127])


def image(rng, rows, cols, channels):
    return Integers(rng.integers(-128, 127, (rows, cols, channels), np.int8, endpoint=True))


@st.composite
def pools(draw):
    """A layer whose windows lie anywhere inside of its input, and that."""
    rng    = random_of(draw(st.integers(0, 999)))
    kernel = tuple(draw(st.integers(1, 4)) for _ in range(2))
    stride = tuple(draw(st.integers(1, 3)) for _ in range(2))
    out    = tuple(draw(st.integers(1, 3)) for _ in range(2))
    start  = tuple(draw(st.integers(0, 2)) for _ in range(2))
    behind = draw(st.integers(0, 2))
    rows, cols = (first + (count - 1) * step + size + behind for first, count, step, size
                  in zip(start, out, stride, kernel, strict=True))
    window = Window(out, start, stride)
    layer  = (xs3.MaxPool2d(kernel, window) if draw(st.booleans())
              else xs3.AvgPool2d(kernel, window, draw(lows)))
    return layer, image(rng, rows, cols, 4 * draw(st.integers(1, 6)))


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, pools())
def test_pools_equal_golden(config, call):
    assert_equals_golden(config, *call)


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, st.integers(-1 << 20, 1 << 20), st.integers(-128, 127), st.integers(0, 31), lows,
       st.integers(1, 5), st.integers(1, 5), st.integers(1, 20))
def test_global_means_equal_golden(config, bias, scale, shift, low, rows, cols, words):
    x = image(random_of(rows), rows, cols, 4 * words)
    assert_equals_golden(config, xs3.AvgPool2dGlobal(bias, scale, shift, low), x)


@each_size
@pytest.mark.parametrize("value", [-128, 127])
def test_means_of_extremes(config, value):
    """Those of 27 elements reach the lower bound, and are not rounded beyond the upper one."""
    x = Integers(np.full((3, 9, 4), value, np.int8))
    for low in (-128, -127):
        assert_equals_golden(config, xs3.AvgPool2d((3, 9), Window((1, 1)), low), x)
    assert_equals_golden(config, xs3.MaxPool2d((3, 9), Window((1, 1))), x)


@each_size
@pytest.mark.parametrize("kernel", [(1, 257), (27, 19), (5, 51), (7, 73)])
def test_means_whose_factor_is_at_its_limits(config, kernel):
    """Just above a power of two it has a bit more than its 7."""
    x = image(random_of(kernel), kernel[0] + 1, kernel[1] + 1, 4)
    assert_equals_golden(config, xs3.AvgPool2d(kernel, Window((2, 2))), x)


def test_a_pool_is_a_pass():
    x = image(random_of(0), 6, 6, 16)
    for layer in (xs3.MaxPool2d((2, 2), Window((3, 3), stride=(2, 2))),
                  xs3.AvgPool2d((3, 2), Window((2, 3), stride=(3, 2))),
                  xs3.AvgPool2dGlobal(5, 3, 4)):
        assert len(Plan(TINY, [layer], x).program) == 1
