# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.dma.dma.Dma: bus errors, faulty lists, stops, resets, and rates."""

from dataclasses import replace

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, RisingEdge

from xymac.golden.machine.commands import run_list
from xymac.hdl.isa import Command, ListStatus, Opcode, Region, State
from xymac.sim.agents.image import DATA, assemble, random_move
from xymac.sim.agents.seed import random_of

from .lists import (
    CONFIG,
    REGIONS,
    SIZE,
    WAYS,
    WIDTH,
    check,
    ended,
    filled,
    prepare,
    run,
    words_of,
)

X, Y = Region.X.value, Region.Y.value
MOST = int(cocotb.plusargs["most"])  # most commands of a list


def moves_of(rng, count):
    """Random transfers."""
    return [random_move(rng, CONFIG, SIZE, REGIONS) for _ in range(count)]


def bytes_of(command):
    """Byte offsets in the image whose beats a transfer needs."""
    if command.opcode is Opcode.FILL:
        return set()
    starts = [command.offset + row * command.stride for row in range(command.rows)]
    places = {place for start in starts for place in range(start, start + command.row_bytes)}
    if command.opcode is Opcode.STORE:
        return places
    return {WIDTH * (place // WIDTH) + byte for place in places for byte in range(WIDTH)}


async def again(dut, memory, core, seed):
    """Assert that a list runs as if nothing had been before."""
    await ClockCycles(dut.clk, 50)
    assert memory.bursts == 0
    rng = random_of(seed)
    commands = moves_of(rng, 6)
    image, machine = assemble(commands, SIZE, rng), filled(1)
    for mine, its in ((machine.x, core.machine.x), (machine.y, core.machine.y),
                      (machine.program.words, core.machine.program.words),
                      (machine.tables.entries, core.machine.tables.entries)):
        mine[:] = its
    machine.tables.places = dict(core.machine.tables.places)
    memory.bad, memory.image[:] = set(), image
    expected = image.copy()
    outcome  = run_list(machine, expected)
    end, _ = await run(dut)
    assert end == words_of(outcome) == (State.DONE, ListStatus.OK, 6)
    check(core, memory, machine, expected)


@cocotb.test
@cocotb.parametrize(decode=[False, True], seed=range(2))
async def bus_errors(dut, decode, seed):
    """SLVERR and DECERR end the list at the transfer that meets them."""
    rng = random_of(70 + seed)
    commands = moves_of(rng, 8)
    victim   = rng.choice([move for move in commands if bytes_of(move)])
    bad      = rng.choice(sorted(bytes_of(victim)))
    first    = next(at for at, move in enumerate(commands) if bad in bytes_of(move))
    image    = assemble(commands, SIZE, rng)
    memory, core = await prepare(dut, image.copy(), pause=rng.choice([0.0, 0.5]))
    memory.bad, memory.decode = {bad}, decode

    end, _ = await run(dut)

    assert end == (State.FAULT, ListStatus.BUS, first)
    assert memory.bursts == 0
    allowed = set().union(*(bytes_of(move) for move in commands[:first + 1]
                            if move.opcode is Opcode.STORE))
    assert {*np.flatnonzero(memory.written).tolist()} <= allowed
    await again(dut, memory, core, seed)


@cocotb.test
@cocotb.parametrize(seed=range(2))
async def bus_error_of_a_command(dut, seed):
    """An error at a command ends the list when all commands before have ended."""
    rng = random_of(80 + seed)
    commands = moves_of(rng, 6)
    image, bad = assemble(commands, SIZE, rng), rng.randrange(6)
    memory, core = await prepare(dut, image.copy(), pause=0.3)
    memory.bad = {32 * bad + rng.randrange(32)}
    expected, machine = assemble(commands[:bad], SIZE, random_of(0)), filled(1)
    expected[DATA:] = image[DATA:]
    run_list(machine, expected)

    end, _ = await run(dut)

    assert end == (State.FAULT, ListStatus.BUS, bad)
    expected[:DATA] = image[:DATA]
    check(core, memory, machine, expected)
    await again(dut, memory, core, seed)


FLAWS = [
    (0, 5), (0, 0x13), (0, 0x10), (0, 0x21), (0, 1 << 31), (1, 1), (1, 1 << 16 | 1), (1, 9 << 16),
    (2, SIZE), (2, SIZE - 1), (2, 1 << 31), (3, 0), (3, X + 1), (3, 0x20000), (3, 0x50000), (3, Y),
    (3, 1 << 22), (3, (1 << 22) + 2), (3, Y + 1), (3, X + CONFIG.x_bytes),
    (3, X + CONFIG.x_bytes - 2), (3, Y + CONFIG.y_bytes - 2), (3, 0x10002), (3, 0x10000),
    (3, 0x30FFC), (3, 0x4003C), (3, 0x40040), (4, 0), (4, 1), (4, 3), (4, 1 << 20),
    (4, (1 << 20) + 2), (4, (1 << 20) + 4), (4, 1 << 31), (5, 0), (5, 65535), (5, 65536),
    (5, 1 << 31), (6, 1 << 31), (6, (1 << 31) - 1), (6, (1 << 32) - SIZE), (7, 1), (7, 2),
    (7, (1 << 32) - 1), (7, 1 << 22), (7, (1 << 22) - 4), (7, (1 << 32) - (1 << 22)), (7, 1 << 31)]


@cocotb.test
@cocotb.parametrize(part=range(4))
async def faulty_commands(dut, part):
    """A list with a flaw ends like on the golden machine, after all commands before it."""
    memory = core = None
    for number, (place, word) in enumerate(FLAWS[part::4]):
        rng = random_of(1000 * part + number)
        commands = [replace(move, rows=rng.choice([1, move.rows])) for move in moves_of(rng, 4)]
        words    = [move.encode() for move in commands]
        words[2][place] = word
        image, machine = assemble(words, SIZE, rng), filled(1)
        if core is None:
            memory, core = await prepare(dut, image)
        memory.image[:], expected = image, image.copy()
        for mine, its in ((machine.x, core.machine.x), (machine.y, core.machine.y),
                          (machine.program.words, core.machine.program.words),
                          (machine.tables.entries, core.machine.tables.entries)):
            mine[:] = its
        machine.tables.places = dict(core.machine.tables.places)
        outcome = run_list(machine, expected)

        end, _ = await run(dut)

        assert end == words_of(outcome), (place, hex(word), commands[2])
        check(core, memory, machine, expected)


@cocotb.test
async def lists_that_do_not_end(dut):
    """Too many commands, and commands beyond the image."""
    fill = Command(Opcode.FILL, core=X, row_bytes=2, rows=1)
    image = assemble([], SIZE, random_of(5))
    image.view("<u4")[:8 * MOST] = fill.encode() * MOST
    memory, core = await prepare(dut, image)
    assert (await run(dut))[0] == (State.FAULT, ListStatus.ENDLESS, MOST)
    memory.image.view("<u4")[8 * (MOST - 1):8 * MOST] = 0
    assert (await run(dut))[0] == (State.DONE, ListStatus.OK, MOST - 1)

    memory.image.view("<u4")[:8 * MOST] = fill.encode() * MOST
    memory.size = 32 * 7 + 31
    for field, value, entry in (("size", 32 * 7 + 31, 7), ("size", 31, 0), ("list", 6, 1),
                                ("base", (1 << 32) - 64, 0)):
        fields = {"base": 0x7FC0, "size": 32 * 7 + 31, "list": 0} | {field: value}
        dut.image.value = (fields["base"] | fields["size"] << 32 | fields["list"] << 64)
        assert (await run(dut))[0] == (State.FAULT, ListStatus.OUTSIDE, entry), field
    del core


@cocotb.test
@cocotb.parametrize(opcode=[Opcode.LOAD, Opcode.STORE, Opcode.FILL, Opcode.RUN])
async def stops(dut, opcode):
    """A stop soon ends a list of any length, and nothing is left on the bus."""
    rng = random_of(90 + opcode.value)
    long = Command(opcode, 0, 0, DATA + 3, X + 2, 700, 60000, 0, 0)
    if opcode is Opcode.RUN:
        long = Command(opcode, offset=0)
    fill = Command(Opcode.FILL, core=X, row_bytes=2, rows=1)
    commands = [fill, fill, long, replace(long, moves=2), *moves_of(rng, 3)]
    memory, core = await prepare(dut, assemble(commands, SIZE, rng), pause=0.3)
    core.longest = 1
    for turn in range(2):
        dut.clear.value = 1
        await RisingEdge(dut.clk)
        dut.clear.value, dut.begin.value = 0, 1
        await RisingEdge(dut.clk)
        dut.begin.value = 0
        if opcode is Opcode.RUN:
            core.longest = 1 << 30
        await ClockCycles(dut.clk, rng.randint(400, 900) if turn else 1)
        dut.stop.value = 1
        await RisingEdge(dut.clk)
        dut.stop.value = 0
        if opcode is Opcode.RUN:
            for _ in range(20):
                await RisingEdge(dut.clk)
            if int(dut.program_state.value) == State.BUSY.value:
                assert dut.stops.value
                assert int(dut.state.value) == State.BUSY.value
                core.longest, core.cancel = 1, True
        end, cycles = await ended(dut, 1000)
        assert end[:2] == (State.FAULT, ListStatus.STOPPED)
        assert end[2] == (2 if turn else 0)
        assert cycles < 1000
        assert memory.bursts == 0
    core.longest, core.cancel = 1, False
    await again(dut, memory, core, 7)


@cocotb.test
@cocotb.parametrize(whole=[False, True], seed=range(2))
async def resets(dut, whole, seed):
    """A reset in the middle of bursts loses no beat; with ``whole`` the bus is reset as well."""
    rng = random_of(100 + seed)
    commands = [Command(kind, 0, 0, DATA + 5, X + 2, 900, 9, 901, 300)
                for kind in (Opcode.LOAD, Opcode.STORE, Opcode.LOAD, Opcode.STORE)]
    memory, core = await prepare(dut, assemble(commands, SIZE, rng), pause=0.5, seed=seed)
    for _ in range(4):
        dut.begin.value = 1
        await RisingEdge(dut.clk)
        dut.begin.value = 0
        await ClockCycles(dut.clk, rng.randint(1, 1500))
        dut.rst.value, dut.bus_reset.value = 1, int(whole)
        await ClockCycles(dut.clk, rng.choice([1, 3, 160]))
        dut.rst.value, dut.bus_reset.value = 0, 0
        await ClockCycles(dut.clk, rng.choice([20, 400]))
        assert int(dut.state.value) == State.IDLE.value
    await ClockCycles(dut.clk, 1000)
    await again(dut, memory, core, seed)


@cocotb.test
async def rates(dut):
    """Sustained transfers reach the bus and memory widths."""
    rng  = random_of(110)
    size = 3000
    memory, core = await prepare(dut, assemble([], SIZE, rng))
    vector = 2 * WAYS  # bytes
    best = {  # cycles for all bytes
        Opcode.LOAD: size / min(WIDTH, vector), Opcode.FILL: size / min(WIDTH, vector),
        Opcode.STORE: size / min(WIDTH, vector / 2)}
    for opcode, cycles in best.items():
        for core_at, offset in ((X, DATA), (X + 2, DATA + 3)):
            move  = Command(opcode, 0, 0, offset, core_at, size, 1, 0, 0)
            image = assemble([move], SIZE, rng)
            memory.image[:] = image
            end, took = await run(dut)
            assert end[1] is ListStatus.OK
            assert took < 1.03 * cycles + 120, (opcode, took, cycles)
    rows  = 500
    for move in (Command(Opcode.LOAD, 0, 0, DATA + 1, X + 1, 3, rows, 3, 4, narrow=True),
                 Command(Opcode.LOAD, 0, 0, DATA + 1, X, 4, rows, 4, 16, narrow=True)):
        if move.core + rows * move.core_stride < X + CONFIG.x_bytes and (WIDTH, WAYS) == (4, 4):
            memory.image[:] = assemble([move], SIZE, rng)
            end, took = await run(dut)
            assert took < 1.5 * rows + 120, (move, took)
    del core
