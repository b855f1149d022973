# SPDX-License-Identifier: Apache-2.0
"""Activations and conversions as passes against the golden kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import assert_equals_golden, fracs, noise, sizes, tensors
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import each_size
from xymac.golden.mli1 import (
    ConvertTensor,
    LeakyRelu,
    Rectify,
    Relu,
    Sigmoid,
    Softmax,
    Tanh,
    Tensor,
)
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import ROUNDINGS, Op, RoundMode
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan
from xymac.host.plan.tiling.tiled import make_plan

SETTINGS  = {"derandomize": SEED.is_default, "deadline": None, "database": None}
roundings = st.sampled_from(ROUNDINGS)


@st.composite
def activations(draw):
    """A layer of one input, and the input."""
    x = draw(tensors())
    slope = draw(tensors(st.just((1,)), st.just(x.data.dtype)))
    rounding = draw(roundings)
    layer = draw(st.sampled_from([
        Rectify(draw(st.sampled_from(Relu))), Sigmoid(rounding), Tanh(rounding),
        LeakyRelu(slope, draw(st.booleans()), rounding),
        ConvertTensor(draw(st.sampled_from([8, 16])), draw(fracs), rounding)]))
    return layer, x


@settings(max_examples=examples(300), **SETTINGS)
@given(sizes, activations())
def test_equals_golden(config, call):
    assert_equals_golden(config, *call)


@pytest.mark.parametrize("kind", [Sigmoid, Tanh])
@pytest.mark.parametrize("frac_bits", [*range(25), 30, 31, 60, 255])
def test_every_element_of_every_format(kind, frac_bits):
    for dtype in (np.int8, np.int16):
        limits = np.iinfo(dtype)
        step   = 1 if dtype is np.int8 else 7
        data   = np.arange(limits.min, limits.max + 1, step).astype(dtype)
        assert_equals_golden(BASE, kind(RoundMode.UP), Tensor(data, frac_bits))


@each_size
@pytest.mark.parametrize("count", [1, 3, 4, 15, 16, 17, 6000])
def test_any_number_of_elements(config, count):
    assert_equals_golden(config, Rectify(Relu.RELU1),
                         noise(random_of(count), (count,), np.int8, 5))


@pytest.mark.parametrize(("frac_bits", "documented", "op"), [
    (14, False, Op.MAX), (14, True, Op.MAX), (15, False, Op.MIN), (15, True, Op.MAX)])
def test_a_slope_of_15_fractional_bits_is_that_of_the_library(frac_bits, documented, op):
    x     = noise(random_of(1), (40,), np.int16, 9)
    slope = Tensor(np.array([3000], np.int16), frac_bits)

    run = assert_equals_golden(TINY, LeakyRelu(slope, documented), x)

    assert [pass_.accumulate.op for pass_ in run.plan.program] == [Op.MAC, op]
    assert [pass_.control.wait for pass_ in run.plan.program] == [False, True]


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("frac_bits", [*range(0, 31, 5), 31, 40, 255])
def test_slopes_at_both_ends(frac_bits, rounding):
    for dtype in (np.int8, np.int16):
        limits = np.iinfo(dtype)
        values = np.array([limits.min, limits.min + 1, -2, -1, 0, 1, 2, limits.max], dtype)
        for value in (limits.min, limits.min + 1, -1, 0, 1, limits.max):
            slope = Tensor(np.array([value], dtype), frac_bits)
            assert_equals_golden(TINY, LeakyRelu(slope, rounding=rounding), Tensor(values, 3))


def test_what_does_not_fit_beside_its_input_takes_its_place():
    x = noise(random_of(0), (9000,), np.int8, 0)
    with pytest.raises(Refusal, match=r"^Layer 0 \(Rectify\): its output needs 9000 bytes "
                                              "of X memory: of its 16384 bytes 7384 are free"):
        Plan(TINY, [Rectify(Relu.GEN)], x, keep=True)
    assert_equals_golden(TINY, Rectify(Relu.GEN), x)


def test_what_cannot_be_cut_must_fit():
    x = noise(random_of(0), (16385,), np.int8, 0)
    with pytest.raises(Refusal, match=r"^Layer 0 \(Softmax\): its input needs 16392 bytes "
                                              "of X memory: of its 16384 bytes 16384 are free"):
        make_plan(TINY, [Softmax()], x)
    assert_equals_golden(TINY, Rectify(Relu.GEN), x)
