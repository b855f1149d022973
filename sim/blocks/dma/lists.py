# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.dma.dma.Dma: random lists in a cocotbext-axi memory, as on the machine."""

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, RisingEdge

from xymac.golden.machine.commands import run_list
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import find_size
from xymac.hdl.core.registers import Image
from xymac.hdl.isa import Command, ListStatus, Opcode, Region, State
from xymac.sim.agents.image import (
    BASE,
    DATA,
    ImageMemory,
    assemble,
    random_move,
    without_hazards,
)
from xymac.sim.agents.memories import Memories
from xymac.sim.agents.passes import random_pass
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start

CONFIG = find_size(cocotb.plusargs["size"])
WIDTH  = CONFIG.dma // 8  # bytes
SIZE   = 0x6000  # of an image
#: Offsets that the lists use, in each region.
REGIONS = {Region.X: (0, 4096), Region.Y: (0, 8192), Region.PROGRAM: (256, 1024),
           Region.TABLES: (3000, 4096), Region.PLACES: (32, 64)}
WAYS = CONFIG.ways


async def prepare(dut, image, *, pause=0.0, seed=1, passes=()):
    """Start the clock; returns the external memory and the core's memories."""
    for name in ("begin", "clear", "stop", "bus_reset"):
        getattr(dut, name).value = 0
    rng    = random_of(seed)
    memory = ImageMemory(dut, image, pause=pause, seed=seed)
    core   = Memories(dut, CONFIG, rng, pause=pause)
    fill(core.machine, seed, passes)
    dut.image.value = encode(Image, {"base": BASE, "size": len(image), "list": 0})
    await start(dut, limit=100_000)
    await ClockCycles(dut.clk, 2)
    return memory, core


def fill(machine, seed, passes):
    """Random X and Y, and a program with a single pass at each of the first indices."""
    rng = np.random.default_rng(seed)
    for cells in (machine.x, machine.y):
        cells[:] = rng.integers(0, 1 << 16, cells.size)
    for index, pass_ in enumerate(passes):
        machine.load([pass_], index)
    return machine


def filled(seed, passes=()):
    """A golden machine as ``fill`` leaves it."""
    return fill(Machine(CONFIG), seed, passes)


async def run(dut, *, limit=30_000):
    """Run the list; returns its state, status and entry, and its cycles."""
    dut.clear.value = 1
    await RisingEdge(dut.clk)
    dut.clear.value, dut.begin.value = 0, 1
    await RisingEdge(dut.clk)
    dut.begin.value = 0
    return await ended(dut, limit)


async def ended(dut, limit=30_000):
    """Wait for the list to end; returns its state, status and entry, and the cycles."""
    await RisingEdge(dut.clk)
    for cycle in range(limit):
        await RisingEdge(dut.clk)
        if int(dut.state.value) != State.BUSY.value:
            return (State(int(dut.state.value)), ListStatus(int(dut.status.value)),
                    int(dut.entry.value)), cycle
    raise AssertionError("the list does not end")


def check(core, memory, machine, image):
    """Compare memories and image with the machine's."""
    for name, mine, its in (
            ("X", core.machine.x, machine.x), ("Y", core.machine.y, machine.y),
            ("program", core.machine.program.words, machine.program.words),
            ("tables", core.machine.tables.entries, machine.tables.entries),
            ("image", memory.image, image)):
        wrong = np.flatnonzero(mine.reshape(-1) != its.reshape(-1))
        assert not wrong.size, f"{name}: {wrong[:20]} of {wrong.size}"
    assert core.machine.tables.places == machine.tables.places


def words_of(outcome):
    """A ListOutcome's state, status and entry."""
    return outcome.state, outcome.status, outcome.entry


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.6], seed=[1, 2])
async def transfers(dut, pause, seed):
    """Random transfers, with any alignment, to every region."""
    rng = random_of(50 + seed)
    commands = [random_move(rng, CONFIG, SIZE, REGIONS) for _ in range(25)]
    image    = assemble(commands, SIZE, rng)
    machine, expected = filled(seed), image.copy()
    outcome = run_list(machine, expected)
    memory, core = await prepare(dut, image, pause=pause, seed=seed)

    end, _ = await run(dut)

    assert end == words_of(outcome) == (State.DONE, ListStatus.OK, 25)
    check(core, memory, machine, expected)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5], seed=[1, 2])
async def programs_beside_transfers(dut, pause, seed):
    """Programs and transfers that wait for each other only where they must."""
    rng      = random_of(60 + seed)
    passes   = [random_pass(rng, WAYS, 512) for _ in range(8)]
    text     = rng.randbytes(SIZE)
    commands = []
    for _ in range(30):
        commands.append(Command(Opcode.RUN, offset=rng.randrange(8)) if rng.random() < 0.4 else
                        random_move(rng, CONFIG, SIZE, {
                            Region.X: (0, 1024), Region.Y: (0, 1024)}))

    def image_of(commands):
        image = assemble(commands, SIZE, random_of(seed))
        image[DATA:] = np.frombuffer(text, np.uint8)[DATA:]
        return image

    commands, expected, machine, outcome = without_hazards(
        commands, image_of, lambda: filled(seed, passes))
    memory, core = await prepare(dut, image_of(commands), pause=pause, seed=seed, passes=passes)
    core.longest = 1000  # most transfers are shorter: one that does not wait comes too early

    end, _ = await run(dut)

    assert end == words_of(outcome) == (State.DONE, ListStatus.OK, 30)
    assert core.runs == list(outcome.runs)
    check(core, memory, machine, expected)
