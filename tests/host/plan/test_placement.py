# SPDX-License-Identifier: Apache-2.0
"""Values in X: an output takes the place of its input where there is no room otherwise."""

import numpy as np
import pytest

from tests.support.lowered import assert_plan, noise
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli1 import Eltwise, Rectify, Relu, Sigmoid
from xymac.hdl.config import BASE, TINY
from xymac.host.errors import Refusal
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan


def tensor(*shape, dtype=np.int8):
    return noise(random_of(shape[0]), shape, dtype, 5)


def test_forty_thousand_bytes_in_place(rtl):
    layers, x, device = [Rectify(Relu.RELU6), Sigmoid()], tensor(40000), rtl("base")
    device.harness.reset()
    plan = assert_plan(BASE, layers, x)
    assert plan.source.row == plan.target.row
    fill(device, seed=1)
    plan.load(device)
    value = x
    for layer in layers:
        value = golden.run(layer, value).output
    assert plan.run(device, x).output == value


@pytest.mark.parametrize("count", [9000, 12001, 16384])
def test_chains_in_place(count):
    layers = [Rectify(Relu.RELU6), Rectify(Relu.GEN), Sigmoid()]
    plan = assert_plan(TINY, layers, tensor(count))
    assert {step.target.row for step in plan.steps} == {plan.source.row}


def test_nothing_is_overwritten_where_there_is_room():
    plan = Plan(TINY, [Rectify(Relu.RELU6)], tensor(8000), keep=False)
    assert plan.source.row != plan.target.row


def test_what_is_read_again_is_not_overwritten():
    nodes = [Node(Rectify(Relu.RELU6), (0,)), Node(Eltwise(EltwiseOp.ADD), (0, 1))]
    with pytest.raises(Refusal, match="needs 9000 bytes of X memory"):
        Plan(TINY, nodes, tensor(9000))


def test_what_is_to_be_kept_is_not_overwritten():
    with pytest.raises(Refusal, match="needs 9000 bytes of X memory"):
        Plan(TINY, [Rectify(Relu.RELU6)], tensor(9000), keep=True)
