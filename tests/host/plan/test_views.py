# SPDX-License-Identifier: Apache-2.0
"""Tensors that are joined lie in the joined one from the start."""

import numpy as np
import pytest

from tests.support.lowered import noise
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.sizes import each_name, each_size
from xymac import golden
from xymac.golden import mli2
from xymac.golden.mli1 import (
    AvePool,
    Concat,
    Conv2d,
    Layout,
    LeakyRelu,
    MaxPool,
    Rectify,
    Relu,
    Tanh,
    Tensor,
)
from xymac.golden.mli2 import Affine, Element, QuantTensor
from xymac.hdl.config import BASE, SIZES
from xymac.hdl.isa import Memory
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan
from xymac.sim.benchmarks.quantised import UNIT, affine_conv

from .test_graph import assert_plan_equals_golden, conv, weights

X = weights(6, 6, 6)
#: 5 and 3 channels by convolutions, the 6 of the input by pooling, in one tensor.
PARTS = [Node(conv(5, 6), (0,)), Node(MaxPool((3, 3), (1, 1), pad=(1,) * 4), (0,)),
         Node(conv(3, 6), (0,))]
LEAKY = LeakyRelu(Tensor(np.array(32, np.int8), 7))


def quantised_parts():
    """The same of MLI 2.0, and its input."""
    rng   = random_of(4)
    first = affine_conv(mli2.Conv2d, (3, 3, 6, 5), (7, 6, 6), rng)
    other = affine_conv(mli2.Conv2d, (3, 3, 6, 9), (7, 6, 6), rng)[0]
    pool  = mli2.MaxPool((3, 3), (1, 1), (1,) * 4)
    return [Node(first[0], (0,)), Node(pool, (0,)), Node(other, (0,)),
            Node(mli2.Concat(2), (2, 1, 3))], first[1]


@pytest.mark.parametrize("keep", [True, False])
@each_size
def test_joined_channels_need_no_copy(config, keep):
    plan = assert_plan_equals_golden(config, [*PARTS, Node(Concat(0), (3, 1, 2))], X, keep=keep)

    *parts, joined = plan.steps
    assert len(joined.passes) == 0
    assert [part.target.distance for part in parts] == [joined.target.pitch] * 3
    assert len({part.target.base for part in parts}) == 3


def activated_parts():
    """A convolution's output through an activation into the joined tensor, and the input."""
    nodes = [Node(Rectify(Relu.GEN), (3,)), Node(Tanh(), (4,)), Node(Concat(0), (1, 5, 2))]
    return [*PARTS, *nodes], X


@pytest.mark.parametrize("parts", [quantised_parts, activated_parts])
@each_name
def test_parts_in_rtl(size, parts, rtl):
    """Every output is the golden one; around the tensors all stays as it was."""
    device, (nodes, x) = rtl(size), parts()
    device.harness.reset()
    plan = Plan(device.config, nodes, x)
    fill(device, seed=3)
    plan.load(device)
    rows   = device.config.x_rows * device.config.lanes
    before = device.read_cells(Memory.X, 0, rows)

    run = plan.run(device, x)

    values = [x]
    for node in nodes:
        values.append(golden.run(node.layer, *(values[number] for number in node.sources)).output)
    assert list(run.outputs) == values[1:]
    assert not plan.steps[-1].passes
    used = np.zeros(rows, bool)
    for image in (plan.source, *(step.target for step in plan.steps)):
        used[image.row * image.row_cells:(image.row + image.rows) * image.row_cells] = True
    assert np.array_equal(device.read_cells(Memory.X, 0, rows)[~used], before[~used])


def test_images_one_behind_the_other_need_no_copy():
    """Rows of an image joined as rows of a larger one: the parts follow one another."""
    layers = [Conv2d(weights(6, 1, 1, 6), weights(6), 7, layout=Layout.HWC) for _ in range(2)]
    nodes  = [*(Node(layer, (0,)) for layer in layers), Node(Concat(0), (1, 2))]

    plan = assert_plan_equals_golden(BASE, nodes, noise(random_of(2), (3, 5, 6),
                                                        np.int8, 7))

    first, second, joined = (step.target for step in plan.steps)
    assert not plan.steps[-1].passes
    assert (first.base, second.base) == (joined.base, joined.base + first.groups)


@pytest.mark.parametrize(("nodes", "copied"), [
    ([*PARTS, Node(Rectify(Relu.GEN), (1,)), Node(Concat(0), (3, 1, 2))], 1),  # read twice
    ([*PARTS, Node(Concat(0), (3, 1, 1))], 1),
    ([*PARTS, Node(Concat(0), (3, 0, 2))], 0),  # an input
    ([*PARTS, Node(LEAKY, (3,)), Node(Concat(0), (1, 4, 2))], 4),  # written whole
    ([*PARTS, Node(Concat(0), (1, 2)), Node(Concat(0), (4, 3))], 4)])
def test_a_value_with_other_readers_or_makers_is_copied(nodes, copied):
    plan   = assert_plan_equals_golden(BASE, nodes, X)
    images = [plan.source, *(step.target for step in plan.steps)]
    passes = [plan.program[index] for index in plan.steps[-1].passes]
    assert {pass_.operands.x.low for pass_ in passes} == {images[copied].base}
    assert sum(image.gap > 0 for image in images) > 0


def test_parts_take_no_room_of_their_own():
    """8 KiB in, two parts of 8 in a tensor of 16, in the 32 of X of the small core."""
    nodes = [Node(AvePool((1, 1), (1, 1)), (0,)), Node(MaxPool((1, 1), (1, 1)), (0,)),
             Node(Concat(0), (1, 2))]
    assert_plan_equals_golden(SIZES["small"], nodes, weights(8, 32, 32), keep=True)


def quantised(channels, kind=UNIT):
    return QuantTensor(np.zeros((2, 3, channels), np.int8), Element.SA_8, kind)


@pytest.mark.parametrize(("axis", "inputs", "message"), [
    (3, (quantised(4),), r"^axis must be between 0 and 2, not 3$"),
    (0, (), r"^Concat takes at least 1 tensor, not 0$"),
    (0, (quantised(4), quantised(5)),
     r"^Input 0 has shape \(2, 3, 4\), input 1 has \(2, 3, 5\), which may differ in"),
    (2, (quantised(4), quantised(5, Affine(1, 1 << 14, 14))),
     r"^Input 0 is SA_8 in the format Affine.*, input 1 SA_8 in Affine"),
    (2, (quantised(4, Affine((0,) * 4, (1,) * 4, (0,) * 4, 2)),) * 2,
     r"^Scales must not differ along the joined dimension 2$")])
def test_quantised_tensors_that_cannot_be_joined_are_refused(axis, inputs, message):
    with pytest.raises(ValueError, match=message):
        golden.run(mli2.Concat(axis), *inputs)
