# SPDX-License-Identifier: Apache-2.0
"""Conversion of tensors against plain loops over Python ints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.mli1 import divide, random_tensor
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import ConvertTensor, Tensor, convert_tensor
from xymac.hdl.isa import ROUNDINGS, RoundMode


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(300))
@given(st.integers(0, 2 ** 32 - 1), st.lists(st.integers(1, 5), max_size=4).map(tuple),
       st.sampled_from([np.int8, np.int16]), st.integers(0, 255), st.integers(-20, 45),
       st.sampled_from([8, 16]), st.sampled_from(ROUNDINGS))
def test_convert_matches_loops(seed, shape, dtype, frac_bits, shift, bits, rounding):
    x        = random_tensor(random_of(seed), shape, dtype, frac_bits)
    out_frac = max(0, min(frac_bits - shift, 255))

    result = run(ConvertTensor(bits, out_frac, rounding), x)

    assert result.output.data.ravel().tolist() == [
        divide(value, frac_bits - out_frac, rounding, bits) for value in x.data.ravel().tolist()]
    assert (result.output.shape, result.output.bits) == (shape, bits)
    assert (result.output.frac_bits, result.overflow) == (out_frac, False)
    assert convert_tensor(x, bits, out_frac, rounding=rounding) == result


@pytest.mark.parametrize(("rounding", "expected"), [
    (RoundMode.CONVERGENT, [127, 127, -128, 0, 2, 2, 0, -2]),
    (RoundMode.UP, [127, 127, -128, 1, 2, 3, 0, -1])])
def test_saturation_and_ties(rounding, expected):
    x = Tensor(np.array([32767, 254, -32768, 1, 3, 5, -1, -3], np.int16), 5)
    assert convert_tensor(x, 8, 4, rounding=rounding).output.data.tolist() == expected


X = Tensor(np.ones(3, np.int8), 4)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (ConvertTensor(32, 4), X, r"^bits must be 8 or 16, not 32$"),
    (ConvertTensor(8, 256), X, r"^frac_bits must be between 0 and 255, not 256$"),
    (ConvertTensor(8, 4), Tensor(np.ones(0, np.int8), 4), r"^Input must not be empty, but has "),
    (ConvertTensor(8, 4), Tensor(np.ones((1,) * 5, np.int8), 4),
     r"^Input must have at most 4 dimensions, not 5$"),
])
def test_refusals(layer, x, message):
    with pytest.raises(ValueError, match=message):
        run(layer, x)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (ConvertTensor(8, 4), X.data, r"^Input must be a Tensor, not ndarray$"),
    (ConvertTensor(8, None), X, r"^frac_bits must be an int, not NoneType$"),
    (ConvertTensor(8, 4, 1), X, r"^rounding must be a RoundMode, not int$"),
])
def test_type_refusals(layer, x, message):
    with pytest.raises(TypeError, match=message):
        run(layer, x)
