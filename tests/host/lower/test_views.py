# SPDX-License-Identifier: Apache-2.0
"""Tensors taken from memory with gaps and put there, on the golden machine: any strides."""

import numpy as np
import pytest

from tests.support.calls.strided import random_strides
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.sizes import each_core, each_name
from xymac.golden import run
from xymac.golden.mli2 import Affine, Element, Fixed, MaxPool, QuantTensor
from xymac.golden.views import PutView, Stored, TakeView, memory_of, span_of
from xymac.hdl.config import SIZES
from xymac.hdl.isa import Memory, Op
from xymac.host.device.device import MachineDevice
from xymac.host.plan.plan import Plan

TYPES = {np.int8: (Element.SA_8, Affine(3, 5, 7)), np.int16: (Element.FX_16, Fixed(4)),
         np.int32: (Element.SA_32, Affine(0, 1, 0))}


def random(shape, dtype, rng):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def random_view(rng):
    """A tensor, strides, and memory."""
    dtype   = list(TYPES)[int(rng.integers(3))]
    shape   = tuple(map(int, rng.integers(1, 6, int(rng.integers(1, 5)))))
    strides = random_strides(shape, rng)
    return (QuantTensor(random(shape, dtype, rng), *TYPES[dtype]), strides,
            Stored(memory_of(random(span_of(shape, strides), dtype, rng))))


#: Blocks of some elements between which masks must not go on.
BLOCKS = [((4, 5, 2, 4), (61, 12, 5, 1)), ((2, 2, 4, 1), (15, 7, 1, 1)), ((3, 2, 3), (23, 9, 2)),
          ((2, 3), (3, 2)), ((3, 3, 3), (11, 4, 1)), ((4, 3), (8, 1)), ((5,), (2,))]


def run_plan(device, layer, *inputs):
    plan = Plan(device.config, [layer], *inputs)
    fill(device, seed=1)
    plan.load(device)
    return plan.run(device, *inputs).output


@each_core
@pytest.mark.parametrize("seed", range(4))
def test_any_strides(seed, config):
    rng = random_of(seed)
    with MachineDevice(config) as device:
        for _ in range(12):
            x, strides, memory = random_view(rng)
            if 4 * memory.data.nbytes > device.config.x_bytes:
                continue
            take, put = TakeView(x, strides), PutView(strides)

            assert run_plan(device, take, memory) == run(take, memory).output
            assert run_plan(device, put, x, memory) == run(put, x, memory).output


@each_name
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("shape", "strides"), BLOCKS)
def test_blocks_one_by_one_and_more_memory_behind(shape, strides, dtype, size):
    rng    = random_of(7)
    x      = QuantTensor(random(shape, dtype, rng), *TYPES[dtype])
    memory = Stored(memory_of(random(span_of(shape, strides) + 13, dtype, rng)))
    with MachineDevice(SIZES[size]) as device:
        assert run_plan(device, PutView(strides), x, memory) == run(PutView(strides), x,
                                                                    memory).output
        assert run_plan(device, TakeView(x, strides), memory) == run(TakeView(x, strides),
                                                                     memory).output


@each_name
@pytest.mark.parametrize("seed", range(3))
def test_dimensions_in_any_order_of_memory(seed, size):
    """Of a kernel that wants pixel by pixel, with channels padded to groups."""
    rng = random_of([8, seed])
    with MachineDevice(SIZES[size]) as device:
        for _ in range(12):
            shape = tuple(map(int, rng.integers(1, 7, 3)))
            order = rng.permutation(3)
            given = random_strides([shape[axis] for axis in order], rng)
            steps = tuple(given[place] for place in np.argsort(order))
            x     = QuantTensor(random(shape, np.int16, rng), Element.FX_16, Fixed(4))
            data  = Stored(random(span_of(shape, steps), np.int16, rng))
            nodes = [TakeView(x, steps), MaxPool((1, 1), (1, 1), (0, 0, 0, 0))]
            plan  = Plan(device.config, nodes, data)
            plan.load(device)
            assert plan.run(device, data).output == run(nodes[0], data).output


@pytest.mark.parametrize(("strides", "gathers"), [((12, 1), 0), ((16, 1), 0), ((10, 1), 1),
                                                  ((9, 1), 1), ((16, 2), 1), ((17, 2), 7)])
def test_gaps_of_whole_groups_take_copies_and_others_gathers(strides, gathers):
    """Groups of base have four elements. Steps that are no multiples of one another take a gather
    an index, and one more for each of the three that do not begin a group."""
    x    = QuantTensor(np.zeros((4, 8), np.int8), *TYPES[np.int8])
    plan = Plan(SIZES["base"], [PutView(strides)], x,
                Stored(np.zeros(span_of(x.shape, strides), np.int8)))

    assert sum(pass_.accumulate.op is Op.GATHER for pass_ in plan.program) == gathers


@pytest.mark.parametrize(("shape", "strides"), [((2, 101), (40000, 1)), ((2,), (50001,)),
                                                ((2, 3, 5), (40003, 17, 2))])
def test_steps_that_no_loop_takes(shape, strides):
    rng    = random_of(6)
    like   = QuantTensor(np.zeros(shape, np.int8), *TYPES[np.int8])
    memory = Stored(random(span_of(shape, strides), np.int8, rng))
    with MachineDevice(SIZES["base"]) as device:
        layer = TakeView(like, strides)
        assert run_plan(device, layer, memory) == run(layer, memory).output


def test_nothing_else_is_written():
    """Neither the tensor nor memory as it was, nor anything around what is put."""
    rng = random_of(5)
    x, strides = QuantTensor(random((4, 5), np.int8, rng), *TYPES[np.int8]), (9, 1)
    memory = Stored(random(span_of(x.shape, strides), np.int8, rng))
    with MachineDevice(SIZES["base"]) as device:
        plan = Plan(device.config, [PutView(strides)], x, memory)
        fill(device, seed=1)
        plan.load(device)
        before = device.read_cells(Memory.X, 0, device.config.x_bytes // 2)
        plan.run(device, x, memory)
        after   = device.read_cells(Memory.X, 0, before.size)
        written = np.flatnonzero(after != before) // device.config.lanes
        source, old = plan.sources
        rows = {row for layout in (source, old, plan.target) for row in range(
            layout.row - layout.before, layout.row + layout.rows + layout.behind)}
    assert set(written.tolist()) <= rows
