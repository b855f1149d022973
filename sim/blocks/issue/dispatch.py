# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.issue.dispatch: every output reaches issue once, and its job the AGU."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout

from xymac.hdl.config import SLOTS
from xymac.hdl.core.agu import Job
from xymac.hdl.core.loop_nest import Output
from xymac.hdl.core.step import ToIssue
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, StreamSource, decode, start


def random_output(rng):
    """A loop sequencer output, maybe without taps."""
    return {"x": rng.randint(-9, 999), "y": rng.randint(-9, 999), "z": rng.randrange(1 << 10),
            "rows": rng.randint(1, 15), "cols": rng.randint(1, 7), "count": rng.randint(1, 60000),
            "empty": int(rng.random() < 0.2), "slot": rng.randrange(SLOTS),
            "bias_row": rng.randrange(1 << 12)} | {name: rng.randrange(2) for name in (
                "bias", "first", "last", "wait", "gather", "slide", "begins", "blank")}


def job_of(output):
    """Expected job; X and Y start addresses, rows, columns and innermost taps."""
    return {"start": [output["x"], output["y"]], "slot": output["slot"],
            "counts": [output["rows"], output["cols"], output["count"]]}


def issued(output):
    """Expected fields for issue: rows and columns are swapped."""
    same = {name: value for name, value in output.items() if name in ToIssue.members}
    return same | {"rows": output["cols"], "columns": output["rows"] % 8}


async def take_jobs(dut, rng, busy, jobs):
    """Append each job; like the AGU, ``jobs`` is ready until it takes a job, then maybe pauses."""
    while True:
        dut.jobs__ready.value = 1
        await RisingEdge(dut.clk)
        if dut.jobs__valid.value:
            jobs.append(decode(Job, int(dut.jobs__payload.value)))
            dut.jobs__ready.value = 0
            await RisingEdge(dut.clk)
            while rng.random() < busy:
                await RisingEdge(dut.clk)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5], slow=[0.0, 0.3, 0.9], busy=[0.0, 0.7])
async def every_output_once(dut, pause, slow, busy):
    """All outputs arrive in order, however often issue (``slow``) or the AGU (``busy``) pauses."""
    rng, dut.flush.value = random_of(157), 0
    await start(dut)
    outputs = [random_output(rng) for _ in range(100)]
    cocotb.start_soon(StreamSource(dut, "i", Output, pause=pause, seed=1).send(outputs))
    cocotb.start_soon(take_jobs(dut, random_of(2), busy, jobs := []))
    taken = await with_timeout(StreamSink(dut, "o", ToIssue, pause=slow, seed=3).receive(
        len(outputs)), 100, "us")

    for actual, output in zip(taken, outputs, strict=True):
        fields = issued(output)
        assert {name: actual[name] for name in fields} == fields
    assert jobs == [job_of(output) for output in outputs if not output["empty"]]
    await ClockCycles(dut.clk, 8)
    assert not dut.o__valid.value


@cocotb.test
async def a_flush_empties_the_queue(dut):
    """After a flush in any cycle, perhaps while outputs are taken, issue receives later ones."""
    rng, dut.flush.value = random_of(158), 0
    await start(dut)
    dut.jobs__ready.value, dut.o__ready.value = 1, 0
    source = StreamSource(dut, "i", Output)
    for cycles in range(1, 24):
        task = cocotb.start_soon(source.send([random_output(rng) for _ in range(9)]))
        dut.o__ready.value = int(cycles % 3 > 0)
        await ClockCycles(dut.clk, cycles)
        dut.flush.value = 1
        await RisingEdge(dut.clk)
        task.cancel()
        dut.i__valid.value = dut.flush.value = dut.o__ready.value = 0
        outputs = [random_output(rng) for _ in range(3)]
        cocotb.start_soon(source.send(outputs))
        taken = await with_timeout(StreamSink(dut, "o", ToIssue).receive(3), 10, "us")
        assert [output["z"] for output in taken] == [output["z"] for output in outputs]
