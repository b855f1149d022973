# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.axi.CoreAxi: programs through cocotbext-axi, against the golden machine."""

from dataclasses import replace

import cocotb
import numpy as np
from cocotb.simtime import get_sim_time
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp

from xymac.golden.machine.machine import Machine
from xymac.hdl.config import TINY
from xymac.hdl.isa import (
    PASS_STRIDE,
    PLAIN_REGISTERS,
    TABLE_ENTRIES,
    TRACE_STRIDE,
    Access,
    Axis,
    Control,
    Flag,
    Pass,
    Region,
    Register,
    State,
    Status,
    Table,
)
from xymac.host.network.traffic import READ_CYCLES, WRITE_CYCLES
from xymac.sim.agents.bus_host import BusHost
from xymac.sim.agents.stream import start

X, Y = Region.X.value, Region.Y.value
LINE = Access(0, 0, 63, outer=(1, 0, 0), taps=(0, 0, 1))
PASS = Pass(x=LINE, y=Access(0, 0, 63, taps=(0, 0, 1)), z=Access(100, 100, 163, outer=(4, 0, 0)),
            outer=(14, 1, 1), taps=(1, 3, 32), shift=10, last=True)
PERIOD = 10  # clock period, ns
CELLS = 512  # 16-bit words of X and of Y that the tests use; the bias lies in row 80 of Y


async def prepare(dut, pause=0.0, passes=(PASS,)):
    """Return a host, and a golden machine with the same random memories and program."""
    await start(dut)
    host, machine, rng = BusHost(dut, pause), Machine(TINY), np.random.default_rng(32)
    for base, cells in ((X, machine.x), (Y, machine.y)):
        cells[:CELLS] = rng.integers(0, 1 << 16, CELLS)
        await host.write(base, cells[:CELLS].tobytes())
    machine.load(passes)
    await host.load(passes)
    return host, machine


async def check_memories(host, machine):
    """Compare the core's X and Y with the machine's."""
    for base, cells in ((X, machine.x), (Y, machine.y)):
        contents = np.frombuffer(await host.read(base, 2 * CELLS), np.uint16)
        wrong = np.nonzero(contents != cells[:CELLS])[0]
        assert not wrong.size, f"{base:#x}: {wrong} are {contents[wrong]}, not {cells[wrong]}"


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5])
async def program_equals_machine(dut, pause):
    """Load, run, interrupt, read back, clear."""
    host, machine = await prepare(dut, pause)
    for offset, word in TINY.capabilities.words().items():
        assert await host.get(Register(offset)) == word

    await host.start()
    assert await host.wait() == (State.DONE, Status.OK)

    machine.run()
    await check_memories(host, machine)
    cycles, issued, *stalls = [await host.get(Register(Register.CYCLES.value + 4 * index))
                               for index in range(7)]
    assert issued == 14 * 3 * 32
    assert cycles == issued + sum(stalls)
    await host.set(Register.CONTROL, Control.CLEAR.value)
    assert not dut.irq.value
    assert await host.get(Register.STATUS) == State.IDLE.value


@cocotb.test
async def words_take_the_stated_cycles(dut):
    """A master that waits for each response needs the host model's cycles for a word."""
    await start(dut)
    host, count = BusHost(dut, 0), 64
    for move, cycles in ((lambda: host.write(X, bytes(4 * count)), WRITE_CYCLES),
                         (lambda: host.read(X, 4 * count), READ_CYCLES)):
        begin = get_sim_time("ns")
        await move()
        taken = (get_sim_time("ns") - begin) / PERIOD / count
        assert cycles - 1 < taken <= cycles + 0.2, taken


@cocotb.test
async def bias_ends_with_its_pass(dut):
    """A pass without bias adds no bias after a pass with bias."""
    biased = replace(PASS, bias_row=80, last=False)
    plain  = replace(PASS, z=Access(164, 164, 227, outer=(4, 0, 0)))
    host, machine = await prepare(dut, passes=[biased, plain])
    await host.start()
    assert await host.wait() == (State.DONE, Status.OK)

    machine.run()
    await check_memories(host, machine)


@cocotb.test
async def reads_during_a_run_see_the_memory(dut):
    """Host reads take array slots, are counted, and change nothing."""
    host, machine = await prepare(dut)
    await host.start()
    for cell in range(0, 48, 2):  # below the results
        at = 2 * cell
        assert await host.read(X + at, 4) == machine.x[cell:cell + 2].tobytes()
        assert await host.read(Y + at, 4) == machine.y[cell:cell + 2].tobytes()
    assert (await host.wait())[0] is State.DONE

    machine.run()
    await check_memories(host, machine)
    assert 0 < await host.get(Register.HOST) <= 2 * 48
    assert await host.get(Register.FLAGS) == 0


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5])
async def writes_during_a_run_are_kept(dut, pause):
    """All writes outside every window arrive, and raise no flag."""
    host, machine = await prepare(dut, pause)
    rng = np.random.default_rng(33)
    await host.start()
    for cell in range(430, 510, 2):
        for base, cells in ((X, machine.x), (Y, machine.y)):
            cells[cell:cell + 2] = rng.integers(0, 1 << 16, 2)
            await host.write(base + 2 * cell, cells[cell:cell + 2].tobytes())
    assert (await host.wait())[0] is State.DONE

    machine.run()
    await check_memories(host, machine)
    assert await host.get(Register.FLAGS) == 0


