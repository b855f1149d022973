# SPDX-License-Identifier: Apache-2.0
"""Further bench for xymac.hdl.core.reduction: passes next to each other, and aborted passes."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.core.reduction import Heap, Reduction, Scalars
from xymac.hdl.isa import BANKS, Reduce, RoundMode
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode

from .reduction import WAYS, abort, load, prepare, random_pass, settle, write

NEAR = WAYS * Heap.CYCLES  # cycles from a ranked vector to the next
BUSY = Reduction.RANK + BANKS * WAYS


def ranking(size, drop=0, fresh=1, reduce=Reduce.RANK):
    """A pass configuration with 16-bit elements."""
    return {"reduce": reduce, "fresh": fresh, "drop": drop, "wide": 1, "rounding": RoundMode.UP,
            "entry": size - 1}


async def follow(dut, cycles, ends):
    """Assert ``folding`` until cycle ``ends``, and its end for the rest of ``cycles`` cycles."""
    for cycle in range(cycles):
        assert dut.folding.value == (cycle < ends), cycle
        await RisingEdge(dut.clk)


@cocotb.test
async def next_to_each_other(dut):
    """Several passes' vectors at minimum distance, some without an element."""
    rng = random_of(165)
    columns, model = await prepare(dut, rng)
    for number in range(60):
        passes = []
        for slot in range(3):
            config = ranking(rng.choice([1, 2, 3, 16]), rng.randrange(max(WAYS, 2)),
                             int(slot == 0 or rng.random() < 0.8))
            groups = [[rng.randrange(-9, 9) for _ in range(WAYS)]
                      for _ in range(rng.choice([1, 1, 2, 7]))]
            await load(dut, slot, config)
            passes.append((slot, config, groups))
        for slot, config, groups in passes:
            model.take(config, groups)
            await write(dut, columns, slot, config, groups, lambda _: NEAR - 1)
        for _ in range(2):
            await RisingEdge(dut.clk)
        await follow(dut, BUSY, BUSY - 1)
        if model.heap.nodes:
            assert decode(Scalars, int(dut.scalars.value)) == model.scalars, (number, passes)


@cocotb.test
async def a_pop_after_a_rank(dut):
    """``folding`` lasts as long as the later end requires, at every distance."""
    rng = random_of(166)
    columns, model = await prepare(dut, rng)
    for distance in range(NEAR, BUSY + 3):
        size, config = rng.choice([2, 16]), ranking(1, reduce=Reduce.POP)
        ranks  = ranking(size)
        groups = [[rng.randrange(-9, 9) for _ in range(WAYS)] for _ in range(size)]
        for slot, each in enumerate((ranks, config)):
            await load(dut, slot, each)
        model.take(ranks, groups)
        await write(dut, columns, 0, ranks, groups, lambda _: NEAR - 1)
        model.take(config, groups[:1])
        await write(dut, columns, 1, config, groups[:1], lambda _, wait=distance - 1: wait)
        for _ in range(2):
            await RisingEdge(dut.clk)
        busy = max(Reduction.POP, BUSY - distance) - 1
        await follow(dut, busy + 20, busy)
        assert decode(Scalars, int(dut.scalars.value)) == model.scalars, distance


@cocotb.test
async def a_far_place(dut):
    """The place of the largest element has 15 bits."""
    rng = random_of(167)
    columns, model = await prepare(dut, rng)
    config = ranking(1)
    groups = [[number // 9] * WAYS for number in range((1 << 14) // WAYS + 9)]
    await load(dut, 1, config)
    model.take(config, groups)
    await write(dut, columns, 1, config, groups, lambda _: NEAR - 1)
    for _ in range(2):
        await RisingEdge(dut.clk)
    await follow(dut, BUSY, BUSY - 1)
    assert model.heap.place >= 1 << 14
    assert decode(Scalars, int(dut.scalars.value)) == model.scalars


@cocotb.test
async def begins_after_an_abort(dut):
    """A program's first fresh pass ignores an aborted pass's elements."""
    rng = random_of(164)
    columns, _ = await prepare(dut, rng)
    for kind, value in ((Reduce.MAX, -99), (Reduce.MIN, 99), (Reduce.SUM, -5), (Reduce.RANK, 7)):
        config, _ = random_pass(rng)
        config |= {"reduce": kind, "fresh": 1, "drop": 0, "wide": 1, "entry": 3}
        await load(dut, 0, config)
        model = await abort(dut, columns, 0, config, [[3] * WAYS])
        await load(dut, 0, config)
        groups = [[value + number] * WAYS for number in range(4)]
        model.take(config, groups)
        await write(dut, columns, 0, config, groups, lambda _: WAYS * Heap.CYCLES)
        for _ in range(2):
            await RisingEdge(dut.clk)
        await settle(dut, kind)
        assert decode(Scalars, int(dut.scalars.value)) == model.scalars, kind
