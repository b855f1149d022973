# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.dma.CoreDma: program and transfer lists, against the golden machine."""

from dataclasses import replace

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout

from xymac.golden.machine.commands import HazardError, run_list
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import find_size
from xymac.hdl.core.core import Core
from xymac.hdl.isa import (
    REGISTERS,
    Access,
    Command,
    Control,
    ListStatus,
    Opcode,
    Pass,
    Program,
    Region,
    Register,
    Shape,
    State,
    Status,
    Width,
)
from xymac.sim.agents.bus_host import BusHost
from xymac.sim.agents.image import (
    BASE,
    DATA,
    ImageMemory,
    assemble,
    random_move,
    without_hazards,
)
from xymac.sim.agents.passes import random_pass
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

CONFIG = find_size(cocotb.plusargs["size"])
X, Y   = Region.X.value, Region.Y.value
CELLS  = 1024            # words of X and of Y in use
SPARE  = 512             # bytes behind them, which the host writes meanwhile
SIZE   = 0x10000         # of an image
STATE  = DATA + 0x1000   # offset of the first X, of Y and of the programs; the last X behind
PASSES = 8               # of one pass each
RESET  = Core.RESET      # cycles
REGIONS = {Region.X: (0, 2 * CELLS), Region.Y: (0, CELLS)}


def framed(commands):
    """Commands between LOADs of X, Y and programs and a STORE of X, without waits."""
    cells = 2 * CELLS  # bytes
    places = ((X, STATE, cells), (Y, STATE + cells, cells),
              (Region.PROGRAM.value, STATE + 2 * cells, 128 * PASSES))
    moves = [Command(Opcode.LOAD, 0, 0, offset, core, size, 1, 0, 0)
             for core, offset, size in places]
    return [*moves, *commands, Command(Opcode.STORE, 0, 0, SIZE - cells, X, cells, 1, 0, 0)]


def image_of(commands, passes, seed):
    """Image with the commands, random memories and the programs."""
    image = assemble(commands, SIZE, random_of(seed))
    words = np.array([Program([pass_]).words[0] for pass_ in passes], "<u8").view(np.uint8)
    image[STATE + 4 * CELLS:][:words.size] = words.reshape(-1)
    return image


async def prepare(dut, image, *, pause=0.0, seed=0):
    """Start the clock; returns the host and the external memory."""
    dut.bus_reset.value = 0
    await start(dut, limit=100_000)
    host, memory = BusHost(dut, 0.0), ImageMemory(dut, image, pause=pause, seed=seed)
    await describe(host, image)
    return host, memory


async def describe(host, image):
    """Set the registers of a list at the begin of an image."""
    for register, value in ((Register.BASE, BASE), (Register.SIZE, len(image)), (Register.LIST, 0),
                            (Register.IRQ_MASK, 1)):
        await host.set(register, value)


async def start_and_write(dut, host, rng):
    """Start the list; until it ends, write X and Y behind the words in use; assert the bytes."""
    written = {at + 2 * CELLS: bytearray(rng.randbytes(SPARE)) for at in (X, Y)}
    for at, text in written.items():
        await host.write(at, bytes(text))
    await host.set(Register.CONTROL, Control.LIST.value)
    count = 0
    while not dut.irq.value:
        at     = rng.choice([*written])
        length = rng.choice((2, 4, 8, 64, 200))
        offset = rng.randrange(0, SPARE - length, 2)
        text   = rng.randbytes(length)
        written[at][offset:offset + length] = text
        await host.write(at + offset, text)
        count += 1
    assert count > 10
    for at, text in written.items():
        assert await host.read(at, SPARE) == text


async def finish(dut, host):
    """Wait for the interrupt; returns the list's state, status and entry."""
    if not dut.irq.value:
        await with_timeout(RisingEdge(dut.irq), 2000, "us")
    fields = REGISTERS[Register.LIST_STATUS].unpack(await host.get(Register.LIST_STATUS))
    return State(fields["state"]), ListStatus(fields["status"]), fields["entry"]


async def counters(host):
    """Cycles, issued steps, the sum of all stalls, port stalls, and stalls by the DMA."""
    values = [await host.get(Register(Register.CYCLES.value + 4 * index)) for index in range(8)]
    return values[0], values[1], sum(values[2:7]), values[6], values[7]