@cocotb.test
async def program_write_during_fetch_is_flagged(dut):
    """A write to the first pass during its fetch raises the flag."""
    host, _ = await prepare(dut)
    await host.start()
    await host.write(Region.PROGRAM.value, bytes(4))
    await host.wait()
    assert await host.get(Register.FLAGS) & Flag.HOST_HIT.value


@cocotb.test
@cocotb.parametrize(where=["x", "y", "z", "program"])
async def write_into_a_window_is_flagged(dut, where):
    """A write into a running pass's window raises the flag; the next start clears it."""
    host, _ = await prepare(dut)
    await host.start()
    await ClockCycles(dut.clk, 60)  # until the first pass has been fetched
    await host.write({"x": X + 40, "y": Y + 40, "z": X + 2 * 60, "program":
                      Region.PROGRAM.value}[where], bytes(4))
    assert (await host.wait())[0] is State.DONE
    assert await host.get(Register.FLAGS) & Flag.HOST_HIT.value

    await host.load([PASS])
    await host.set(Register.CONTROL, Control.START.value)
    assert await host.get(Register.FLAGS) == 0
    await host.wait()


@cocotb.test
async def fault_then_next_program(dut):
    """A fault names its status; after a clear the next program runs normally."""
    bad = replace(PASS, x=Access(0, 0, 30, taps=(0, 0, 1)))
    host, machine = await prepare(dut, passes=[bad])
    await host.start()
    assert await host.wait() == (State.FAULT, Status.X_ACCESS)
    await check_memories(host, machine)

    await host.set(Register.CONTROL, Control.START.value)
    assert (await host.wait())[0] is State.FAULT
    await host.set(Register.CONTROL, Control.CLEAR.value)
    machine.load([PASS])
    await host.load([PASS])
    await host.start()
    assert await host.wait() == (State.DONE, Status.OK)
    machine.run()
    await check_memories(host, machine)


@cocotb.test
async def nothing_after_an_empty_window(dut):
    """An output without taps ends the program, even if the next output's operands are ready."""
    column  = Access(0, 0, 255, taps=(0, 1, 0))
    before  = Pass(x=column, y=column, z=Access(200, 200, 263), taps=(1, 100, 1), shift=8)
    clipped = Pass(x=Access(40, 0, 255, outer=(0, 0, 5), taps=(0, 1, 0)), y=column,
                   z=Access(100, 100, 163, outer=(0, 0, 4)), outer=(1, 1, 3), taps=(1, 4, 1),
                   cols=Axis(pad=8, step=5, size=5), shift=8, wait=True, last=True)
    host, machine = await prepare(dut, passes=[before, clipped])
    await host.start()
    assert await host.wait() == (State.FAULT, Status.EMPTY)

    machine.run()
    await check_memories(host, machine)


@cocotb.test
async def addresses_without_anything(dut):
    """Reads and writes at empty addresses return SLVERR; the neighbour below still answers."""
    host, _ = await prepare(dut)
    last = max(one.value for one in PLAIN_REGISTERS if one.value < Register.CYCLES.value)
    of_dma = [one.value for one in Register if one not in PLAIN_REGISTERS]
    ends = [last + 4, Region.TRACE.value + 4 * TRACE_STRIDE * TINY.passes,
            X + TINY.x_bytes, Y + TINY.y_bytes]
    program = Region.PROGRAM.value + 8 * PASS_STRIDE * TINY.passes
    for address in (*ends, *of_dma, program, 0x100, Region.TABLES.value + 2 * TABLE_ENTRIES,
                    Region.PLACES.value + 4 * len(Table), Y + 0x1FFFFC):
        assert (await host.bus.write(address, bytes(4))).resp == AxiResp.SLVERR, hex(address)
        assert (await host.bus.read(address, 4)).resp == AxiResp.SLVERR, hex(address)
    for address in ends:
        await host.read(address - 4, 4)
    await host.write(program - 4, bytes(4))


@cocotb.test
async def a_write_without_strobes_changes_nothing(dut):
    """Writes to registers, program, tables, X and Y, before the start and during a run."""
    host, machine = await prepare(dut)
    addresses = [*(register.value for register in PLAIN_REGISTERS), Region.PROGRAM.value,
                 Region.TABLES.value, Region.PLACES.value + 4, X, Y]
    await host.write_nothing(addresses)
    assert await host.get(Register.STATUS) == State.IDLE.value
    await host.start()
    await host.write_nothing([at for at in addresses if at != Register.CONTROL.value])
    assert await host.wait() == (State.DONE, Status.OK)

    machine.run()
    await check_memories(host, machine)
    await host.write_nothing(addresses)
    assert dut.irq.value
    assert await host.get(Register.STATUS) == State.DONE.value
    assert await host.get(Register.FLAGS) == 0
