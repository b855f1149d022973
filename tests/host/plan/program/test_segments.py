# SPDX-License-Identifier: Apache-2.0
"""Programs longer than program memory: where they are cut, and that nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, assert_plan, noise
from tests.support.rtl_device import assert_counters
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import (
    AvePool,
    Concat,
    Conv2d,
    FullyConnected,
    LstmCell,
    Permute,
    RnnMode,
    Softmax,
)
from xymac.hdl.config import BASE, SMALL, TINY, change_size
from xymac.hdl.isa import Access, Pass, Reduce
from xymac.host.device.device import DeviceError, MachineDevice
from xymac.host.errors import Refusal
from xymac.host.executable.builder import Builder
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan
from xymac.host.plan.program.segments import cut_program
from xymac.host.runtime import Runtime

PASS = Pass(x=Access(0, 0, 9), y=Access(0, 0, 9), z=Access(40, 40, 49))


def tensor(*shape):
    return noise(random_of(len(shape)), shape, np.int8, 7)


def convolutions(count):
    first, *others = (Conv2d(tensor(5, channels, 1, 1), tensor(5), 7)
                      for channels in (1, *[5] * (count - 1)))
    return [first, *others]


def sizes_of(passes, config=TINY):
    return [len(segment) for segment in cut_program(passes, config)]


def test_cuts_as_late_as_it_can():
    assert sizes_of([PASS] * 32) == [32]
    assert sizes_of([PASS] * 33) == [32, 1]
    assert sizes_of([PASS] * 100) == [32, 32, 32, 4]


def test_a_loop_stays_whole():
    passes = [*[PASS] * 30, PASS, PASS, replace(PASS, back=2, repeat=3), PASS]
    assert sizes_of(passes) == [30, 4]


@pytest.mark.parametrize("use", [{"anchored": True}, {"inverted": True}])
def test_a_scalar_is_used_where_it_was_made(use):
    kinds  = [Reduce.SUM] if "inverted" in use else [Reduce.MAX, Reduce.MIN]
    folds  = [replace(PASS, reduce=kind) for kind in kinds]
    passes = [*[PASS] * 30, *folds, PASS, replace(PASS, **use), PASS]
    assert sizes_of(passes) == [30, len(folds) + 3]
    again  = [*[PASS] * 30, *folds, replace(folds[-1], fresh=False), replace(PASS, **use)]
    assert sizes_of(again) == [30, len(folds) + 2]


def test_a_heap_is_emptied_where_it_was_made():
    rank  = replace(PASS, reduce=Reduce.RANK, beats=1)
    pop   = replace(PASS, reduce=Reduce.POP, beats=1, anchored=True)
    assert sizes_of([*[PASS] * 30, rank, PASS, pop, pop]) == [30, 4]
    assert sizes_of([*[PASS] * 28, rank, pop, pop, rank, pop]) == [31, 2]
    for behind in (replace(rank, fresh=False), replace(pop, anchored=False)):
        assert sizes_of([*[PASS] * 31, rank, behind]) == [31, 2]


def test_what_cannot_be_cut_is_refused():
    passes = [*[PASS] * 32, replace(PASS, back=32, repeat=1)]
    with pytest.raises(ValueError, match=r"^A program must have 1 to 32 passes on size tiny, not "
                                         r"33: it cannot be cut between passes 0 and 32$"):
        cut_program(passes, TINY)


def test_a_layer_with_too_many_passes_together_is_named():
    """A softmax of many pieces, whose extremes and sum are scalars."""
    nodes = [Node(Concat(0), (0, 0)), Node(Concat(0), (1, 1)), Node(Softmax(), (2,))]
    assert_plan(SMALL, nodes, tensor(9))
    with pytest.raises(Refusal, match=(
            r"^Layer 2 \(Softmax\) needs 32 passes in one program: programs of size "
            r"w2_x2048_y2048_p16_s2 have at most 16$")):
        Plan(change_size(SMALL, passes=16), nodes, tensor(9))


@pytest.mark.parametrize("keep", [True, False])
def test_a_long_network(keep):
    plan = assert_plan(TINY, convolutions(17), tensor(1, 2, 3), keep)
    assert len(plan.segments) > 1
    assert sum(step.programs for step in plan.steps) == len(plan.segments)
    assert plan.steps[0].remarks == "programs loaded: 1"


def test_long_layers():
    for config in (TINY, BASE):
        assert_equals_golden(config, AvePool((9, 9), (1, 1), (8,) * 4), tensor(9, 9, 9))


def test_counters_add_up_in_rtl(rtl):
    """Each segment's cycles are in the sum, and so is the trace of every pass."""
    device, layers, x = rtl("tiny"), [*convolutions(17), Softmax()], tensor(1, 2, 3)
    device.harness.reset()
    plan = Plan(TINY, layers, x)
    plan.load(device)
    run = plan.run(device, x)
    with MachineDevice(TINY) as machine:
        plan.load(machine)
        assert plan.run(machine, x).output == run.output
    assert_counters(run.result)
    assert len(run.result.trace) == len(plan.program)
    assert run.result.trace[-1].written <= run.result.counters["cycles"]
    assert run.result.counters["issued"] == run.result.trace[-1].counters["issued"]


