# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.trace.WriteMonitor: writes at window edges while passes load and end."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.fetch.scan import Rows
from xymac.hdl.core.trace.write_monitor import WriteMonitor
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start

TURNS   = (1, 2, 4, 8)
LATENCY = 7 + SLOTS - 1  # latency of the last slot
ROWS    = 4096


def random_windows(rng):
    """X, Y, Z and maybe bias windows: (in Y, first row, last row), some of a row or two."""
    def window(in_y):
        low = rng.choice([0, ROWS - 1, rng.randrange(ROWS), rng.randrange(ROWS // 64)])
        return in_y, low, min(low + rng.choice([0, 1, 7, rng.randrange(ROWS)]), ROWS - 1)
    windows = [window(False), window(True), window(rng.random() < 0.5)]
    return [*windows, window(True)] if rng.random() < 0.7 else windows


async def load(dut, slot, windows, rng):
    """Load a pass's windows in their turn, as Scan does it, among noise."""
    dut.loading.value = 1 << slot
    windows = [*windows, None][:len(TURNS)]
    for turn, window in zip(TURNS, windows, strict=True):
        here = window is not None and window[0]
        low, high = (rng.randrange(ROWS) for _ in range(2)) if window is None else window[1:]
        for _ in range(rng.choice([0, 1, 5])):
            dut.turn.value, dut.rows.value = 0, rng.getrandbits(Rows.size)
            await RisingEdge(dut.clk)
        dut.turn.value = turn
        dut.rows.value = encode(Rows, {"low": low, "high": high, "here": int(here)})
        await RisingEdge(dut.clk)
    dut.loading.value, dut.turn.value = 0, rng.getrandbits(len(TURNS))
    dut.rows.value = rng.getrandbits(Rows.size)
    await RisingEdge(dut.clk)


async def write(dut, row, in_y):
    """Report a host write to a row, for one cycle."""
    dut.valid.value, dut.row.value, dut.y.value = 1, row, int(in_y)
    await RisingEdge(dut.clk)
    dut.valid.value = 0
    dut.row.value, dut.y.value = ROWS - 1 - row, 1 - int(in_y)


async def count_hits(dut, cycles):
    """Hit count in the next ``cycles``."""
    hits = 0
    for _ in range(cycles):
        await RisingEdge(dut.clk)
        hits += int(dut.hit.value)
    return hits


def choose_row(passes, rng):
    """Row at a window edge, inside or beside it, or any row; returns (row, in Y)."""
    known = [window for windows in passes if windows for window in windows]
    if not known or rng.random() < 0.1:
        return rng.randrange(ROWS), rng.random() < 0.5
    in_y, low, high = rng.choice(known)
    row = rng.choice([low - 1, low, (low + high) // 2, high, high + 1]) % ROWS
    return row, in_y != (rng.random() < 0.1)


async def begin(dut):
    """Start the clock with all inputs idle."""
    for name in ("rows", "turn", "loading", "live", "valid", "y", "row", "program", "flush"):
        getattr(dut, name).value = 0
    await start(dut)


@cocotb.test
async def writes_meet_windows(dut):
    """Single writes, and writes to both halves of a bus word, as close as allowed."""
    rng, passes = random_of(211), [None] * SLOTS
    await begin(dut)
    for _ in range(60):
        slot = rng.randrange(SLOTS)
        dut.live.value = 0
        passes[slot] = random_windows(rng)
        await load(dut, slot, passes[slot], rng)
        for _ in range(30):
            live = rng.getrandbits(SLOTS) & sum(1 << at for at, each in enumerate(passes) if each)
            dut.live.value = live
            row, in_y = choose_row(passes, rng)
            runs = [windows for index, windows in enumerate(passes) if live >> index & 1]
            expected = any(here == in_y and low <= row <= high
                           for windows in runs for here, low, high in windows)
            await write(dut, row, in_y)
            if rng.random() < 0.5:
                await RisingEdge(dut.clk)
                await write(dut, row, in_y)
            dut.live.value = rng.getrandbits(SLOTS)  # passes that begin or end later
            hits = await count_hits(dut, LATENCY)
            assert bool(hits) == expected, (row, in_y, live, passes)


@cocotb.test
async def no_write_is_lost(dut):
    """Alternating hits and misses ``APART`` cycles apart, with all slots live."""
    rng  = random_of(212)
    rows = [100, 200, 300, 400]
    here = [[(False, 0, 0), (True, 0, 0), (False, row, row + 1)] for row in rows]
    await begin(dut)
    for slot, windows in enumerate(here):
        await load(dut, slot, windows, rng)
    dut.live.value = (1 << SLOTS) - 1
    for slot in range(SLOTS):
        for order in ((rows[slot], 4000), (4000, rows[slot])):
            hits = cocotb.start_soon(count_hits(dut, 2 * WriteMonitor.APART + LATENCY))
            for row in order:
                await write(dut, row, in_y=False)
                for _ in range(WriteMonitor.APART - 1):
                    await RisingEdge(dut.clk)
            assert await hits == 1, (slot, order)


@cocotb.test
async def a_start_forgets(dut):
    """A write before or during a flush hits no pass, a write after it does; a program write hits
    at once."""
    await begin(dut)
    await load(dut, 3, [(False, 0, 100), (True, 0, 0), (False, 0, 0)], random_of(213))
    dut.live.value = 8
    for cycles in range(-1, LATENCY - SLOTS):
        if cycles >= 0:
            await write(dut, 5, in_y=False)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.flush.value = 1
        await (write(dut, 5, in_y=False) if cycles < 0 else RisingEdge(dut.clk))
        dut.flush.value = 0
        hits = cocotb.start_soon(count_hits(dut, LATENCY))
        if cycles % 2:  # the next write counts
            await write(dut, 5, in_y=False)
        assert await hits == cycles % 2, cycles
    dut.program.value = 1
    await RisingEdge(dut.clk)
    dut.program.value = 0
    assert await count_hits(dut, 3) == 1
