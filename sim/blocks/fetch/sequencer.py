# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.fetch.sequencer; models replace loop sequencer, issue and write-back."""

from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.fetch.loader import ProgramWrite
from xymac.hdl.core.loop_nest import LoopSlots
from xymac.hdl.core.step import Stall
from xymac.hdl.isa import PASS_STRIDE, Access, Count, Op, Pass, State, Status, pack, pack_words
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

PASSES = int(cocotb.plusargs["passes"])
LINE   = Access(0, 0, 9)
GOOD   = Pass(x=LINE, y=LINE, z=LINE)
INPUTS = ("start", "clear", "stop", "first", "place", "program_enable", "walking", "issue_fault",
          "issue_slot", "z_fault", "z_slot", "in_flight", "trace_busy", "done")


class Rest:
    """Model for the other blocks: accepts launches, ends passes in order, some cycles later."""

    def __init__(self, dut, rng, pace):
        self.dut, self.rng, self.pace = dut, rng, pace
        self.launched = []  # (slot, index, pass word) at each launch
        self._walked  = []
        self._loaded  = [0] * SLOTS
        cocotb.start_soon(self._load())
        cocotb.start_soon(self._walk())
        cocotb.start_soon(self._write())

    async def _wait(self, most):
        for _ in range(self.rng.randint(1, most)):
            await RisingEdge(self.dut.clk)

    async def _load(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            for slot in range(SLOTS):
                if int(dut.loading.value) >> slot & 1:
                    self._loaded[slot] = int(dut.coming.value)

    def _word(self, slot):
        """The pass loaded last into a slot."""
        return self._loaded[slot]

    async def _walk(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if dut.launch.value:
                slot = decode(LoopSlots, int(dut.loop_slots.value))[0]
                half = len(dut.index) // SLOTS
                self.launched.append((int(dut.index.value) >> half * slot & (1 << half) - 1,
                                      self._word(slot)))
                dut.walking.value, dut.in_flight.value = 1, 1
                await self._wait(self.pace)
                dut.walking.value = 0
                self._walked.append((slot, self.launched[-1][1]))

    async def _write(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if self._walked:
                await self._wait(self.pace)
                slot, word = self._walked.pop(0)
                assert self._word(slot) == word, "A slot changed before its pass was written"
                dut.done.value = 1
                await RisingEdge(dut.clk)
                dut.done.value = 0
                dut.in_flight.value = int(bool(self._walked))


async def check_live(dut):
    """``live``: from two cycles after a launch to the pass's last write, or to a flush.

    ``starved`` is the addresses of X while a pass is in its loops.
    """
    live, soon, walks, order = 0, 0, [0, 0], []
    while True:
        await RisingEdge(dut.clk)
        assert int(dut.live.value) == live
        assert not (dut.launch.value and dut.flush.value)
        starved = Stall(int(dut.starved.value))
        if len(set(walks)) == 1:
            assert (starved is Stall.X) == walks[0]
        live |= soon
        soon = 0
        if dut.launch.value:
            soon = 1 << decode(LoopSlots, int(dut.loop_slots.value))[0]
            order.append(soon)
        if dut.done.value:
            live &= ~order.pop(0)
        walks = [walks[1], int(dut.walking.value)]
        if dut.start.value or dut.flush.value:
            live, soon, walks, order = 0, 0, [0, 1], []  # the next cycle is not compared


async def check_status(dut):
    """Without a program, and from a start to its end or a flush, the status is OK, field 0.

    The number of the pass is 0 meanwhile; after a clear it has no meaning.
    """
    while True:
        await RisingEdge(dut.clk)
        state = State(int(dut.state.value))
        if state is State.IDLE or (state is State.BUSY and not dut.flush.value):
            assert Status(int(dut.status.value)) is Status.OK
            assert not dut.field.value
            assert state is State.IDLE or not dut.pass_.value


async def check_starved(dut, rest, count):
    """A program's issue starves for a fetch or for X until all ``count`` passes are launched."""
    while not dut.start.value:
        await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    while len(rest.launched) < count:
        assert Stall(int(dut.starved.value)) in (Stall.FETCH, Stall.X)
        await RisingEdge(dut.clk)


async def prepare(dut, pace=40):
    """Start with the model at ``pace``, or without it if ``pace`` is 0."""
    for name in INPUTS:
        getattr(dut, name).value = 0
    await start(dut)
    cocotb.start_soon(check_live(dut))
    cocotb.start_soon(check_status(dut))
    return Rest(dut, random_of(161), pace) if pace else None


async def load(dut, passes, first=0):
    """Write passes to program memory from number ``first`` on."""
    for number, pass_ in enumerate(passes, first):
        for index, word in enumerate(pack_words(pass_)):
            dut.program.value = encode(ProgramWrite(PASSES), {
                "address": number * PASS_STRIDE + index, "data": word, "mask": 0xFF})
            dut.program_enable.value = 1
            await RisingEdge(dut.clk)
    dut.program_enable.value = 0


async def run(dut, first=0):
    """Start and wait for the end; returns state, status, field and pass."""
    dut.first.value, dut.start.value = first, 1
    await RisingEdge(dut.clk)
    dut.start.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    assert State(int(dut.state.value)) is State.BUSY
    for _ in range(5000):
        await RisingEdge(dut.clk)
        if State(int(dut.state.value)) is not State.BUSY:
            break
    return (State(int(dut.state.value)), Status(int(dut.status.value)), int(dut.field.value),
            int(dut.pass_.value))


async def clear(dut):
    """Clear, and check for the idle state."""
    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    assert State(int(dut.state.value)) is State.IDLE


async def wait_launch(dut, most):
    """Wait for a launch, ``most`` cycles at most."""
    for _ in range(most):
        if dut.launch.value:
            return
        await RisingEdge(dut.clk)
    assert dut.launch.value


async def launch(dut, first):
    """Start, with a busy loop sequencer and a sum in flight in the array."""
    dut.first.value, dut.start.value = first, 1
    await RisingEdge(dut.clk)
    dut.start.value = 0
    await wait_launch(dut, 200)
    dut.walking.value = dut.in_flight.value = 1


def number_passes(count):
    """``count`` distinct passes."""
    return [replace(GOOD, taps=(1, 1, number + 1), last=number == count - 1)
            for number in range(count)]


@cocotb.test
@cocotb.parametrize(pace=[1, 10, 60, 250])
async def passes_in_order(dut, pace):
    """Every pass is launched once, in order, with its own words; the last pass ends the run."""
    rest = await prepare(dut, pace)
    for first, count in ((0, 1), (0, 5), (3, 2), (0, PASSES), (PASSES - 1, 1)):
        passes = number_passes(count)
        await load(dut, passes, first)
        rest.launched.clear()
        starves = cocotb.start_soon(check_starved(dut, rest, count))
        assert await run(dut, first) == (State.DONE, Status.OK, 0, first + count - 1)
        assert rest.launched == [(first + number, pack(pass_))
                                 for number, pass_ in enumerate(passes)]
        await starves
        assert not dut.in_flight.value
        assert Stall(int(dut.starved.value)) is Stall.DRAIN
    await clear(dut)


@cocotb.test
async def prefetch(dut):
    """The next pass is ready when a pass's loops end: its launch follows at once."""
    await prepare(dut, pace=0)
    await load(dut, number_passes(2))
    await launch(dut, 0)
    for _ in range(60):
        await RisingEdge(dut.clk)
        assert not dut.launch.value
    dut.walking.value = 0
    await wait_launch(dut, 2)
    assert decode(LoopSlots, int(dut.loop_slots.value)) == [1] * LoopSlots.length


@cocotb.test
async def bad_passes(dut):
    """Bad passes are refused in their turn, after the earlier passes have ended."""
    rest = await prepare(dut)
    cases = [(replace(GOOD, op=Op.NONE), Status.OPCODE, 0),
             (replace(GOOD, taps=(1, 0, 1)), Status.COUNT, Count.TAPS1.value),
             (replace(GOOD, shift=41), Status.SHIFT, 0),
             (replace(GOOD, z=Access(0, 0, 65535)), Status.WINDOW, Count.Z.value)]
    for bad, status, field in cases:
        for before in range(4):
            await load(dut, [*number_passes(before + 1)[:-1], bad, replace(GOOD, last=True)])
            rest.launched.clear()
            assert await run(dut) == (State.FAULT, status, field, before)
            assert len(rest.launched) == before
            await clear(dut)
            await load(dut, number_passes(1))
            assert await run(dut) == (State.DONE, Status.OK, 0, 0)
            await clear(dut)


@cocotb.test
async def past_the_end(dut):
    """A program without a last pass runs past its memory."""
    rest = await prepare(dut)
    await load(dut, [GOOD] * PASSES)
    assert await run(dut, PASSES - 2) == (State.FAULT, Status.END, 0, PASSES)
    assert len(rest.launched) == 2
    await clear(dut)
    await load(dut, number_passes(2))
    assert await run(dut) == (State.DONE, Status.OK, 0, 1)


@cocotb.test
@cocotb.parametrize(where=["issue", "z"], slot=[0, 1])
async def faults_while_running(dut, where, slot):
    """A fault flushes, waits for all writes and names the pass in its slot; then the next program
    runs."""
    await prepare(dut, pace=0)
    for number in range(2):
        await load(dut, number_passes(4))
        await launch(dut, number)
        for _ in range(40):  # the next pass is in the next slot
            await RisingEdge(dut.clk)
        dut.issue_slot.value, dut.z_slot.value = (slot, 0) if where == "issue" else (0, slot)
        if where == "issue":
            dut.issue_fault.value = Status.X_ACCESS.value
        else:
            dut.z_fault.value = 1
        for _ in range(20):
            await RisingEdge(dut.clk)
        assert dut.flush.value
        assert State(int(dut.state.value)) is State.BUSY  # a sum is in flight
        dut.in_flight.value = dut.issue_fault.value = dut.walking.value = 0
        for _ in range(3):
            await RisingEdge(dut.clk)
        outcome = (State(int(dut.state.value)), Status(int(dut.status.value)), int(dut.pass_.value))
        dut.z_fault.value = 0
        wanted = Status.X_ACCESS if where == "issue" else Status.Z_ACCESS
        assert outcome == (State.FAULT, wanted, number + slot)
        await clear(dut)
