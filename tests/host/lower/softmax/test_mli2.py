# SPDX-License-Identifier: Apache-2.0
"""Softmax of MLI 2.0 as passes against the golden kernels and the library."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import assert_equals_golden, assert_plan, sizes
from tests.support.seed import SEED, examples, random_of
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor, Softmax
from xymac.hdl.config import SMALL, TINY
from xymac.host.plan.plan import Plan

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}

builds = st.sampled_from(list(Build))
shapes = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)
scales = st.builds(Affine, st.integers(-128, 127), st.integers(1, 32767),
                   st.one_of(st.integers(10, 24), st.integers(-128, 127)))
fracs  = st.builds(Fixed, st.one_of(st.integers(0, 24), st.integers(-128, 127)))


@st.composite
def tensors(draw):
    """Noise that fills its type, or the lower bits of it, on any level."""
    rng, shape = random_of(draw(st.integers(0, 999))), draw(shapes)
    element = draw(st.sampled_from([Element.FX_16, Element.SA_8]))
    info = np.iinfo(element.dtype)
    peak = draw(st.sampled_from([1, 20, info.max])) if draw(st.booleans()) else info.max
    data = rng.integers(-peak, peak, shape, endpoint=True)
    data = np.clip(data + draw(st.sampled_from([0, info.max, info.min])), info.min, info.max)
    return QuantTensor(data.astype(element.dtype), element,
                       draw(scales if element is Element.SA_8 else fracs))


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, builds, tensors(), st.integers(-1, 3))
def test_softmax(config, build, x, axis):
    assert_equals_golden(config, Softmax(min(axis, len(x.shape) - 1), build), x)


@pytest.mark.parametrize("frac_bits", range(11, 24))
def test_differences_beyond_16_bits(frac_bits):
    data = np.array([[32767, -32768, -32767, 0, -1, 1, -16000, 20000]], np.int16)
    assert_equals_golden(SMALL, Softmax(1, Build.CONVERGENT_FULL),
                         QuantTensor(data, Element.FX_16, Fixed(frac_bits)))


def test_many_sums_are_one_loop():
    plan = [len(Plan(TINY, [Softmax(1)], QuantTensor(np.zeros((count, 9), np.int8), Element.SA_8,
                                                     Affine(0, 1, 4))).program)
            for count in (2, 90)]
    assert plan[0] == plan[1] <= TINY.passes


def test_an_input_whose_runs_are_not_sums_is_moved():
    data = random_of(2).integers(-128, 128, (3, 2), np.int8)
    assert_plan(TINY, [Softmax(1), Softmax(0)], QuantTensor(data, Element.SA_8, Affine(0, 1, 4)))
