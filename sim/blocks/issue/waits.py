# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.issue: wait conditions for a pass and its last step, modes, faults."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.hold import Hold
from xymac.hdl.core.issue import Issue
from xymac.hdl.core.scale import Mode
from xymac.hdl.core.step import Kind, Stall
from xymac.hdl.isa import BANKS, Adjust, Memory, Op, Pass, RoundMode, Scale, Status
from xymac.sim.agents.stream import StreamSource, decode

from .stand import BIAS_ROWS, ISSUE, LINE, load, offer, prepare

#: Mode fields of the second pass.
SECOND = {"scale": Scale.SYMMETRIC16.value, "rounding": RoundMode.UP.value, "floor": 5, "shares": 0}


@cocotb.test
@cocotb.parametrize(slot=list(range(SLOTS)), others=[0, 1], writers=[0, 1])
async def a_waiting_pass_waits(dut, slot, others, writers):
    """The first step waits until no sum is in flight; the stall cause is the drain.

    Per-channel parameters are read before, unless another pass that writes Y is ``live``: the
    pass itself, and a pass that is not live, may write Y. With ``others`` all slots are live, with
    ``writers`` a live slot beside ``slot`` writes Y.
    """
    monitor = await prepare(dut)
    dut.unwritten.value = 1
    neighbour = (slot + 2) % SLOTS
    for index in range(SLOTS):
        in_y = index == slot or (index == neighbour and writers)
        await load(dut, index, Pass(x=LINE, y=LINE, z=LINE,
                                    z_memory=Memory.Y if in_y else Memory.X))
    dut.live.value = (1 << SLOTS) - 1 if others else 1 << slot
    await RisingEdge(dut.clk)
    offer(dut, [({"slot": slot, "first": 1, "wait": 1, "last": 1, "bias": 1}, [(1, 2)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    early = 0 if others and writers else BIAS_ROWS
    assert [step["kind"] for _, step in monitor.slots] == [Kind.BIAS.value] * early
    assert monitor.stalls[-10:] == [Stall.DRAIN] * 10
    dut.unwritten.value = 0
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == BIAS_ROWS + 1


@cocotb.test
@cocotb.parametrize(wait=[0, 1])
async def records_are_read_from_y(dut, wait):
    """The stall cause is Y while records are read, and the drain while the pass also waits."""
    monitor = await prepare(dut)
    dut.unwritten.value = wait
    for _ in range(4):
        await RisingEdge(dut.clk)
    monitor.stalls.clear()
    offer(dut, [({"slot": 0, "first": 1, "last": 1, "bias": 1, "wait": wait}, [(1, 2)])], 0.0)
    for _ in range(12):
        await RisingEdge(dut.clk)
    assert sum(step["kind"] == Kind.BIAS.value for _, step in monitor.slots) == BIAS_ROWS
    dut.unwritten.value = 0
    for _ in range(12):
        await RisingEdge(dut.clk)
    step   = monitor.stalls.index(Stall.NONE)
    causes = [cause for cause in monitor.stalls[:step] if cause is not Stall.FETCH]
    assert set(causes) == {Stall.DRAIN if wait else Stall.Y}
    assert len(causes) >= BIAS_ROWS


@cocotb.test
async def another_scale_waits(dut):
    """A new mode waits ``SWITCH`` cycles after the previous last step; an equal mode does not."""
    monitor = await prepare(dut)
    offer(dut, [({"slot": 0, "first": 1, "last": 1}, [(1, 2)]),
                ({"slot": 1, "first": 1, "bias": 1, "records": 2}, [(1, 2)]),
                ({"slot": 1}, [(1, 2)]),
                ({"slot": 1, "first": 1, "last": 1}, [(1, 2)])], 0.0)
    plain = {"scale": 0, "rounding": 0, "floor": 0, "shares": 0}
    while not monitor.slots:
        await RisingEdge(dut.clk)
    for _ in range(Issue.SWITCH):
        assert decode(Mode, int(dut.mode.value)) == plain
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == 1
    for _ in range(60):
        await RisingEdge(dut.clk)
    assert decode(Mode, int(dut.mode.value)) == SECOND
    assert len(monitor.slots) == 1 + 3 * BIAS_ROWS + 2 + 3
    assert monitor.slots[1][0] - monitor.slots[0][0] <= Issue.SWITCH + BANKS


@cocotb.test
@cocotb.parametrize(resume=[0, 1], bias=[0, 1])
async def only_a_resumed_sum_waits_for_its_save(dut, resume, bias):
    """It starts ``Hold.BUSY + 2`` cycles after the saved sum; another sum does not wait."""
    monitor = await prepare(dut)
    for slot in range(2):
        await load(dut, slot, Pass(x=LINE, y=LINE, z=LINE, hold=not slot))
    offer(dut, [({"slot": 0, "first": 1, "last": 1, "hold": 1}, [(1, 2)] * 2 * BANKS),
                ({"slot": 1, "first": 1, "last": 1, "resume": resume, "bias": bias}, [(3, 4)])],
          0.0)
    for _ in range(40):
        await RisingEdge(dut.clk)
    *_, last, begin = (cycle for cycle, step in monitor.slots if step["kind"] == Kind.STEP.value)
    assert begin - last == (Hold.BUSY + 2 if resume else BANKS)


@cocotb.test
async def a_share_is_a_mode(dut):
    """A SHARE pass scales by the inverse, with its own rounding mode."""
    monitor = await prepare(dut)
    share   = Pass(x=LINE, y=LINE, z=LINE, op=Op.SHARE, adjust=Adjust.PLACES,
                   rounding=RoundMode.FLOOR)
    await load(dut, 0, share)
    offer(dut, [({"slot": 0, "first": 1, "last": 1}, [(1, 2)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert decode(Mode, int(dut.mode.value)) == {
        "scale": Scale.BITS32.value, "rounding": RoundMode.FLOOR.value, "floor": 0, "shares": 1}
    assert [step["op"] for _, step in monitor.slots] == [Op.MAC.value]


@cocotb.test
async def the_last_step_waits(dut):
    """A pass's last step waits for the trace."""
    monitor = await prepare(dut)
    dut.closed.value = 1
    offer(dut, [({"slot": 1, "first": 1, "last": 1}, [(1, 2), (3, 4)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == 1
    assert monitor.stalls[-10:] == [Stall.DRAIN] * 10
    dut.closed.value = 0
    for _ in range(5):
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == 2


@cocotb.test
async def a_pass_loads_while_another_runs(dut):
    """A pass loaded while issue is busy has its own fields."""
    monitor = await prepare(dut)
    dut.closed.value = 1
    offer(dut, [({"slot": 1, "first": 1, "last": 1}, [(1, 2), (3, 4)]),
                ({"slot": 0, "first": 1, "last": 1}, [(5, 6)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == 1
    await load(dut, 0, Pass(x=LINE, y=LINE, z=LINE, x_zero=33))
    dut.closed.value = 0
    for _ in range(60):
        await RisingEdge(dut.clk)
    assert [step["x_zero"] for _, step in monitor.slots] == [-77, -77, 33]


@cocotb.test
async def an_output_waits_for_its_addresses(dut):
    """The stall cause is Y until the first tap arrives."""
    monitor = await prepare(dut)
    source  = StreamSource(dut, "i", ISSUE.i.payload.shape())
    taps    = StreamSource(dut, "taps", ISSUE.taps.payload.shape())
    await source.send([{"slot": 1, "first": 1, "last": 1}])
    for _ in range(12):
        await RisingEdge(dut.clk)
    assert monitor.stalls[-8:] == [Stall.Y] * 8

    await taps.send([{}])
    for _ in range(4):
        await RisingEdge(dut.clk)
    assert monitor.stalls.count(Stall.NONE) == 1
    assert Status(int(dut.issue_fault.value)) is Status.OK


FAULTS = {
    "empty": ({"empty": 1}, {}, {}, Status.EMPTY),
    "bias":  ({"bias": 1, "bias_bad": 1}, {}, {}, Status.Y_ACCESS),
    "x":     ({}, {"bad": 1}, {}, Status.X_ACCESS),
    "y":     ({}, {}, {"bad": 1}, Status.Y_ACCESS),
    "both":  ({}, {"bad": 1}, {"bad": 1}, Status.X_ACCESS),
}


@cocotb.test
@cocotb.parametrize(name=list(FAULTS), steps=[0, 2])
async def faults(dut, name, steps):
    """A fault after some good steps stops the issue; after a flush outputs start again."""
    output, x, y, status = FAULTS[name]
    if output and steps:
        steps = 0  # these faults precede the first step of their output
    monitor = await prepare(dut)
    sources = {port: StreamSource(dut, port, getattr(ISSUE, port).payload.shape())
               for port in ("i", "taps")}
    tasks = [cocotb.start_soon(sources["i"].send([{"slot": 1, "first": 1, **output}])),
             cocotb.start_soon(sources["taps"].send([{}] * steps + [{"x": x, "y": y}]))]
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert Status(int(dut.issue_fault.value)) is status
    assert dut.issue_slot.value == 1
    assert [step["kind"] for _, step in monitor.slots].count(Kind.STEP.value) == steps

    for task in tasks:
        task.cancel()
    dut.flush.value = 1
    for port in ("i", "taps"):
        getattr(dut, f"{port}__valid").value = 0
    await RisingEdge(dut.clk)
    dut.flush.value = 0
    monitor.slots.clear()
    offer(dut, [({"slot": 1, "first": 1}, [(5, 6), (7, 8)])], 0.0)
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert [(step["x"], step["first"]) for _, step in monitor.slots] == [(5, 1), (7, 0)]