def equal(memory, expected):
    """Compare the image with the machine's."""
    wrong = np.flatnonzero(memory.image != expected)
    assert not wrong.size, f"{wrong[:20]} of {wrong.size}"


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5], seed=[1])
async def lists_equal_the_machine(dut, pause, seed):
    """Programs and overlapping transfers leave the machine's words."""
    rng    = random_of(200 + seed)
    passes = [random_pass(rng, CONFIG.ways, CELLS) for _ in range(PASSES)]
    drawn  = [Command(Opcode.RUN, offset=rng.randrange(PASSES)) if rng.random() < 0.5 else
              random_move(rng, CONFIG, STATE, REGIONS) for _ in range(20)]
    commands, expected, machine, outcome = without_hazards(
        framed(drawn), lambda commands: image_of(commands, passes, seed), lambda: Machine(CONFIG))
    image = image_of(commands, passes, seed)
    assert outcome.state is State.DONE
    host, memory = await prepare(dut, image, pause=pause, seed=seed)

    await start_and_write(dut, host, rng)
    end = await finish(dut, host)

    assert end == (outcome.state, outcome.status, outcome.entry)
    equal(memory, expected)
    cycles, issued, stalls, *_ = await counters(host)
    assert cycles == issued + stalls
    low = await host.read(Y, 64)
    assert low == machine.y[:32].tobytes()
    assert (await host.get(Register.STATUS)) & 0xF == State.DONE.value
    await host.set(Register.CONTROL, Control.CLEAR.value)
    assert not dut.irq.value
    assert await host.get(Register.LIST_STATUS) == 0


def doubles(row):
    """A pass that doubles elements: X vectors 0 .. 63 to X vectors 64 .. 127, by row of Y."""
    return Pass(
        x=Access(0, 0, 63, (0, 0, 4)), y=Access(row, row, row), z=Access(64, 64, 127, (0, 0, 4)),
        outer=(1, 1, 16), x_shape=Shape.LANES, y_shape=Shape.LANES, x_width=Width.BITS16,
        y_width=Width.BITS16, z_width=Width.BITS16, beats=4, clip=(-32768, 32767), last=True)


@cocotb.test
async def a_missing_wait_is_seen(dut):
    """A program that does not wait for its input: refused by the machine, wrong in the core."""
    late    = Command(Opcode.LOAD, 0, 0, DATA, X, 2 * 64 * CONFIG.ways, 1, 0, 0)
    results = []
    host, memory = await prepare(dut, np.zeros(SIZE, np.uint8), pause=0.7)
    for waits in (4, 3):
        commands = framed([late, Command(Opcode.RUN, 0, waits)])
        commands[-1] = replace(commands[-1], runs=1)
        image = image_of(commands, [doubles(0)] * PASSES, 1)
        image[STATE + 2 * CELLS:][:8 * CONFIG.ways] = np.array(
            [2] * 4 * CONFIG.ways, "<u2").view(np.uint8)
        memory.image[:], expected = image, image.copy()
        if waits == 3:
            with pytest.raises(HazardError, match=r"^Command 4, a RUN, must wait for command 3"):
                run_list(Machine(CONFIG), expected)
        else:
            run_list(Machine(CONFIG), expected)
            results.append(expected[SIZE - 2 * CELLS:].tolist())
        await host.set(Register.CONTROL, Control.LIST.value)
        assert (await finish(dut, host))[0] is State.DONE
        results.append(memory.image[SIZE - 2 * CELLS:].tolist())
    assert results[0] == results[1]
    assert results[0] != results[2]


