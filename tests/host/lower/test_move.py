# SPDX-License-Identifier: Apache-2.0
"""Kernels that move elements, as passes against the golden kernels."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, dtypes, noise, shapes, sizes, tensors
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden.mli1 import (
    Concat,
    Conv2d,
    Layout,
    Padding2d,
    Permute,
    Rectify,
    Relu,
    Subtensor,
    Tensor,
)
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Op
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan

some_shapes = shapes.filter(len)


@st.composite
def concats(draw):
    """A Concat and 1 to 8 inputs."""
    shape, dtype = draw(some_shapes), draw(dtypes)
    axis   = draw(st.integers(0, len(shape) - 1))
    counts = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    return Concat(axis), *(
        draw(tensors(st.just((*shape[:axis], count, *shape[axis + 1:])), st.just(dtype),
                     st.just(4))) for count in counts)


@st.composite
def paddings(draw):
    """A Padding2d and its input."""
    pad = tuple(draw(st.sampled_from([0, 0, 1, 2, 5])) for _ in range(4))
    shape = st.tuples(*[st.integers(1, 9)] * 3)
    return Padding2d(pad, draw(st.sampled_from(Layout))), draw(tensors(shape))


@st.composite
def permutes(draw):
    """A Permute and its input."""
    x = draw(tensors(some_shapes))
    return Permute(tuple(draw(st.permutations(range(x.data.ndim))))), x


@st.composite
def subtensors(draw):
    """A Subtensor and its input."""
    x = draw(tensors(some_shapes))
    start = tuple(draw(st.integers(0, size - 1))
                  for size in x.shape[:draw(st.integers(1, x.data.ndim))])
    left = x.shape[len(start) - 1] - start[-1]
    return Subtensor(start, draw(st.integers(1, left))), x


moves = st.one_of(concats(), paddings(), permutes(), subtensors())


@settings(max_examples=examples(500), **SETTINGS)
@given(sizes, moves)
def test_equals_golden(config, call):
    assert_equals_golden(config, *call)


@each_size
def test_one_dimension_of_odd_sizes_wastes_less_than_a_group(config):
    rng = random_of(1)
    xs  = [noise(rng, (count,), np.int8, 7) for count in (1, 2001, 3, 1503)]
    plan = assert_equals_golden(config, Concat(0), *xs).plan
    assert plan.target.groups * config.ways - 3508 < 4 * config.ways


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_a_permutation_by_itself_moves_elements(order):
    """One element a cycle, or a group where runs stay or whole blocks change places."""
    x = noise(random_of(1), (8, 8, 4), np.int8, 7)
    [pass_] = assert_equals_golden(BASE, Permute(order), x).plan.program
    assert pass_.accumulate.op is (Op.MAC if order[2] == 2 else Op.SPREAD)


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_a_permutation_between_others_is_free(order):
    x = noise(random_of(1), (8, 6, 4), np.int8, 7)
    plan = Plan(BASE, [Rectify(Relu.GEN), Permute(order), Rectify(Relu.RELU6)], x)
    assert [len(step.passes) for step in plan.steps] == [1, 0, 1]


@pytest.mark.parametrize("layout", Layout)
def test_padding_of_a_single_channel_lies_along_a_row_or_column(layout):
    shape = (1, 30, 50) if layout is Layout.CHW else (30, 50, 1)
    x = noise(random_of(1), shape, np.int8, 7)
    plan = assert_equals_golden(BASE, Padding2d((1, 2, 3, 4), layout), x).plan
    assert plan.target.groups * BASE.ways < 2 * 33 * 57


def weights(*shape):
    return noise(random_of(1), shape, np.int8, 7)


CONV = Conv2d(weights(6, 5, 3, 3), weights(6), 5)
NETWORKS = {
    "HWC input": ((9, 8, 5), [Permute((2, 0, 1)), CONV, Permute((1, 2, 0)), Rectify(Relu.GEN)]),
    "padded": ((5, 6, 6), [Padding2d((1, 1, 2, 0)), CONV, Padding2d((0, 3, 0, 0)),
                           Conv2d(weights(4, 6, 1, 1), weights(4), 3)]),
    "part": ((4, 5, 6, 7), [Subtensor((2,), 1), Subtensor((0,), 1), Permute((1, 2, 3, 0))]),
    "strip": ((9, 8, 5), [Subtensor((2,), 6), Permute((2, 0, 1)), CONV]),
    "strip of one of two": ((2, 9, 8, 5), [Subtensor((1, 2), 6), Permute((2, 0, 1)), CONV]),
    "rows": ((5, 9, 7), [CONV, Permute((1, 2, 0)), Subtensor((3, 1), 4)]),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_next_layer_finds_its_input_as_it_needs_it(name):
    shape, layers = NETWORKS[name]
    x = weights(*shape)
    plan = Plan(BASE, layers, x)
    with MachineDevice(BASE) as device:
        plan.load(device)
        outputs = plan.run(device, x).outputs
    for layer, output in zip(layers, outputs, strict=True):
        x = golden.run(layer, x).output
        assert output == x, layer


def test_refuses_to_keep_what_does_not_fit():
    layers = [Rectify(Relu.GEN), Permute((1, 0))]
    with pytest.raises(ValueError, match=r"^Layer 0 \(Rectify\): its output needs 9000 bytes of "
                                         "X memory: of its 16384 bytes 7384 are free"):
        Plan(TINY, layers, Tensor(np.zeros((150, 60), np.int8), 7), keep=True)


def test_refuses_inputs_that_do_not_fit_together():
    x = Tensor(np.zeros((3, 3000), np.int8), 7)
    with pytest.raises(Refusal, match=r"^Layer 0 \(Concat\): its input 1 needs 9000 "):
        Plan(TINY, [Concat(1)], x, x)
