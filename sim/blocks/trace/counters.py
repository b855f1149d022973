# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.trace.counters: a cause for every cycle; records hold earlier counts."""


import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.config import trace_words_at_once
from xymac.hdl.core.step import Stall
from xymac.hdl.isa import BANKS, COUNTERS, TRACE_STRIDE
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

PASSES   = int(cocotb.plusargs["passes"])
READS    = 3 * TRACE_STRIDE  # most cycles to read a counter, more than a record takes
INPUTS   = ("clear", "running", "stall", "issued", "issued_pass", "done", "done_pass", "overflow",
            "address", "asks", "number")


class Model:
    """Counters and trace records as documented."""

    def __init__(self):
        self.values  = [0] * len(COUNTERS)
        self.records = {}

    def step(self, stall, issued, done, overflow):
        """A running cycle; ``issued`` and ``done`` are pass numbers or None."""
        if done is not None:  # without the current cycle
            self.records[done, TRACE_STRIDE - 1] = self.values[0] | overflow << 31
        self.values[0] += 1
        self.values[stall.value] += 1
        if issued is not None:
            self.records |= {(issued, word): value for word, value in enumerate(self.values)}


async def read(dut, number):
    """Read a counter, within a bounded cycle count."""
    dut.asks.value, dut.number.value = 1, number
    for _ in range(READS):
        await RisingEdge(dut.clk)
        if dut.taken.value:
            break
    else:
        raise AssertionError(f"Counter {number} is not read in {READS} cycles")
    dut.asks.value = 0
    dut.number.value = TRACE_STRIDE - 1 - number
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    return int(dut.value.value)


async def read_all(dut):
    """Read all counters."""
    return [await read(dut, number) for number in range(len(COUNTERS))]


@cocotb.test
@cocotb.parametrize(asked=[0, 1])
async def counts_and_records(dut, asked):
    """Random stalls; passes issue as early as allowed or later, and end BANKS cycles apart.

    With ``asked`` a host reads counters as often as possible.
    """
    rng, model = random_of(121), Model()
    for name in INPUTS:
        getattr(dut, name).value = 0
    await start(dut)
    dut.running.value = 1
    before, open_, order = None, 0, iter(range(PASSES))
    done_at, last_done, apart = {}, 0, []
    for cycle in range(30 * PASSES):
        # Model of the issue block: last steps are at least BANKS cycles apart.
        issued  = None
        allowed = open_ and (not apart or cycle - apart[-1] >= BANKS)
        open_   = not dut.closed.value
        if cycle > 20 and allowed and (cycle < 200 or rng.random() < 0.2):
            issued = next(order, None)
        if issued is not None:
            apart.append(cycle)
            last_done = max(last_done + BANKS, cycle + rng.randint(30, 36))
            done_at[last_done] = issued
        done = done_at.get(cycle)
        stall, overflow = rng.choice(list(Stall)[1:]), rng.randrange(2)
        dut.stall.value, dut.overflow.value = stall.value, overflow
        dut.issued.value, dut.issued_pass.value = int(issued is not None), before or 0
        before = issued  # the pass number follows a cycle later
        dut.done.value, dut.done_pass.value = int(cycle + 1 in done_at), done or 0
        dut.asks.value, dut.number.value = asked and cycle % 6 == 0, rng.randrange(len(COUNTERS))
        model.step(stall, issued, done, overflow)
        await RisingEdge(dut.clk)
    dut.running.value = dut.asks.value = dut.done.value = 0
    for _ in range(2 * TRACE_STRIDE):
        await RisingEdge(dut.clk)

    assert await read_all(dut) == model.values
    assert not dut.busy.value
    for (number, word), value in model.records.items():
        dut.address.value = number * TRACE_STRIDE + word
        for _ in range(3):
            await RisingEdge(dut.clk)
        answer = int(dut.word.value)
        if word == TRACE_STRIDE - 1:  # the time may lag by the counter's registers
            assert answer >> 31 == value >> 31, number
            assert (answer & (1 << 31) - 1) == (value & (1 << 31) - 1) - 1, number
        else:
            assert answer == value, (number, word)


@cocotb.test
async def busy_while_a_record_is_written(dut):
    """``busy`` lasts from the cycle after the issue for a record's length, and a cycle after the
    pass is written; clear zeroes all.
    """
    for name in INPUTS:
        getattr(dut, name).value = 0
    await start(dut)
    dut.running.value, dut.stall.value, dut.issued.value = 1, Stall.NONE.value, 1
    await RisingEdge(dut.clk)
    dut.issued.value = 0
    await RisingEdge(dut.clk)
    busy = 0
    while dut.busy.value:
        await RisingEdge(dut.clk)
        busy += 1
    lines = -(-len(COUNTERS) // trace_words_at_once(PASSES))
    assert lines <= busy <= lines + 3
    dut.done.value = 1
    await RisingEdge(dut.clk)
    dut.done.value = 0
    await RisingEdge(dut.clk)
    assert dut.busy.value  # the last word of the record is not written
    await RisingEdge(dut.clk)
    assert not dut.busy.value
    dut.running.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    assert await read_all(dut) == [0] * len(COUNTERS)


@cocotb.test
async def clear_beside_written_passes(dut):
    """All counters are 0 after a clear, wherever a pass is written among the cycles behind it."""
    for name in INPUTS:
        getattr(dut, name).value = 0
    await start(dut)
    for after in range(2 * TRACE_STRIDE):
        dut.running.value, dut.stall.value = 1, Stall.NONE.value
        for _ in range(3 * TRACE_STRIDE):
            await RisingEdge(dut.clk)
        dut.running.value = 0
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
        dut.clear.value = 1
        for cycle in range(after + 2):
            dut.done.value = int(cycle == after + 1)
            await RisingEdge(dut.clk)
            dut.clear.value = 0
        dut.done.value = 0
        assert await read_all(dut) == [0] * len(COUNTERS), after
