# SPDX-License-Identifier: Apache-2.0
"""Elementwise kernels of the XS3 library as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, sizes
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac.golden import xs3
from xymac.golden.xs3 import Integers
from xymac.hdl.config import BASE, TINY
from xymac.host.errors import accept
from xymac.host.frontend.xs3.binary import peak
from xymac.host.frontend.xs3.linear import LIMIT
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.plan import Plan

shapes = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)
lows   = st.sampled_from([-128, -127])
limits = st.integers(-31, 31)
scales = st.integers(-1 << 15, (1 << 15) - 1)


def noise(rng, shape, dtype=np.int8):
    limits = np.iinfo(dtype)
    return Integers(rng.integers(limits.min, limits.max, shape, dtype, endpoint=True))


@settings(max_examples=examples(40), **SETTINGS)
@given(sizes, shapes, lows)
def test_requantize_equals_golden(config, shape, low):
    x = noise(random_of(len(shape)), shape, np.int16)
    assert_equals_golden(config, xs3.Requantize16To8(low), x)


@pytest.mark.parametrize("low", [-128, -127])
def test_requantize_where_it_rounds(low):
    x = np.array([-32768, -32641, -32640, -32639, -129, -128, -127, 127, 128, 32639, 32640, 32767])
    assert_equals_golden(TINY, xs3.Requantize16To8(low), Integers(x.astype(np.int16)))


@settings(max_examples=examples(120), **SETTINGS)
@given(sizes, shapes, st.tuples(limits, limits), st.tuples(scales, scales),
       st.integers(-1 << 28, 1 << 28), st.integers(1, 31), lows)
def test_sums_equal_golden(config, shape, shifts, factors, bias, shift, low):
    """Those that can saturate, too."""
    rng = random_of(len(shape))
    assert_equals_golden(config, xs3.AddElementwise(shifts, factors, bias, shift, low),
                         noise(rng, shape), noise(rng, shape))


@pytest.mark.parametrize(("shifts", "passes"), [((0, 0), 1), ((-7, 0), 1), ((-8, 0), 3),
                                                ((1, 0), 3)])
def test_shifts_that_cannot_saturate_are_factors(shifts, passes):
    layer = xs3.AddElementwise(shifts, (100, -200), 12345, 9)
    x     = noise(random_of(0), (64,))

    assert len(Plan(BASE, [layer], x, x).program) == passes
    assert_equals_golden(BASE, layer, x, noise(random_of(1), (64,)))


def test_peak_is_the_largest_sum():
    a, b    = (grid.ravel() for grid in np.meshgrid(*[np.arange(-128, 128)] * 2))
    largest = np.abs(-99 + (a >> 2) * -30000 + np.clip(b << 9, -32767, 32767) * 7).max()
    bound   = peak(xs3.AddElementwise((2, -9), (-30000, 7), -99, 1))

    assert largest <= bound == largest + 2 * 99 < LIMIT


def test_inputs_that_lie_in_different_ways_are_refused():
    xs = [noise(random_of(0), (8,))] * 2
    images = TensorLayout.flat(xs[0], 4), replace(TensorLayout.flat(xs[0], 4), parts=(4, 4))
    with pytest.raises(ValueError, match=r"^The first input lies as .*, the second one as "):
        accept(find_lowering(
            xs3.AddElementwise((0, 0), (1, 1), 0, 1), xs, 4).find_target(images))


ends = st.integers(-128, 127)
EDGES = np.array([-128, -127, -2, -1, 0, 1, 2, 126, 127], np.int8)


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, shapes, st.tuples(ends, ends), scales, scales, limits)
def test_products_equal_golden(config, shape, zeros, scale, bias, shift):
    rng = random_of(len(shape))
    assert_equals_golden(config, xs3.MulElementwise(zeros, scale, bias, shift),
                         noise(rng, shape), noise(rng, shape))


@pytest.mark.parametrize("zeros", [(-128, -128), (127, 127), (-128, 127), (-1, 0)])
@pytest.mark.parametrize("shift", [-31, -16, -9, -8, -7, -1, 0, 1, 8, 31])
def test_products_at_both_ends(shift, zeros):
    a, b = (Integers(data.reshape(-1)) for data in np.meshgrid(EDGES, EDGES))
    for scale, bias in ((-32768, 32767), (32767, -32768), (1, 0), (0, 5), (16384, 64)):
        assert_equals_golden(TINY, xs3.MulElementwise(zeros, scale, bias, shift), a, b)


@each_size
def test_a_product_of_one_operand_with_itself_and_of_long_ones(config):
    x = noise(random_of(9), (37, 45))
    layer = xs3.MulElementwise((5, -7), 9000, 700, -2)
    assert_equals_golden(config, layer, x, x)
    assert_equals_golden(config, layer, x, noise(random_of(8), (37, 45)))


WORDS = np.array([-32768, -32767, -16384, -3, -1, 0, 1, 2, 32766, 32767], np.int16)
PAIRS = [Integers(data.reshape(-1)) for data in np.meshgrid(WORDS, WORDS)]


@pytest.mark.parametrize("scale", [-32768, -1, 0, 16384, 32767])
def test_words_at_both_ends(scale):
    a, b = PAIRS
    for other in (-32768, 3, 32767):
        assert_equals_golden(TINY, xs3.AddInt16((scale, other)), a, b)
    for shift in (1, 2, 15, 27, 31, 32):
        assert_equals_golden(TINY, xs3.MultiplyInt16(scale, shift), a, b)
    assert_equals_golden(TINY, xs3.RequantizeInt16(scale), a)


@settings(max_examples=examples(40), **SETTINGS)
@given(sizes, shapes, st.tuples(scales, scales), st.integers(1, 32))
def test_words_equal_golden(config, shape, factors, shift):
    rng  = random_of(len(shape))
    a, b = (noise(rng, shape, np.int16) for _ in range(2))
    assert_equals_golden(config, xs3.AddInt16(factors), a, b)
    assert_equals_golden(config, xs3.MultiplyInt16(factors[0], shift), a, b)
    assert_equals_golden(config, xs3.RequantizeInt16(factors[1]), a)


def test_a_sum_a_product_and_another_scale_of_words_take_one_pass():
    a, b = (noise(random_of(seed), (64,), np.int16) for seed in range(2))
    for layer, inputs in ((xs3.AddInt16((5, -6)), (a, b)), (xs3.MultiplyInt16(5, 6), (a, b)),
                          (xs3.RequantizeInt16(-9), (a,))):
        assert len(Plan(BASE, [layer], *inputs).program) == 1
