# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolutions of several outputs a channel, turn by turn."""

import numpy as np
import pytest

from tests.host.lower.linear.test_depthwise_shapes import image, operator
from tests.support.lowered import assert_plan
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden.tflm import (
    AveragePool2d,
    Concatenation,
    Conv2d,
    FullyConnected,
    Mean,
    Padding,
    Quantisation,
    Softmax,
    Tensor,
)
from xymac.hdl.config import BASE
from xymac.hdl.isa import BANKS, Op
from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice
from xymac.host.memory.interleaved import InterleavedLayout
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.graph import Node
from xymac.host.plan.tiling.tiled import make_plan

OUT = Quantisation((2.0**-2,), (17,))


def pointwise(channels, outputs):
    """A CONV_2D of single pixels."""
    weights = np.arange(outputs * channels).reshape(outputs, 1, 1, channels) * 37 % 255 - 127
    return Conv2d(Tensor(weights.astype(np.int8), Quantisation((2.0**-9,), (0,))), None, OUT)


def dense(inputs, outputs):
    """A FULLY_CONNECTED."""
    weights = np.arange(outputs * inputs).reshape(outputs, inputs) * 59 % 255 - 127
    kind    = Quantisation((2.0**-9,), (0,))
    return FullyConnected(Tensor(weights.astype(np.int8), kind), None, OUT)


def test_a_layout_has_every_element_of_a_turn_side_by_side():
    x = Tensor(np.arange(24, dtype=np.int8).reshape(1, 2, 2, 6), OUT)
    layout = InterleavedLayout.of_turns(x, (0, 1, 2, 3), 4, 2)

    assert layout.slots().tolist() == [0, 4, 1, 5, 2, 6]
    np.testing.assert_array_equal(layout.data(layout.cells(x.data)), x.data)
    assert layout.arrangement != TensorLayout.of(x, (0, 1, 2, 3), 4, parts=(3, 3)).arrangement
    assert [layout.turn(number, x).base for number in range(2)] == [0, 1]


@each_size
@pytest.mark.parametrize(("channels", "every"), [(16, 2), (12, 3), (5, 2), (21, 2), (2, 8)])
@pytest.mark.parametrize("padding", list(Padding))
def test_turns_equal_golden(config, channels, every, padding):
    """Also of channels that fill no group, and behind pools and means of the same channels."""
    x     = image(channels, (2, 7, 6, channels))
    layer = operator(every, (3, 3), channels * every, padding)
    for readers in ([pointwise(channels * every, 7)],
                    [AveragePool2d((2, 2), OUT, (2, 2)), Mean((1, 2), OUT),
                     dense(channels * every, 5)]):
        assert_plan(config, [layer, *readers], x)


@each_size
@pytest.mark.parametrize(("channels", "every"), [(3, 2), (5, 3), (9, 2), (18, 2)])
def test_turns_have_the_parts_of_a_concatenation(config, channels, every):
    """Each input of a CONCATENATION fills up its last vector."""
    x     = image(channels, (1, 9, 7, channels))
    twice = [Node(Concatenation(3, x.quantisation), (0, 0)),
             Node(Concatenation(3, x.quantisation), (1, 0))]
    every *= 3 * channels
    layer = Node(operator(every // 3 // channels, (2, 3), every, Padding.SAME), (2,))
    for readers in ([], [pointwise(every, 7)], [AveragePool2d((2, 2), OUT, (2, 2))],
                    [Mean((1, 2), OUT), dense(every, 5)],
                    [operator(2, (2, 2), every * 2, Padding.VALID)]):
        behind = [Node(reader, (3 + index,)) for index, reader in enumerate(readers)]
        assert_plan(config, [*twice, layer, *behind], x)


def test_turns_slide_where_the_readers_take_them():
    """A reader in the order of the user's array does not; the host does."""
    x     = image(1, (1, 7, 7, 16))
    layer = operator(1, (3, 3), 32, Padding.SAME)

    share = Softmax(Quantisation((2.0**-8,), (-128,)), 1.0)
    plans = [assert_plan(BASE, layers, x) for layers in (
        [layer, pointwise(32, 7)], [layer], [layer, share])]

    assert [[pass_.accumulate.op for pass_ in plan.program[:2]] for plan in plans] == [
        *[[Op.SLIDE, Op.SLIDE]] * 2, [Op.MAC, Op.CROSS]]


def test_cycles():
    """Each turn takes the cycles of its drain."""
    x    = image(2, (1, 12, 12, 32))
    plan = make_plan(BASE, [operator(2, (3, 3), 64, Padding.SAME)], x)

    assert predict(plan.program, BASE).cycles < 2 * 2 * 12 * 12 * BANKS + 200


@pytest.mark.parametrize("readers", [[], [pointwise(32, 7)]], ids=["none", "one"])
def test_in_the_order_of_the_users_array(readers):
    """The last output does not lie turn by turn."""
    x    = image(3, (1, 5, 5, 16))
    plan = make_plan(BASE, [operator(1, (3, 3), 32, Padding.SAME), *readers], x, c_order=True)
    with MachineDevice(BASE) as device:
        plan.load(device)
        run = plan.run(device, x)
    expected = x
    for layer in (step.layer for step in plan.steps):
        expected = golden.run(layer, expected).output
    assert run.output == expected
    assert not isinstance(plan.target, InterleavedLayout)
