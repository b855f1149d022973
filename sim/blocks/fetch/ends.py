# SPDX-License-Identifier: Apache-2.0
"""Further bench for xymac.hdl.core.fetch.sequencer: a stop or a fault in every cycle."""

from dataclasses import replace

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.loop_nest import LoopSlots
from xymac.hdl.isa import Op, State, Status, pack
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode

from .pace import LOAD
from .sequencer import PASSES, clear, load, number_passes, prepare

COUNT = int(cocotb.plusargs["slots"])
SOON  = 3  # cycles from a stop to the flush, from a claimed slot on


class Work:
    """Model for the other blocks, a step a cycle: walks passes, writes them, drops them at a flush.

    Parameters
    ----------
    walk, write : int, cycles of a walk, and from its end to ``done``
    drain : int, cycles with a result in flight after a flush
    """

    def __init__(self, dut, walk, write, drain):
        self.dut, self.times = dut, (walk, write, drain)
        self.launched, self.dones = [], []  # (index, word) of launches; cycles of ``done``
        self.flushed = None   # cycle
        self.cycle   = 0
        self._walked = None   # cycles left
        self._writes = []     # cycle of each ``done`` to come
        self._loaded = [0] * SLOTS
        self._quiet  = False

    def step(self):
        """Look at the outputs of a cycle, and drive the inputs for the next."""
        dut = self.dut
        self.cycle += 1
        for slot in range(SLOTS):
            if int(dut.loading.value) >> slot & 1:
                self._loaded[slot] = int(dut.coming.value)
        if self.flushed is None and dut.flush.value:
            self.flushed = self.cycle
            self._walked, self._writes = None, []
        if self.flushed is None:
            self._walk()
        else:
            assert not dut.launch.value, "A launch after a flush"
            assert not dut.in_flight.value or State(int(dut.state.value)) is State.BUSY
            dut.walking.value = 0
            if self.cycle - self.flushed >= self.times[2]:
                dut.in_flight.value = 0
        self._write()

    def _walk(self):
        dut, (walk, write, _) = self.dut, self.times
        if dut.launch.value:
            assert self._walked is None, "A launch while a pass walks"
            self._note()
            self._walked = walk
            dut.walking.value = dut.in_flight.value = 1
        elif self._walked is not None:
            self._walked -= 1
            if self._walked <= 0:
                self._walked = None
                dut.walking.value = 0
                self._writes.append(max(self.cycle + write, *self._writes[-1:], 0))

    def _write(self):
        done = bool(self._writes) and self._writes[0] <= self.cycle
        if done:
            self._writes.pop(0)
            self.dones.append(self.cycle)
            if not self._writes and self._walked is None:
                self.dut.in_flight.value = 0
        self.dut.done.value = int(done)

    def _note(self):
        dut  = self.dut
        slot = decode(LoopSlots, int(dut.loop_slots.value))[0]
        half = len(dut.index) // SLOTS
        self.launched.append((int(dut.index.value) >> half * slot & (1 << half) - 1,
                              self._loaded[slot]))


async def begin(dut):
    """Pulse ``start`` for pass 0; returns in the cycle after it."""
    dut.first.value, dut.start.value = 0, 1
    await RisingEdge(dut.clk)
    dut.start.value = 0


async def finish(dut, work, limit=3000):
    """Let a program run to its end; returns (state, status, field, pass)."""
    for _ in range(limit):
        await RisingEdge(dut.clk)
        work.step()
        if State(int(dut.state.value)) in (State.DONE, State.FAULT):
            return (State(int(dut.state.value)), Status(int(dut.status.value)),
                    int(dut.field.value), int(dut.pass_.value))
    raise AssertionError("The program does not end")


async def run_whole(dut, passes):
    """A whole program after an early end: all its passes are launched in order."""
    work = Work(dut, 4, 9, 2)
    await begin(dut)
    end = await finish(dut, work)
    assert end == (State.DONE, Status.OK, 0, len(passes) - 1)
    assert work.launched == [(number, pack(pass_)) for number, pass_ in enumerate(passes)]


async def clear_now(dut):
    """Clear in the first cycle of fault; the next start may come a cycle later."""
    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value = 0


def paces(rng):
    """(walk, write, drain): passes that end before or after the next load."""
    return [(1, 1, 0), (3 * LOAD, 5, 1), (2, 4 * LOAD, 6), (rng.randint(1, 40),
            rng.randint(1, 90), rng.randrange(9))]


async def stop_late(dut, passes, late, times):
    """Stop ``late`` cycles after a start, compare the end, and run a whole program."""
    work = Work(dut, *times)
    dut.stop.value = 1  # too early
    await begin(dut)
    dut.stop.value = 0
    for _ in range(late):
        await RisingEdge(dut.clk)
        work.step()
    dut.stop.value = 1
    await RisingEdge(dut.clk)
    work.step()
    dut.stop.value = 0
    asked = work.cycle
    state, status, field, number = await finish(dut, work)
    case = late, times
    if state is State.DONE:
        assert work.flushed is None, case
        assert (status, number) == (Status.OK, len(passes) - 1), case
        assert len(work.dones) == len(passes), case
        assert work.dones[-1] <= asked + SOON, case
    else:
        assert (status, field) == (Status.STOPPED, 0), case
        assert asked < work.flushed <= asked + SOON + LOAD, case
        assert number == sum(done < work.flushed - 2 for done in work.dones), case
        assert [index for index, _ in work.launched] == [*range(len(work.launched))], case
        await clear_now(dut)
    await run_whole(dut, passes)


