# SPDX-License-Identifier: Apache-2.0
"""Elementwise kernels against plain loops over Python ints."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.mli1 import clip, divide, random_tensor
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import Eltwise, EltwiseOp, Tensor, eltwise
from xymac.hdl.isa import ROUNDINGS, RoundMode


def naive_eltwise(layer, a, b):
    """One plain loop over the elements."""
    first, second = a.data.ravel().tolist(), b.data.ravel().tolist()
    out_frac  = a.frac_bits if layer.out_frac_bits is None else layer.out_frac_bits
    shift     = a.frac_bits + b.frac_bits - out_frac
    functions = {
        EltwiseOp.ADD: lambda left, right: clip(left + right, a.bits),
        EltwiseOp.SUB: lambda left, right: clip(left - right, a.bits),
        EltwiseOp.MUL: lambda left, right: divide(left * right, shift, layer.rounding, a.bits),
        EltwiseOp.MIN: min, EltwiseOp.MAX: max}
    return [functions[layer.op](first[i % len(first)], second[i % len(second)])
            for i in range(max(len(first), len(second)))]


@st.composite
def calls(draw):
    """A legal layer and its inputs: any shape, either input a single element, any format."""
    shape  = draw(st.lists(st.integers(1, 4), max_size=4).map(tuple))
    single = st.sampled_from([(), (1,), (1, 1)])
    shapes = draw(st.sampled_from([(shape, shape), (shape, draw(single)), (draw(single), shape)]))
    rng    = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    dtype  = draw(st.sampled_from([np.int8, np.int16]))
    top    = draw(st.sampled_from([2, 20, 1 << 15]))
    op, a_frac = draw(st.sampled_from(EltwiseOp)), draw(st.integers(0, 255))
    b_frac, out_frac = a_frac, None
    if op is EltwiseOp.MUL:
        b_frac   = draw(st.integers(0, 255))
        shift    = draw(st.integers(-20, 45))
        out_frac = draw(st.sampled_from([None, max(0, min(a_frac + b_frac - shift, 255))]))
    a, b = (random_tensor(rng, shape, dtype, frac_bits, top)
            for shape, frac_bits in zip(shapes, (a_frac, b_frac), strict=True))
    return Eltwise(op, out_frac, rounding=draw(st.sampled_from(ROUNDINGS))), a, b


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(400))
@given(calls())
def test_eltwise_matches_loops(call):
    layer, a, b = call

    result = run(layer, a, b)

    assert result.output.data.ravel().tolist() == naive_eltwise(layer, a, b)
    assert result.output.shape == layer.output_shape(a.shape, b.shape)
    assert result.output.shape == (a.shape if a.data.size > b.data.size else b.shape)
    assert result.output.data.dtype == a.data.dtype
    assert result.output.frac_bits == (
        a.frac_bits if layer.out_frac_bits is None else layer.out_frac_bits)
    assert result.overflow is False
    assert eltwise(a, b, layer.op, out_frac_bits=layer.out_frac_bits,
                   rounding=layer.rounding) == result


def tensor(*values, dtype=np.int8, frac_bits=4):
    return Tensor(np.array(values, dtype), frac_bits)


@pytest.mark.parametrize(("op", "a", "b", "expected"), [
    (EltwiseOp.ADD, 127, 1, 127), (EltwiseOp.ADD, -128, -1, -128), (EltwiseOp.SUB, -128, 1, -128),
    (EltwiseOp.SUB, 0, -128, 127), (EltwiseOp.MIN, -1, 1, -1), (EltwiseOp.MAX, -1, 1, 1),
    (EltwiseOp.MUL, -128, -128, 127), (EltwiseOp.MUL, 5, 8, 2), (EltwiseOp.MUL, 7, 8, 4),
    (EltwiseOp.MUL, -5, 8, -2), (EltwiseOp.MUL, -7, 8, -4)])
def test_saturation_and_ties(op, a, b, expected):
    assert eltwise(tensor(a), tensor(b), op).output.data.tolist() == [expected]


def test_ties_up():
    out = eltwise(tensor(5, 7, -5, -7), tensor(8), EltwiseOp.MUL, rounding=RoundMode.UP)
    assert out.output.data.tolist() == [3, 4, -2, -3]


def test_different_fractional_bits_are_combined_as_integers():
    a, b = tensor(3, 4), tensor(10, -10, frac_bits=7)

    result = eltwise(a, b, EltwiseOp.SUB, same_frac=False)

    assert result.output == tensor(-7, 14)


A, B = tensor(1, 2), tensor(3, 4)
ADD  = Eltwise(EltwiseOp.ADD)


@pytest.mark.parametrize(("layer", "b", "message"), [
    (ADD, tensor(1, 2, 3), r"^First input has shape \(2,\), second input has \(3,\)$"),
    (ADD, tensor([1, 2]), r"^First input has shape \(2,\), second input has \(1, 2\)$"),
    (ADD, tensor(1, 2, dtype=np.int16), r"^First input has 8 bits, second input has 16$"),
    (ADD, tensor(1, 2, frac_bits=5), r"^First input has 4 fractional bits, second input has 5$"),
    (ADD, tensor(), r"^Second input must not be empty, but has shape \(0,\)$"),
    (replace(ADD, out_frac_bits=4), B,
     r"^out_frac_bits must be None for ADD, which takes those of the first input, not 4$"),
    (Eltwise(EltwiseOp.MUL, 256), B, r"^out_frac_bits must be between 0 and 255, not 256$"),
])
def test_refusals(layer, b, message):
    with pytest.raises(ValueError, match=message):
        run(layer, A, b)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (ADD, (A, 1), r"^Second input must be a Tensor, not int$"),
    (ADD, (None, B), r"^First input must be a Tensor, not NoneType$"),
    (ADD, (A,), r"^Inputs of Eltwise must be 2, not 1$"),
    (Eltwise("add"), (A, B), r"^op must be an EltwiseOp, not str$"),
    (replace(ADD, same_frac=0), (A, B), r"^same_frac must be a bool, not int$"),
    (replace(ADD, rounding=0), (A, B), r"^rounding must be a RoundMode, not int$"),
    (Eltwise(EltwiseOp.MUL, 1.5), (A, B), r"^out_frac_bits must be an int, not float$"),
])
def test_type_refusals(layer, inputs, message):
    with pytest.raises(TypeError, match=message):
        run(layer, *inputs)
