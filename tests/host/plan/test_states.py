# SPDX-License-Identifier: Apache-2.0
"""What layers keep from one run of a plan to the next."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.rtl_device import fill
from tests.support.tflite.kept import input_of, random_lstm, random_svdf, reversed_input
from xymac.golden import run
from xymac.golden.tflm import Transpose
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.device.device import MachineDevice
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan
from xymac.host.plan.tiling.tiled import make_plan


def network(memory=4):
    """Nodes of three filters, of which two read the input, and an input."""
    first = random_svdf(1, 2, 5, 6, memory=memory)
    inner = random_svdf(2, 2, 6, 7, memory=memory, dtype=np.int16)
    last  = random_svdf(3, 2, 5, 4, memory=memory)
    return [Node(first, (0,)), Node(inner, (1,)), Node(last, (0,))], input_of(1, 2, 5)


def expect(nodes, x):
    """Results of all nodes, and the nodes of the next call."""
    values, results = [x], []
    for node in nodes:
        results.append(run(node.layer, *(values[number] for number in node.sources)))
        values.append(results[-1].output)
    return results, [replace(node, layer=node.layer.following(result))
                     for node, result in zip(nodes, results, strict=True)]


def check_calls(plan, nodes, *inputs):
    """A plan gives what golden gives, call after call."""
    with MachineDevice(plan.config) as device:
        fill(device, seed=2)
        plan.load(device)
        states = None
        for x in inputs:
            results, nodes = expect(nodes, x)
            actual = plan.run(device, x, states=states)
            states = actual.states
            assert actual.output == results[-1].output
            assert actual.cells == tuple(result.cell for result in results)
            assert states == tuple((result.cell,) for result in results)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
def test_every_layer_has_states_of_its_own(config, keep):
    nodes, x = network()
    check_calls(Plan(config, nodes, x, keep=keep), nodes, x, reversed_input(x), x)


def test_inputs_in_the_order_of_the_user():
    nodes, x = network()
    check_calls(Plan(SMALL, nodes, x, c_order=True), nodes, x, x)


def test_parts_of_a_plan_hand_on_their_states():
    nodes, x = network(memory=50)
    plan = make_plan(replace(TINY, x_rows=512), nodes, x)
    assert len(plan.parts) > 1
    check_calls(plan, nodes, x, reversed_input(x))
    assert plan.states == tuple((node.layer.state,) for node in nodes)


def test_constants_that_do_not_fit_together_leave_states_alone():
    nodes  = [Node(random_svdf(key, 1, 60, 60, 2), (key,)) for key in range(2)]
    config = replace(TINY, y_rows=1536)
    plan   = Plan(config, nodes, input_of(1, 1, 60))
    assert len(plan.loads) == 2
    check_calls(plan, nodes, input_of(1, 1, 60), input_of(1, 1, 60))


@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
@pytest.mark.parametrize(("layer", "shape", "order"), [
    (random_lstm(1, 3, 5, 7), (2, 3, 5), (1, 0, 2)), (random_svdf(1, 3, 4), (4, 3), (1, 0))])
def test_what_lies_in_another_order_is_moved_to_its_frames(config, layer, shape, order):
    x    = input_of(1, *shape)
    flip = Transpose(order)
    plan = Plan(config, [flip, layer], x)
    with MachineDevice(config) as device:
        plan.load(device)
        actual = plan.run(device, x)
    expected = run(layer, run(flip, x).output)
    assert (actual.output, actual.cells[1]) == (expected.output, expected.cell)


def test_a_run_begins_anew_without_states():
    layer, x = random_lstm(1), input_of(1, 1, 3, 5)
    plan = make_plan(SMALL, [layer], x)
    with MachineDevice(SMALL) as device:
        plan.load(device)
        first, second = (plan.run(device, x) for _ in range(2))
    assert first.output == second.output
    assert first.states == second.states
    assert first.states != (plan.states,)


def test_states_of_other_layers_are_refused():
    nodes, x = network()
    plan     = Plan(TINY, nodes, x)
    with pytest.raises(ValueError, match=r"^States must have shapes and types "):
        plan.run(None, x, states=plan.states[::-1])