@cocotb.test
async def stops_in_every_cycle(dut):
    """A stop names the oldest pass that is not written, or comes too late; then a program runs."""
    rng = random_of(167)
    await prepare(dut, pace=0)
    passes = number_passes(3)
    await load(dut, passes)
    for late in range(4 * LOAD):
        ends = late > 3 * LOAD  # the quickest program
        for times in paces(rng) if late % LOAD == 0 else [paces(rng)[0 if ends else late % 4]]:
            await stop_late(dut, passes, late, times)


@cocotb.test
async def stops_with_full_slots(dut):
    """All slots are full: the number at the end is that of a pass, not of the next pass."""
    await prepare(dut, pace=0)
    passes = number_passes(COUNT + 2)
    await load(dut, passes)
    for late in range(3):
        await stop_late(dut, passes, (COUNT + 2) * LOAD + late, (20 * LOAD, 5, 9 + late))


@cocotb.test
async def faults_in_every_cycle(dut):
    """A fault in any cycle after a launch, in any slot; a write fault is the earlier one."""
    rng = random_of(168)
    await prepare(dut, pace=0)
    passes = number_passes(5)
    await load(dut, passes)
    for late in range(3 * LOAD):
        where = ("issue", "z", "both")[late % 3]
        work  = Work(dut, *rng.choice(paces(rng)))
        await begin(dut)
        left = late
        while not work.launched or (left and len(work.dones) < len(passes)):
            left -= bool(work.launched and left)
            await RisingEdge(dut.clk)
            work.step()
        if len(work.dones) == len(passes):  # too late
            assert await finish(dut, work) == (State.DONE, Status.OK, 0, len(passes) - 1)
            continue
        newest = len(work.launched) - 1
        oldest = min(len(work.dones), newest)
        dut.z_slot.value, dut.issue_slot.value = oldest % COUNT, newest % COUNT
        if where != "z":
            dut.issue_fault.value = Status.Y_ACCESS.value
        if where != "issue":
            dut.z_fault.value = 1
        await RisingEdge(dut.clk)
        work.step()
        dut.issue_fault.value = Status.OK.value
        end = await finish(dut, work)
        dut.z_fault.value = 0
        assert work.flushed is not None
        assert end == ((State.FAULT, Status.Y_ACCESS, 0, newest) if where == "issue"
                       else (State.FAULT, Status.Z_ACCESS, 0, oldest)), (late, where)
        await clear_now(dut)
        await run_whole(dut, passes)


@cocotb.test
async def ends_after_the_trace(dut):
    """``trace_busy`` holds an end, whole or bad; the state follows it two cycles later."""
    await prepare(dut, pace=0)
    for bad in (False, True):
        passes = number_passes(2)
        if bad:
            passes[1] = replace(passes[1], op=Op.NONE)
        await load(dut, passes)
        work = Work(dut, 2, 2, 0)
        dut.trace_busy.value = 1
        await begin(dut)
        for cycle in range(4 * LOAD):
            await RisingEdge(dut.clk)
            work.step()
            dut.clear.value = int(cycle == 2 * LOAD)  # no effect: the program is busy
            assert State(int(dut.state.value)) is State.BUSY or cycle < 2
        assert len(work.dones) == 2 - bad
        dut.trace_busy.value = 0
        for _ in range(3):
            assert State(int(dut.state.value)) is State.BUSY
            await RisingEdge(dut.clk)
        assert State(int(dut.state.value)) is (State.FAULT if bad else State.DONE)
        await clear(dut)


@cocotb.test
async def ends_without_a_rest(dut):
    """Program after program without a pause: a bad end leaves nothing to a good program."""
    await prepare(dut, pace=0)
    good = number_passes(2)
    for bad, status, field in ((replace(good[0], taps=(1, 0, 1)), Status.COUNT, True),
                               (replace(good[0], op=Op.NONE), Status.OPCODE, False)):
        await load(dut, [bad, good[1]])
        work = Work(dut, 1, 1, 0)
        await begin(dut)
        end = await finish(dut, work)
        assert (end[:2], end[2] > 0, end[3]) == ((State.FAULT, status), field, 0)
        await clear_now(dut)
        await load(dut, good)
        await run_whole(dut, good)
    for number in range(PASSES):  # past the end, at any slot
        passes = [replace(pass_, last=False) for pass_ in number_passes(PASSES)]
        await load(dut, passes)
        work = Work(dut, 2, 2, 0)
        dut.first.value, dut.start.value = number, 1
        await RisingEdge(dut.clk)
        dut.start.value = 0
        assert await finish(dut, work) == (State.FAULT, Status.END, 0, PASSES)
        assert [index for index, _ in work.launched] == list(range(number, PASSES))
        await clear_now(dut)
        await load(dut, good)
        await run_whole(dut, good)