def test_the_segment_at_fault_is_the_last():
    bad    = replace(PASS, x=Access(0, 0, 0), taps=(1, 1, 2), wait=True)
    bad    = replace(bad, x=replace(bad.operands.x, taps=(0, 0, 1)))
    passes = [*[replace(PASS, wait=True)] * 40, bad, PASS]
    builder = Builder({})
    for segment in cut_program(passes, TINY):
        builder.add_program(builder.run, segment)
        builder.start()
    with MachineDevice(TINY) as device, pytest.raises(
            DeviceError, match=r"^The program stopped in state FAULT at pass 40 with status "):
        Runtime(builder.build((), ()), device).run(())


def matrices(count):
    return [FullyConnected(tensor(100, 100), tensor(100), 7) for _ in range(count)]


@pytest.mark.parametrize("count", [3, 4, 7])
def test_constants_that_are_more_than_y_holds(count):
    """10 KB each, 32 KB of Y on tiny: three matrices at a time."""
    plan = assert_plan(TINY, matrices(count), tensor(100))
    assert [len(load.stages) for load in plan.loads] == [3] * (count // 3) + [count % 3] * (
        count % 3 > 0)
    if len(plan.loads) > 1:
        assert sum(step.loaded for step in plan.steps) == sum(
            2 * values.cells.size for load in plan.loads for values in load.constants)
        assert plan.steps[3].remarks.startswith("bytes of constants loaded: ")
    whole = Plan(BASE, matrices(count), tensor(100))
    assert len(whole.loads) == 1
    assert not any(step.remarks for step in whole.steps)


def test_loads_in_rtl_for_several_images(rtl):
    device, layers = rtl("tiny"), [*matrices(2), Permute((0,)), *matrices(3), Softmax()]
    device.harness.reset()
    x    = tensor(100)
    plan = Plan(TINY, layers, x)
    plan.load(device)
    assert len(plan.loads) == 2
    for seed in range(3):
        value = x = noise(random_of(seed), (100,), np.int8, 7)
        run   = plan.run(device, x)
        for layer in layers:
            value = golden.run(layer, value).output
        assert run.output == value
        assert_counters(run.result)


def test_the_state_of_a_cell_is_read_before_another_load():
    lstm  = LstmCell(noise(random_of(1), (4, 5, 9), np.int16, 11), noise(random_of(2), (4, 5),
                     np.int16, 11), *(noise(random_of(n), (5,), np.int16, 11) for n in (3, 4)), 11,
                     RnnMode.BATCH_TO_LAST)
    more  = [FullyConnected(noise(random_of(5), (90, inputs), np.int16, 11),
                            noise(random_of(6), (90,), np.int16, 11), 11) for inputs in (5, 90, 90)]
    plan  = assert_plan(TINY, [lstm, *more], noise(random_of(7), (3, 4), np.int16, 11))
    assert len(plan.loads) > 1


def test_a_single_layer_beyond_y_has_loads_of_its_own():
    layers = [*matrices(1), FullyConnected(tensor(400, 100), tensor(400), 0),
              FullyConnected(tensor(50, 400), tensor(50), 0)]
    plan   = assert_plan(TINY, layers, tensor(100))
    assert [load.stages for load in plan.loads] == [range(1), range(1, 2), range(1, 2), range(2, 3)]
    assert plan.steps[1].loaded == 2 * sum(load.constants[0].cells.size for load in plan.loads[1:3])
