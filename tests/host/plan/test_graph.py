# SPDX-License-Identifier: Apache-2.0
"""Layers with several inputs, and values with several readers, in one program."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import noise, sizes
from tests.support.rtl_device import fill
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden import mli1
from xymac.golden.mli1 import (
    AvePool,
    Concat,
    Conv2d,
    DepthwiseConv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    LeakyRelu,
    MaxPool,
    Rectify,
    Relu,
    Sigmoid,
    Tensor,
)
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Memory
from xymac.host.device.device import MachineDevice
from xymac.host.plan.graph import Node, blank_values
from xymac.host.plan.plan import Plan
from xymac.host.plan.tiling.tiled import TiledPlan

RNG  = random_of(8)
SAME = {"pad": (1, 1, 1, 1)}
OPS  = [op for op in EltwiseOp if op is not EltwiseOp.MUL]


def weights(*shape):
    return noise(RNG, shape, np.int8, 7)


def conv(outputs, inputs):
    return Conv2d(weights(outputs, inputs, 3, 3), weights(outputs), 7, **SAME)


def golden_results(nodes, *inputs):
    """What the golden kernels return, one Result a node."""
    values, results = list(inputs), []
    for node in nodes:
        results.append(golden.run(node.layer, *(values[n] for n in node.sources)))
        values.append(results[-1].output)
    return results


def assert_plan_equals_golden(config, nodes, *inputs, keep=None):
    """Every output that is kept, and the last one, is the golden one."""
    plan = Plan(config, nodes, *inputs, keep=keep)
    with MachineDevice(config) as device:
        fill(device, seed=1)
        plan.load(device)
        run = plan.run(device, *inputs)
    expected = golden_results(nodes, *inputs)
    assert run.output == expected[-1].output
    for output, result, node in zip(run.outputs, expected, nodes, strict=True):
        assert output is None or output == result.output, node
    assert run.overflows == tuple(result.overflow for result in expected)
    return plan


RESIDUAL = [Node(conv(6, 6), (0,)), Node(Rectify(Relu.GEN), (1,)), Node(conv(6, 6), (2,)),
            Node(Eltwise(EltwiseOp.ADD), (3, 0)), Node(LeakyRelu(weights(1)), (4,))]
#: Channels that do not fill groups, side by side, and layers that read them.
INCEPTION = [Node(conv(5, 6), (0,)), Node(conv(3, 6), (0,)), Node(MaxPool((3, 3), (1, 1), **SAME),
                                                                 (0,)),
             Node(Concat(0), (1, 2, 3)),
             Node(DepthwiseConv2d(weights(14, 1, 3, 3), weights(14), 7, **SAME), (4,)),
             Node(Eltwise(EltwiseOp.MAX), (4, 5)), Node(AvePool((2, 2), (2, 2)), (6,)),
             Node(conv(9, 14), (7,)), Node(Concat(0), (7, 8)),
             Node(FullyConnected(weights(4, 23 * 9), weights(4), 3), (9,))]
#: A gate, multiplied by what it opens.
GATE = [Node(conv(6, 6), (0,)), Node(Sigmoid(), (1,)), Node(Eltwise(EltwiseOp.MUL, 7), (0, 2)),
        Node(Eltwise(EltwiseOp.MUL, 7), (3, 3))]
#: One number from all of the image, that everything else meets.
SCALAR = [Node(FullyConnected(weights(1, 216), weights(1), 7), (0,)),
          *(Node(Eltwise(op), sources) for op in OPS for sources in ((0, 1), (1, 0))),
          Node(Eltwise(EltwiseOp.MUL, 7), (1, 0)), Node(Eltwise(EltwiseOp.MUL, 7), (0, 1))]
GRAPHS = {"residual": RESIDUAL, "inception": INCEPTION, "gate": GATE, "scalar": SCALAR}


@pytest.mark.parametrize("keep", [True, False])
@each_size
@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_equal_golden(name, config, keep):
    assert_plan_equals_golden(config, GRAPHS[name], weights(6, 6, 6), keep=keep)


@st.composite
def graphs(draw):
    """Nodes over images of one size, each taking any values before it, and the input."""
    channels, nodes = [draw(st.integers(1, 9))], []

    def one():
        return draw(st.integers(0, len(channels) - 1))

    def like(number):
        return draw(st.sampled_from([n for n, count in enumerate(channels)
                                     if count == channels[number]]))

    for _ in range(draw(st.integers(1, 7))):
        source, outputs = one(), draw(st.integers(1, 9))
        kind = draw(st.sampled_from(["conv", "pool", "relu", "sigm", "concat", "eltwise"]))
        if kind == "concat":
            sources = (source, *(one() for _ in range(draw(st.integers(0, 2)))))
            node = Node(Concat(0), sources)
            outputs = sum(channels[n] for n in sources)
        elif kind == "eltwise":
            node = Node(Eltwise(draw(st.sampled_from(EltwiseOp))), (source, like(source)))
        else:
            layers = {"conv": conv(outputs, channels[source]), "sigm": Sigmoid(),
                      "pool": AvePool((3, 3), (1, 1), **SAME), "relu": Rectify(Relu.RELU1)}
            node = Node(layers[kind], (source,))
        nodes.append(node)
        channels.append(outputs if kind in ("conv", "concat") else channels[source])
    return nodes, noise(random_of(1), (channels[0], 4, 3), np.int8, 7)


@settings(max_examples=examples(150), derandomize=SEED.is_default, deadline=None, database=None)
@given(sizes.filter(lambda config: config is not TINY), graphs(), st.booleans())
def test_random_graphs_equal_golden(config, graph, keep):
    nodes, x = graph
    assert_plan_equals_golden(config, nodes, x, keep=keep)


def test_a_value_keeps_its_place_until_its_last_reader():
    """16 KiB of 64 each: the input, what is made of it and the sum, not all five."""
    layers = [Rectify(Relu.GEN), Rectify(Relu.RELU6), Rectify(Relu.RELU1), Rectify(Relu.GEN)]
    nodes  = [*(Node(layer, (index,)) for index, layer in enumerate(layers)),
              Node(Eltwise(EltwiseOp.ADD), (4, 0))]

    plan = assert_plan_equals_golden(BASE, nodes, weights(16, 32, 32))

    assert not plan.keeps_all
    assert all(step.target.row != plan.source.row for step in plan.steps)


def test_two_inputs_of_which_one_is_uploaded_to_y():
    nodes = [Node(Eltwise(EltwiseOp.MUL), (0, 1)), Node(Eltwise(EltwiseOp.ADD), (2, 0))]
    plan  = assert_plan_equals_golden(BASE, nodes, weights(50, 40), weights(50, 40), keep=False)
    assert [image.memory for image in plan.sources] == [Memory.X, Memory.Y]


@pytest.mark.parametrize(("nodes", "message"), [
    ([Node(Concat(0), (0, 1))], r"Sources must be values from 0 to 0, not \(0, 1\)"),
    ([Node(Eltwise(EltwiseOp.ADD), (0,))], "Eltwise takes 2 inputs, not 1"),
    ([Node(Rectify(Relu.GEN), (0, 0))], "Rectify takes 1 input, not 2"),
    ([Node(MaxPool((2, 2), (1, 1)), (0,)), Node(Eltwise(EltwiseOp.ADD), (0, 1))],
     r"First input has shape \(2, 3, 3\), second input has \(2, 2, 2\)"),
])
def test_refuses_what_does_not_go_together(nodes, message):
    with pytest.raises(ValueError, match=message):
        list(blank_values(nodes, [weights(2, 3, 3)]))


def test_inputs_that_lie_in_different_ways():
    """The output of a matrix is a vector, pixels of an image are not."""
    nodes = [Node(conv(1, 2), (0,)), Node(FullyConnected(weights(9, 18), weights(9), 7), (0,)),
             Node(mli1.Permute((0, 2, 1)), (1,)), Node(Eltwise(EltwiseOp.ADD), (1, 3))]
    assert_plan_equals_golden(BASE, nodes, weights(2, 3, 3))


def test_even_a_single_group_is_put_into_another_order():
    nodes = [Node(mli1.Permute((1, 0)), (0,)), Node(Eltwise(EltwiseOp.SUB), (0, 1))]
    assert_plan_equals_golden(BASE, nodes, weights(2, 2))


@pytest.mark.parametrize(("inputs", "message"), [
    ([], "The plan takes 2 inputs, not 0"),
    ([weights(3), Tensor(np.zeros(3, np.int8), 6)], "frac_bits .* not .*6"),
])
def test_refuses_inputs_of_another_kind(inputs, message):
    plan = Plan(BASE, [Eltwise(EltwiseOp.ADD)], weights(3), weights(3))
    with MachineDevice(BASE) as device, pytest.raises(ValueError, match=message):
        plan.run(device, *inputs)


@pytest.mark.parametrize(("node", "message"), [
    (Node(Concat(7), (1, 1)), r"^Layer 1 \(Concat\): axis must be between 0 and 2, not 7$"),
    (Node(Concat(7), (1, 1), "joined"), r"^Layer joined \(Concat\): axis must be between 0"),
    (Node(conv(2, 9), (1,)), r"^Layer 1 \(Conv2d\): Weights have 9 input channels, input has 3$"),
])
@pytest.mark.parametrize("plan", [Plan, TiledPlan])
def test_what_golden_refuses_is_refused_with_its_sentence(plan, node, message):
    with pytest.raises(ValueError, match=message):
        plan(TINY, [Node(Rectify(Relu.GEN), (0,)), node], weights(3, 5, 6))
