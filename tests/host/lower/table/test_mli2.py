# SPDX-License-Identifier: Apache-2.0
"""Tables of MLI 2.0 as passes against the golden kernels and the library."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import assert_equals_golden, shapes, sizes
from tests.support.seed import SEED, examples, random_of
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor, Sigmoid, Tanh
from xymac.hdl.config import TINY

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}

kinds  = st.sampled_from([Sigmoid, Tanh])
builds = st.sampled_from(list(Build))
#: Mostly such that arguments are within the tables, often not.
scales = st.builds(Affine, st.one_of(st.integers(-128, 127), st.integers(-32768, 32767)),
                   st.integers(1, 32767), st.one_of(st.integers(8, 24), st.integers(-128, 127)))
fracs  = st.builds(Fixed, st.one_of(st.integers(-2, 24), st.integers(-128, 127)))


def every_value(element, kind):
    """All 8-bit values, or 16-bit ones in small steps and around the ends of the tables."""
    values = np.arange(-128, 128)
    if element is Element.FX_16:
        near   = np.arange(-3, 4)[:, None] + 32 * np.arange(-173, 174, 7) * 4
        values = np.concatenate([np.arange(-32768, 32768, 97), near.ravel(), [32767]])
    return QuantTensor(values.astype(element.dtype), element, kind)


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, kinds, builds, scales)
def test_every_sa8_value(config, layer, build, kind):
    assert_equals_golden(config, layer(build), every_value(Element.SA_8, kind))


@settings(max_examples=examples(80), **SETTINGS)
@given(sizes, kinds, builds, st.sampled_from([Element.FX_8, Element.FX_16]), fracs)
def test_fixed_point_values(config, layer, build, element, kind):
    assert_equals_golden(config, layer(build), every_value(element, kind))


@settings(max_examples=examples(30), **SETTINGS)
@given(sizes, kinds, shapes, scales)
def test_shapes(config, layer, shape, kind):
    data = random_of(1).integers(-128, 128, shape, np.int8)
    assert_equals_golden(config, layer(), QuantTensor(np.asarray(data, np.int8), Element.SA_8,
                                                      kind))


@pytest.mark.parametrize("frac_bits", range(-20, 6))
def test_last_entry_of_a_table_whose_last_two_differ(frac_bits):
    x = QuantTensor(np.arange(-400, 400, dtype=np.int16), Element.FX_16, Fixed(frac_bits))
    run = assert_equals_golden(TINY, Tanh(Build.CONVERGENT_FULL), x)
    assert frac_bits > 0 or run.output.data.max() == 32767
