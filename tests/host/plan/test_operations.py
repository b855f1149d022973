# SPDX-License-Identifier: Apache-2.0
"""What the compact core lacks: plans do without it, or say so by the layer."""

import re
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, noise
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.mli1 import (
    DepthwiseConv2d,
    MaxPool,
    Permute,
    Rectify,
    Relu,
    Softmax,
    Subtensor,
    Tensor,
)
from xymac.golden.mli2 import Affine, ArgMax, Element, QuantTensor
from xymac.hdl.config import BASE, COMPACT, FEATURES, SIZES, SMALL, TINY, change_size
from xymac.hdl.core.core import Core
from xymac.hdl.isa import OPERATIONS, Access, Adjust, Op, Pass, Reduce, State, Status
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.lower.move.choice import choose_moves
from xymac.host.lower.move.copy import CopyMove
from xymac.host.plan.graph import Node
from xymac.host.plan.operations import check_operations
from xymac.host.plan.plan import Plan

LINE = Access(0, 0, 63)
#: A depthwise kernel that slides on a core with a window.
DEPTHWISE = DepthwiseConv2d(noise(random_of(6), (8, 1, 3, 2), np.int8, 7),
                            Tensor(np.zeros(8, np.int8), 7), 7)
PASS = Pass(x=LINE, y=Access(0, 0, 3), z=LINE, last=True)


@each_size
def test_operations_of_a_core(config):
    lacking = {Op.NONE} | ({Op.SLIDE} if config.ways == 1 else set())
    assert config.capabilities.operations == {*Op} - lacking
    assert config.capabilities.reductions == {*Reduce} - (
        {Reduce.RANGE} if config.ways < 4 else set())


def test_operations_of_the_compact_core():
    assert COMPACT.capabilities.operations == {Op.MAC, Op.MAX, Op.MIN}
    assert COMPACT.capabilities.reductions == {Reduce.NONE, Reduce.MAX, Reduce.MIN, Reduce.SUM}


def test_every_operation_has_an_effect():
    assert {*OPERATIONS} == {*Op, *Reduce} - {Op.NONE}
    assert all(re.fullmatch(r"[a-z]+s .+[a-zX]", each.effect) for each in OPERATIONS.values())
    assert {each.feature for each in OPERATIONS.values()} - {None} == set(FEATURES)


@pytest.mark.parametrize("fields", [
    {"op": Op.GATHER}, {"op": Op.SPREAD}, {"op": Op.CROSS},
    {"op": Op.SHARE, "adjust": Adjust.PLACES}, {"reduce": Reduce.RANK, "beats": 1}])
def test_the_machine_faults_as_the_core_does(fields):
    spread = replace(PASS, **fields)
    for config, expected in ((TINY, (State.DONE, Status.OK)),
                             (COMPACT, (State.FAULT, Status.OPCODE))):
        with MachineDevice(config) as device:
            device.load_program([spread])
            result = device.run()
        assert (result.state, result.status) == expected


@pytest.mark.parametrize(("op", "use"), [
    (Op.GATHER, "reorders single elements"),
    (Op.SPREAD, "adds products and separates the beats of an output"),
    (Op.CROSS, "adds products, each bank of lanes with its own X vector"),
    (Op.SHARE, "adds products and multiplies the sum by the inverse of another sum"),
    (Op.SLIDE, "adds products and reuses earlier columns of X")])
def test_a_layer_that_needs_more_is_named(op, use):
    passes = [PASS, replace(PASS, op=op)]
    check_operations(passes, Node(Softmax(), (0,), "2"), SMALL)
    check_operations(passes[:1], Node(Softmax(), (0,), "2"), COMPACT)
    with pytest.raises(Refusal, match=(
            rf"^Layer 2 \(Softmax\) needs the operation {op.name}, which {use}: size compact has "
            rf"only MAC, MAX, MIN$")):
        check_operations(passes, Node(Softmax(), (0,), "2"), COMPACT)


@pytest.mark.parametrize(("reduce", "use"), [
    (Reduce.RANK, "pushes every written element onto the heap"),
    (Reduce.POP, "removes the root of the heap"),
    (Reduce.RANGE, "finds both extremes of the X elements")])
