"""What the compact core lacks: plans do without it, or say so by the layer."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from golden.mli1 import Permute, Rectify, Relu, Softmax, Subtensor
from hdl.config import BASE, COMPACT, SIZES, SMALL, TINY
from hdl.core.core import Core
from hdl.isa import Access, Adjust, Op, Pass, Reduce, State, Status
from host.device.device import MachineDevice
from host.lower.move.choice import choose_moves
from host.lower.move.copy import CopyMove
from host.lower.refuse import NoPassesError
from host.plan.graph import Node
from host.plan.operations import check_operations
from host.plan.plan import Plan
from tests.support.lowered import assert_equals_golden, noise
from tests.support.seed import random_of

LINE = Access(0, 0, 63)
PASS = Pass(x=LINE, y=Access(0, 0, 3), z=LINE, last=True)


@pytest.mark.parametrize(("config", "lacking"), [
    *((config, {Op.SLIDE} if config.ways == 1 else set()) for config in SIZES.values()), (
        COMPACT, {Op.GATHER, Op.SPREAD, Op.CROSS, Op.SHARE, Op.SLIDE})],
    ids=lambda value: getattr(value, "name", ""))
def test_operations_of_a_core(config, lacking):
    assert config.capabilities.operations == {*Op} - {Op.NONE} - lacking


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
    (Op.GATHER, "puts single elements in another order"),
    (Op.SPREAD, "puts blocks of elements in another order"),
    (Op.CROSS, "gives every bank of lanes inputs of its own"),
    (Op.SHARE, "multiplies sums by the inverse of another"),
    (Op.SLIDE, "keeps the columns that lanes have read")])
def test_a_layer_that_needs_more_is_named(op, use):
    passes = [PASS, replace(PASS, op=op)]
    check_operations(passes, Node(Softmax(), (0,), "2"), SMALL)
    check_operations(passes[:1], Node(Softmax(), (0,), "2"), COMPACT)
    with pytest.raises(NoPassesError, match=(
            rf"^Layer 2 \(Softmax\) needs the operation {op.name}, which {use}: size compact has "
            rf"only MAC, MAX, MIN$")):
        check_operations(passes, Node(Softmax(), (0,), "2"), COMPACT)


@pytest.mark.parametrize(("reduce", "use"), [
    (Reduce.RANK, "ranks elements"), (Reduce.POP, "takes off what is ranked"),
    (Reduce.RANGE, "finds both extremes of what is read")])
def test_a_layer_that_needs_a_heap_is_named(reduce, use):
    assert COMPACT.capabilities.reductions == {*Reduce} - {Reduce.RANK, Reduce.POP, Reduce.RANGE}
    passes = [PASS, replace(PASS, reduce=reduce, beats=1)]
    check_operations(passes, Node(Softmax(), (0,), "2"), BASE)
    with pytest.raises(NoPassesError, match=(
            rf"^Layer 2 \(Softmax\) needs the reduction {reduce.name}, which {use}: size compact "
            rf"has only NONE, MAX, MIN, SUM$")):
        check_operations(passes, Node(Softmax(), (0,), "2"), COMPACT)


def test_a_plan_asks_what_its_passes_need(monkeypatch):
    monkeypatch.setattr("host.lower.move.reorder.choose_moves", lambda regions, core: [
        Gathers(region) for region in regions])
    x = noise(random_of(1), (3, 5), np.int16, 7)
    with pytest.raises(NoPassesError, match=r"^Layer 1 \(Permute\) needs the operation GATHER,"):
        Plan(COMPACT, [Rectify(Relu.GEN), Permute((1, 0))], x, c_order=True)


class Gathers(CopyMove):
    """A move by an operation that the compact core lacks."""

    def passes(self, constants):
        return [replace(pass_, op=Op.GATHER) for pass_ in super().passes(constants)]


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_any_permutation_is_copies(order):
    x    = noise(random_of(2), (3, 5, 2, 7), np.int16, 7)
    plan = assert_equals_golden(COMPACT, Permute(order), x).plan
    assert {pass_.op for pass_ in plan.program} == {Op.MAC}
    assert_equals_golden(COMPACT, Subtensor((1, 2), 2), x)


def test_copies_are_all_that_is_chosen(monkeypatch):
    """Even where another move would take fewer steps."""
    asked = []
    monkeypatch.setattr(CopyMove, "steps", property(lambda move: asked.append(move) or 1 << 40))
    x = noise(random_of(3), (4, 6), np.int8, 7)
    plan = Plan(COMPACT, [Permute((1, 0))], x, c_order=True)
    assert asked
    assert {pass_.op for pass_ in plan.program} == {Op.MAC}
    assert {pass_.op for pass_ in Plan(TINY, [Permute((1, 0))], x, c_order=True).program} != {
        Op.MAC}
    assert choose_moves([], core=COMPACT.capabilities) == []


def test_the_fast_core_is_not_made_of_that_size():
    with pytest.raises(ValueError, match=r"^Size compact is of the compact core, not of this one$"):
        Core(COMPACT)
