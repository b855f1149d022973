# SPDX-License-Identifier: Apache-2.0
"""A residual network with more weights than Y holds: 92 M products, from images to classes."""

from math import prod

import numpy as np
import pytest

from tests.support.rtl_device import assert_counters
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.kinds import EltwiseOp, Relu
from xymac.golden.mli1 import AvePool, Conv2d, Eltwise, FullyConnected, Layout, Softmax, Tensor
from xymac.host.plan.graph import Node, blank_values
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import layer_counters

WIDTHS = ((16, 2, 1), (64, 3, 2), (128, 2, 2))  # channels, blocks, stride of the first
BITS   = 7


def residual_network(rng):
    """Nodes, the first of which takes an image of 32x32x3."""
    nodes = []

    def add(layer, *sources):
        nodes.append(Node(layer, sources))
        return len(nodes)

    def tensor(*shape):
        peak = 127 // max(int(prod(shape[1:]) ** 0.5) // 4, 1)
        return Tensor(rng.integers(-peak, peak, shape, np.int8, endpoint=True), BITS)

    def conv(source, outputs, inputs, size=3, stride=1, relu=Relu.GEN):
        return add(Conv2d(tensor(outputs, size, size, inputs), tensor(outputs), BITS,
                          (stride, stride), (size // 2,) * 4, relu, Layout.HWC), source)

    value, held = conv(0, 16, 3), 16
    for channels, blocks, first in WIDTHS:
        for block in range(blocks):
            stride = first if block == 0 else 1
            inner  = conv(value, channels, held, stride=stride)
            inner  = conv(inner, channels, channels, relu=Relu.NONE)
            if (stride, held) != (1, channels):
                value = conv(value, channels, held, 1, stride, Relu.NONE)
            value, held = add(Eltwise(EltwiseOp.ADD), inner, value), channels
    value = add(AvePool((8, 8), (1, 1), layout=Layout.HWC), value)
    value = add(FullyConnected(tensor(10, held), tensor(10), BITS), value)
    add(Softmax(), value)
    return nodes


@pytest.mark.long
def test_a_residual_network_in_rtl(rtl):
    device, rng = rtl("base"), random_of(19)
    device.harness.reset()
    nodes  = residual_network(rng)
    x      = Tensor(rng.integers(-128, 127, (32, 32, 3), np.int8, endpoint=True), BITS)
    values = list(blank_values(nodes, [x]))
    products = sum(node.layer.work(*(values[source].shape for source in node.sources))
                   for node in nodes if hasattr(node.layer, "weights"))
    weights  = sum(node.layer.weights.data.size for node in nodes if hasattr(node.layer, "weights"))
    assert products >= 76_000_000
    assert weights >= 500_000

    plan = Plan(device.config, nodes, x)
    plan.load(device)
    run  = plan.run(device, x)
    values = [x]
    for node, output in zip(nodes, run.outputs, strict=True):
        values.append(golden.run(node.layer, *(values[source] for source in node.sources)).output)
        assert output in (None, values[-1])
    assert run.output == values[-1]
    assert len(set(run.output.data.tolist())) > 1
    assert_counters(run.result)
    counters = layer_counters(plan, run.result)
    assert sum(each["cycles"] for each in counters) == run.result.counters["cycles"]
    assert len(plan.loads) > 1
    assert any("bytes of constants loaded" in step.remarks for step in plan.steps)
    # Of all cycles five in six at least are full of products.
    assert products / 64 / run.result.counters["cycles"] > 5 / 6
