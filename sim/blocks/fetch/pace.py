# SPDX-License-Identifier: Apache-2.0
"""Further bench for xymac.hdl.core.fetch.sequencer: loops, and the cycles from pass to pass."""

from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.core.fetch.loader import Loader
from xymac.hdl.isa import Op, State, Status, pack
from xymac.sim.agents.seed import random_of

from .sequencer import GOOD, PASSES, clear, load, number_passes, prepare, run

LOAD = Loader(passes=PASSES, ways=1, x_rows=512, y_rows=512, slots=2, functions=0).cycles


def looped(passes, ends):
    """The passes with loop ends, {number: (back, repeat)}."""
    return [replace(pass_, **dict(zip(("back", "repeat"), ends.get(number, (0, 0)), strict=True)))
            for number, pass_ in enumerate(passes)]


def order_of(passes, first):
    """Numbers of the passes in program order; the loops have a single level."""
    order, number, iteration = [], first, 0
    while True:
        order.append(number)
        control = passes[number].control
        if iteration < control.repeat:
            iteration, number = iteration + 1, number - control.back
            if number < 0:
                return order
            continue
        if control.repeat:
            iteration = 0
        if control.last:
            return order
        number += 1


async def note_loads(dut, began):
    """Append (cycle, slot) at the begin of each load, and 'launch' cycles, counted from start."""
    cycle, before = 0, 0
    while not dut.start.value:
        await RisingEdge(dut.clk)
    while True:
        await RisingEdge(dut.clk)
        cycle += 1
        now    = int(dut.loading.value)
        if now & ~before:
            began["loads"].append(cycle)
        if dut.launch.value:
            began["launches"].append(cycle)
        before = now


@cocotb.test
async def at_full_rate(dut):
    """A load follows the earlier load after its check, a cycle later after a loop end."""
    await prepare(dut, pace=1)
    for ends in ({}, {0: (0, 3)}, {2: (1, 2), 3: (0, 1), 6: (2, 4)}, {PASSES - 1: (PASSES - 1, 1)}):
        for first in (0, 1):
            passes = looped(number_passes(PASSES), ends)
            order  = order_of(passes, first)
            await load(dut, passes)
            noted  = {"loads": [], "launches": []}
            task   = cocotb.start_soon(note_loads(dut, noted))
            assert await run(dut, first) == (State.DONE, Status.OK, 0, PASSES - 1)
            task.cancel()

            assert noted["launches"][0] == LOAD + 3
            distances = [later - earlier for earlier, later in zip(
                noted["loads"], noted["loads"][1:], strict=False)]
            assert distances == [LOAD + 1 + (number in ends) for number in order[:-1]]


@cocotb.test
@cocotb.parametrize(pace=[1, 60])
async def loops(dut, pace):
    """Every pass of a loop is launched in every iteration; ``again`` tells the first."""
    rest, rng = await prepare(dut, pace), random_of(164)
    for _ in range(8):
        passes = number_passes(PASSES)
        end    = rng.randrange(PASSES)
        passes = looped(passes, {end: (rng.randint(0, end), rng.randint(1, 4))})
        first  = rng.randrange(end + 1)
        await load(dut, passes)
        rest.launched.clear()
        assert await run(dut, first) == (State.DONE, Status.OK, 0, PASSES - 1)
        assert rest.launched == [(number, pack(passes[number]))
                                 for number in order_of(passes, first)]


@cocotb.test
@cocotb.parametrize(last=[0, 1])
async def before_the_memory(dut, last):
    """A loop that begins before the first pass ends the program at its end, after its pass."""
    rest = await prepare(dut)
    for number in range(PASSES):
        passes = looped([GOOD] * PASSES, {number: (number + 1, 1)})
        passes[number] = replace(passes[number], last=bool(last))
        await load(dut, passes)
        rest.launched.clear()
        assert await run(dut) == (State.FAULT, Status.END, 0, number)
        assert [index for index, _ in rest.launched] == list(range(number + 1))
        await clear(dut)


@cocotb.test
async def bad_loop_ends(dut):
    """A bad pass ends the program at once, also at a loop's end and in a later iteration."""
    rest = await prepare(dut)
    for number, repeat in ((0, 1), (3, 2)):
        passes = looped(number_passes(PASSES), {number: (number, repeat)})
        passes[number] = replace(passes[number], op=Op.NONE)
        await load(dut, passes)
        rest.launched.clear()
        assert await run(dut) == (State.FAULT, Status.OPCODE, 0, number)
        assert len(rest.launched) == number
        await clear(dut)
