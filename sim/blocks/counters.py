"""Bench of hdl.core.trace.counters: every cycle has one cause; records keep what was true then."""


import cocotb
from cocotb.triggers import RisingEdge

from hdl.config import trace_words_at_once
from hdl.core.step import Stall
from hdl.core.trace import Counters
from hdl.isa import BANKS, COUNTERS, TRACE_STRIDE
from sim.agents.seed import random_of
from sim.agents.stream import decode, start

PASSES   = int(cocotb.plusargs["passes"])
COUNTED  = Counters(passes=PASSES).values.shape()
INPUTS   = ("clear", "running", "stall", "issued", "issued_pass", "done", "done_pass", "overflow",
            "address")


class Model:
    """The counters and records as the documentation has them."""

    def __init__(self):
        self.values  = [0] * len(COUNTERS)
        self.records = {}

    def step(self, stall, issued, done, overflow):
        """One running cycle; ``issued`` and ``done`` are pass numbers or None."""
        if done is not None:  # The cycles before this one.
            self.records[done, TRACE_STRIDE - 1] = self.values[0] | overflow << 31
        self.values[0] += 1
        self.values[stall.value] += 1
        if issued is not None:
            self.records |= {(issued, word): value for word, value in enumerate(self.values)}


@cocotb.test
async def counts_and_records(dut):
    """Random stalls; passes issue as soon as they may, or later, and end BANKS cycles apart."""
    rng, model = random_of(121), Model()
    for name in INPUTS:
        getattr(dut, name).value = 0
    await start(dut)
    dut.running.value = 1
    before, open_, order = None, 0, iter(range(PASSES))
    done_at, last_done, apart = {}, 0, []
    for cycle in range(30 * PASSES):
        # The register of issue, and its last steps that are BANKS cycles apart.
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
        before = issued  # the number comes a cycle later
        dut.done.value, dut.done_pass.value = int(done is not None), done or 0
        model.step(stall, issued, done, overflow)
        await RisingEdge(dut.clk)
    dut.running.value = 0
    for _ in range(TRACE_STRIDE):
        await RisingEdge(dut.clk)

    assert decode(COUNTED, int(dut.values.value)) == model.values
    assert not dut.busy.value
    for (number, word), value in model.records.items():
        dut.address.value = number * TRACE_STRIDE + word
        for _ in range(3):
            await RisingEdge(dut.clk)
        answer = int(dut.word.value)
        if word == TRACE_STRIDE - 1:  # The cycle may lag by the registers of the counter.
            assert answer >> 31 == value >> 31, number
            assert value - 2 <= answer <= value, number
        else:
            assert answer == value, (number, word)


@cocotb.test
async def busy_while_a_record_is_written(dut):
    """From the cycle after the issue, no longer than a record needs; clear brings zeros."""
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
    dut.running.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    await RisingEdge(dut.clk)
    assert decode(COUNTED, int(dut.values.value)) == [0] * len(COUNTERS)
