# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations as passes against the golden kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS, roundings
from tests.support.lowered import assert_equals_golden, assert_plan, fracs, noise, sizes, tensors
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac.golden.mli1 import Conv2d, Eltwise, EltwiseOp, Layout, Subtensor, Tensor
from xymac.hdl.config import BASE, SMALL
from xymac.hdl.isa import Memory, Op
from xymac.host.plan.graph import Node

ONES = (1,), (1, 1, 1), ()


@st.composite
def eltwises(draw):
    """A layer and both inputs, either of which may be a single element."""
    op = draw(st.sampled_from(EltwiseOp))
    a  = draw(tensors())
    shape = draw(st.sampled_from([a.shape, *ONES]))
    b  = draw(tensors(st.just(shape), st.just(a.data.dtype)))
    if draw(st.booleans()):
        a, b = b, a
    out = draw(st.one_of(st.none(), fracs)) if op is EltwiseOp.MUL else None
    return Eltwise(op, out, same_frac=False, rounding=draw(roundings)), a, b


@settings(max_examples=examples(400), **SETTINGS)
@given(sizes, eltwises())
def test_equals_golden(config, call):
    assert_equals_golden(config, *call)


@pytest.mark.parametrize("op", EltwiseOp)
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("shape", [(), (6, 9)])
def test_edges_of_the_container(op, dtype, shape):
    limits = np.iinfo(dtype)
    edges  = np.array([limits.min, limits.min + 1, -1, 0, 1, limits.max], dtype)
    for value in edges:
        a, b = Tensor(np.tile(edges[:, None], 9), 3), Tensor(np.full(shape, value), 3)
        assert_equals_golden(BASE, Eltwise(op), a, b)
        assert_equals_golden(BASE, Eltwise(op), b, a)


@each_size
@pytest.mark.parametrize("op", EltwiseOp)
def test_thousands_of_elements(config, op):
    rng = random_of(4)
    a, b = (noise(rng, (5, 1003), np.int8, 7) for _ in range(2))
    assert_equals_golden(config, Eltwise(op), a, b)


def test_one_pass_with_two_steps_an_output():
    rng = random_of(2)
    a, b = (noise(rng, (4, 4, 4), np.int8, 7) for _ in range(2))
    for op, expected in ((EltwiseOp.ADD, Op.MAC), (EltwiseOp.MIN, Op.MIN)):
        [pass_] = assert_equals_golden(SMALL, Eltwise(op), a, b).plan.program
        assert pass_.accumulate.op is expected
        assert (pass_.loop.outer, pass_.loop.taps) == ((1, 1, 8), (1, 1, 2))


def test_a_second_factor_is_uploaded_to_y():
    rng = random_of(3)
    a, b = (noise(rng, (4, 4, 4), np.int16, 7) for _ in range(2))

    plan = assert_equals_golden(SMALL, Eltwise(EltwiseOp.MUL), a, b).plan

    assert [image.memory for image in plan.sources] == [Memory.X, Memory.Y]
    assert len(plan.program) == 1


def test_what_does_not_fit_runs_in_tiles():
    a, b = (noise(random_of(seed), (2, 6000), np.int16, 7) for seed in range(2))
    assert len(assert_equals_golden(SMALL, Eltwise(EltwiseOp.ADD), a, b).plan.parts) > 1


@each_size
@pytest.mark.parametrize("first", range(4))
def test_a_factor_that_lies_within_a_row(config, first):
    """What is a part of another tensor, from any bank on, goes to Y from the first bank on."""
    rng   = random_of(first)
    x     = noise(rng, (3, 5, 5), np.int8, 4)
    conv  = Conv2d(noise(rng, (5, 1, 1, 5), np.int8, 6), noise(rng, (5,), np.int8, 6), 4,
                   layout=Layout.HWC)
    nodes = [Node(conv, (0,)), Node(Subtensor((1, first), 1), (1,)),
             Node(Eltwise(EltwiseOp.MUL, 5), (2, 2))]

    assert_plan(config, nodes, x)