def test_a_layer_that_needs_a_heap_is_named(reduce, use):
    passes = [PASS, replace(PASS, reduce=reduce, beats=1)]
    check_operations(passes, Node(Softmax(), (0,), "2"), BASE)
    with pytest.raises(Refusal, match=(
            rf"^Layer 2 \(Softmax\) needs the reduction {reduce.name}, which {use}: size compact "
            rf"has only NONE, MAX, MIN, SUM$")):
        check_operations(passes, Node(Softmax(), (0,), "2"), COMPACT)


def test_a_plan_asks_what_its_passes_need(monkeypatch):
    monkeypatch.setattr("xymac.host.lower.move.reorder.choose_moves", lambda regions, core: [
        Gathers(region) for region in regions])
    x = noise(random_of(1), (3, 5), np.int16, 7)
    with pytest.raises(Refusal, match=r"^Layer 1 \(Permute\) needs the operation GATHER,"):
        Plan(COMPACT, [Rectify(Relu.GEN), Permute((1, 0))], x, c_order=True)


class Gathers(CopyMove):
    """A move by an operation that the compact core lacks."""

    def passes(self, constants):
        return [replace(pass_, op=Op.GATHER) for pass_ in super().passes(constants)]


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_any_permutation_is_copies(order):
    x    = noise(random_of(2), (3, 5, 2, 7), np.int16, 7)
    plan = assert_equals_golden(COMPACT, Permute(order), x).plan
    assert {pass_.accumulate.op for pass_ in plan.program} == {Op.MAC}
    assert_equals_golden(COMPACT, Subtensor((1, 2), 2), x)


def test_copies_are_all_that_is_chosen(monkeypatch):
    """Even where another move would take fewer steps."""
    asked = []
    monkeypatch.setattr(CopyMove, "steps", property(lambda move: asked.append(move) or 1 << 40))
    x = noise(random_of(3), (4, 6), np.int8, 7)
    plan = Plan(COMPACT, [Permute((1, 0))], x, c_order=True)
    assert asked
    assert {pass_.accumulate.op for pass_ in plan.program} == {Op.MAC}
    plan = Plan(TINY, [Permute((1, 0))], x, c_order=True)
    assert {pass_.accumulate.op for pass_ in plan.program} != {
        Op.MAC}
    assert choose_moves([], core=COMPACT.capabilities) == []


def used(config, layer, x):
    """Operations and reductions of the plan of a layer, which equals golden."""
    passes = assert_equals_golden(config, layer, x).plan.program
    return {pass_.accumulate.op for pass_ in passes} | {pass_.reduction.reduce for pass_ in passes}


@pytest.mark.parametrize(("size", "feature", "code", "layer", "shape"), [
    ("small", "window", Op.SLIDE, DEPTHWISE, (8, 12, 12)),
    ("base", "extremes", Reduce.RANGE, Softmax(), (200,)),
    ("base", "heap", Reduce.RANK, ArgMax(3), (40,))], ids=["window", "extremes", "heap"])
def test_plans_do_without_a_function_that_a_core_leaves_out(size, feature, code, layer, shape):
    x = noise(random_of(4), shape, np.int8, 7)
    if isinstance(layer, ArgMax):
        x = QuantTensor(x.data, Element.SA_8, Affine(5, 20000, 14))
    without = change_size(SIZES[size], **{feature: 0})

    assert code in used(SIZES[size], layer, x)
    assert code not in used(without, layer, x)


def test_a_layer_that_needs_what_is_left_out_is_named():
    x = noise(random_of(5), (4, 6, 6), np.int8, 7)
    config = change_size(SMALL, comparison=0)
    with pytest.raises(Refusal, match=(
            r"^Layer 0 \(MaxPool\) needs the operation MAX, which keeps the largest product: size "
            r"w2_x2048_y2048_p64_s2_no_comparison has only MAC, ")):
        Plan(config, [MaxPool((2, 2), (2, 2))], x)


def test_the_fast_core_is_not_made_of_that_size():
    with pytest.raises(ValueError, match=r"^Size compact is of the compact core, not of this one$"):
        Core(COMPACT)
