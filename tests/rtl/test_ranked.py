# SPDX-License-Identifier: Apache-2.0
"""The heap on the RTL: places of MLI 2.0 three ways, and programs written for one case each."""

from dataclasses import replace

import numpy as np
import pytest

from tests.rtl.test_lowered import assert_three_ways
from tests.support.rtl_device import (
    assert_equals_machine,
    assert_same,
    fill,
    noise,
    run_machine,
    run_rtl,
)
from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac.golden.mli1 import Softmax, Tensor
from xymac.golden.mli2 import ArgMax, Element, Fixed, QuantTensor
from xymac.hdl.config import TINY
from xymac.hdl.isa import (
    PASS_STRIDE,
    PASS_WORDS,
    Access,
    Encoded,
    Pass,
    Reduce,
    Region,
    Shape,
    State,
    Status,
    Width,
    pack,
)
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan
from xymac.host.plan.program.waits import set_waits

#: Ranks 37 groups less one element.
RANK = Pass(x=Access(40, 40, 99, outer=(0, 0, 1)), y=Access(20, 20, 20), z=Access(200, 200, 200),
            outer=(1, 1, 37), x_shape=Shape.LANES, y_shape=Shape.LANES, x_width=Width.BITS16,
            y_width=Width.BITS16, z_width=Width.BITS16, shift=15, clip=(-32768, 32767), beats=1,
            reduce=Reduce.RANK, entry=4, drop=1)
#: Writes zeros to group 330: sums that leave the place at the root as it is.
ZEROS = replace(RANK, z=Access(330, 330, 330), outer=(1, 1, 1), clip=(0, 0), reduce=Reduce.NONE,
                entry=0, drop=0)
#: Writes the place at the root, plus 1 - 2**15, to group 300, and pops.
POP  = replace(RANK, x=Access(330, 330, 330), z=Access(300, 300, 310), outer=(1, 1, 1), shift=0,
               reduce=Reduce.POP, anchored=True, drop=0)
READ = replace(POP, reduce=Reduce.NONE)


def tensor(data):
    return QuantTensor(np.array(data, np.int16), Element.FX_16, Fixed(7))


@each_name
@pytest.mark.parametrize("topk", [2, 5, 7, 16])
def test_places(size, topk, rtl):
    rng = random_of(topk)
    for count in (topk, topk + 1, 100):
        x = rng.integers(-2, 2, count)
        for data in (x, np.sort(x), rng.integers(-32768, 32768, count)):
            assert_three_ways(rtl(size), ArgMax(topk), tensor(data))


@each_name
@pytest.mark.parametrize("width", [Width.BITS8, Width.BITS16])
def test_what_is_ranked_is_what_is_written(size, width, rtl):
    """Of 8 bits the low bytes; heaps of all levels, one behind the other in a program, and roots
    that more passes than it has elements take off."""
    for entry in (0, 1, 2, 6, 7, 14, 15):
        rank = replace(RANK, z_width=width, entry=entry)
        pops = [replace(POP, z=replace(POP.epilogue.z, base=300 + at)) for at in range(9)]
        # Smaller, and of other elements, or what the first heap leaves behind would do as well.
        next_ = replace(rank, x=replace(rank.operands.x, base=77), outer=(1, 1, 17),
                        entry=entry // 3)
        assert_equals_machine(rtl(size), [ZEROS, rank, *pops[:3], next_, *pops[3:]], seed=entry)


@each_name
def test_a_heap_goes_on_at_once(size, rtl):
    """Passes that rank and pop without waiting; the first heap is still at work."""
    more = replace(RANK, fresh=False, outer=(1, 1, 3))
    drop = replace(POP, x=RANK.operands.x, anchored=False, z=Access(200, 200, 200))
    for entry in (1, 4, 15):
        parts = [replace(part, entry=entry) for part in (RANK, more, drop, more, RANK, drop, drop)]
        for end in range(1, len(parts) + 1):
            assert_equals_machine(rtl(size), [ZEROS, *parts[:end], READ], seed=entry)


@each_name
def test_the_range_is_that_of_the_last_pass(size, rtl):
    whole = [replace(RANK, reduce=kind, entry=0) for kind in (Reduce.MAX, Reduce.MIN)]
    for passes in ([*whole, RANK], [RANK, *whole], [RANK, whole[0], POP], [whole[1], RANK]):
        assert_equals_machine(rtl(size), [ZEROS, *passes, READ], seed=7)


def test_no_heap_outlives_its_program(rtl):
    """Not behind a fault, and not where nothing is ranked."""
    device = rtl("tiny")
    fault  = replace(RANK, x=replace(RANK.operands.x, base=50, high=60))
    more   = replace(RANK, fresh=False, outer=(1, 1, 2))
    device.harness.reset()
    for passes in ([RANK], [POP], [fault, POP], [more, READ], [RANK, POP], [POP, READ]):
        program = set_waits([ZEROS, *passes], TINY)
        assert_same(run_rtl(device, program, seed=2), run_machine(TINY, program, seed=2), program)


@pytest.mark.parametrize("size", ["tiny", "base"])
def test_two_in_a_graph_and_another_kernel_behind(size, rtl):
    device = rtl(size)
    rng    = random_of(5)
    x      = tensor(rng.integers(-3, 3, 50))
    nodes  = [Node(ArgMax(3), (0,)), Node(ArgMax(8), (0,))]
    plan   = Plan(device.config, nodes, x, keep=True)
    plan.load(device)
    run    = plan.run(device, x)
    for node, kept in zip(nodes, run.outputs, strict=True):
        assert kept == node.layer.run(x).output
    assert_three_ways(device, Softmax(), Tensor(rng.integers(-99, 99, 40).astype(np.int8), 4))


@pytest.mark.parametrize("changes", [{"beats": 2}, {"beats": 4}])
@pytest.mark.parametrize("kind", [Reduce.RANK, Reduce.POP])
def test_what_never_starts(kind, changes, rtl):
    program = [replace(RANK, reduce=kind, last=True, **changes)]
    run     = run_rtl(rtl("tiny"), program, seed=1)
    assert run.result.status is Status.COUNT
    assert_same(run, run_machine(TINY, program, seed=1), program)


@pytest.mark.parametrize("code", [6, 7])
def test_unknown_reductions(code, rtl):
    """Of the two size tiny has neither."""
    device, field = rtl("tiny"), Encoded["reduce"]
    packed = pack(replace(RANK, last=True)) | (code & 3) << field.offset
    words  = np.array([packed >> 32 * index & 0xFFFF_FFFF for index in range(2 * PASS_WORDS)],
                      np.uint64)
    device.harness.reset()
    device.harness.write(Region.PROGRAM.value + 8 * PASS_STRIDE * 3 + 4 * np.arange(words.size),
                         words)
    fill(device, 1)

    result = device.run(3)

    assert (result.state, result.status, result.pass_index) == (State.FAULT, Status.OPCODE, 3)
    for memory, cells in noise(TINY, 1).items():
        np.testing.assert_array_equal(device.read_cells(memory, 0, cells.size), cells)