@cocotb.test
async def stalls_and_the_host(dut):
    """Stalls by the DMA are counted; the host reads, writes and starts nothing meanwhile."""
    rng = random_of(9)
    run = Command(Opcode.RUN, 0, 3)
    store = Command(Opcode.STORE, 0, 3, DATA, X + 2 * 128 * CONFIG.ways, 1000, 4, 0, 0)
    commands = framed([run, store])
    commands[-1] = replace(commands[-1], runs=1)
    pass_ = replace(doubles(0), taps=(1, 1, 60))
    image = image_of(commands, [pass_] * PASSES, 2)
    expected, machine = image.copy(), Machine(CONFIG)
    assert run_list(machine, expected).state is State.DONE
    host, memory = await prepare(dut, image, seed=3)
    text = rng.randbytes(64)

    await host.set(Register.CONTROL, Control.LIST.value)
    await host.write(Y + 2 * CELLS, text)
    await host.set(Register.CONTROL, Control.START.value | Control.CLEAR.value)
    assert (await host.get(Register.LIST_STATUS)) & 0xF == State.BUSY.value
    assert await host.read(Y + 2 * CELLS, 64) == text
    end = await finish(dut, host)

    assert end == (State.DONE, ListStatus.OK, 6)
    equal(memory, expected)
    cycles, issued, stalls, port, by_dma = await counters(host)
    assert cycles == issued + stalls
    assert issued == 60 * 16
    assert 0 < by_dma <= port
    assert by_dma >= (4 * 1000 + 2 * CELLS) // (2 * CONFIG.ways)


@cocotb.test
async def faults_of_programs_and_stops(dut):
    """A program's fault and a stop end a list; the next list runs."""
    good, bad = doubles(0), replace(doubles(0), shift=50)
    long = replace(good, repeat=60000, back=0)
    commands = framed([Command(Opcode.RUN, 0, 3), Command(Opcode.RUN, 0, 3, 1),
                       Command(Opcode.RUN, 0, 3, 2)])
    image = image_of(commands, [good, bad, long, *[good] * 5], 4)
    host, _ = await prepare(dut, image)
    await host.set(Register.CONTROL, Control.LIST.value)
    assert await finish(dut, host) == (State.FAULT, ListStatus.PROGRAM, 4)
    status = await host.get(Register.STATUS)
    assert (status & 0xF, status >> 4 & 0xF) == (State.FAULT.value, Status.SHIFT.value)
    await host.set(Register.CONTROL, Control.LIST.value)  # ignored
    assert (await host.get(Register.LIST_STATUS)) & 0xF == State.FAULT.value

    await host.set(Register.CONTROL, Control.CLEAR.value)
    image[:len(commands) * 32] = image_of(
        framed([Command(Opcode.RUN, 0, 3, 2), Command(Opcode.RUN, 0, 3)]), [good] * 8, 4)[
            :len(commands) * 32]
    await host.set(Register.CONTROL, Control.LIST.value)
    await ClockCycles(dut.clk, 6 * CELLS)
    assert not dut.irq.value
    await host.set(Register.CONTROL, Control.STOP.value)
    assert await finish(dut, host) == (State.FAULT, ListStatus.STOPPED, 3)
    assert (await host.get(Register.STATUS)) >> 4 & 0xF == Status.STOPPED.value

    await host.set(Register.CONTROL, Control.CLEAR.value)
    await host.set(Register.CONTROL, Control.START.value)  # a program of the host, as without DMA
    await with_timeout(RisingEdge(dut.irq), 1000, "us")
    assert (await host.get(Register.STATUS)) & 0xF == State.DONE.value
    assert await host.get(Register.LIST_STATUS) == 0


@cocotb.test
async def a_reset_of_core_and_bus(dut):
    """In the middle of bursts; the next list runs as if nothing had been before."""
    rng   = random_of(11)
    moves = [random_move(rng, CONFIG, STATE, REGIONS) for _ in range(8)]
    image = image_of(framed(moves), [doubles(0)] * PASSES, 6)
    expected = image.copy()
    assert run_list(Machine(CONFIG), expected).state is State.DONE
    host, memory = await prepare(dut, image.copy(), pause=0.3)
    for cycles in (100, 1500):
        await host.set(Register.CONTROL, Control.LIST.value)
        await ClockCycles(dut.clk, cycles)
        dut.rst.value, dut.bus_reset.value = 1, 1
        await ClockCycles(dut.clk, RESET)
        dut.rst.value, dut.bus_reset.value = 0, 0
        await ClockCycles(dut.clk, 2)
        assert await host.get(Register.LIST_STATUS) == 0
        memory.image[:] = image
        await describe(host, image)

    await host.set(Register.CONTROL, Control.LIST.value)
    end = await finish(dut, host)

    assert end == (State.DONE, ListStatus.OK, len(framed(moves)))
    equal(memory, expected)
