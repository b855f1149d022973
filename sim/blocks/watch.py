"""Bench of hdl.core.watch.Watch: writes at window edges while passes are loaded and end."""

import cocotb
from cocotb.triggers import RisingEdge

from hdl.config import SLOTS
from hdl.core.watch import Watch
from hdl.isa import (
    BANKS,
    Access,
    Encoded,
    Memory,
    Op,
    Pass,
    Scale,
    Shape,
    Width,
    fields_of,
    pack,
    record_rows,
)
from sim.agents.seed import random_of
from sim.agents.stream import start

WAYS    = int(cocotb.plusargs["ways"])
LATENCY = 7 + SLOTS - 1  # latency of the last slot
ROWS    = 4096


def random_pass(rng):
    """A legal pass with windows of every size, some of one or two rows."""
    while True:
        pass_ = _any_pass(rng)
        try:
            pack(pass_)
        except ValueError:
            continue
        return pass_


def _any_pass(rng):
    def access(top):
        low  = rng.choice([0, rng.randrange(top), rng.randrange(top // 64)])
        high = min(low + rng.choice([0, 1, 7, rng.randrange(top)]), top - 1)
        return Access(low, low, high)
    bias = rng.choice([None, 0, ROWS - 1, ROWS, rng.randrange(ROWS), rng.randrange(1 << 16)])
    return Pass(
        op=rng.choice([Op.MAC, Op.MAC, Op.GATHER, Op.SPREAD]), x=access(BANKS * ROWS),
        y=access(ROWS), z=access(BANKS * ROWS),
        x_width=rng.choice(list(Width)), y_width=rng.choice(list(Width)),
        z_width=rng.choice(list(Width)), y_shape=rng.choice(list(Shape)),
        z_memory=rng.choice(list(Memory)), bias_row=bias, scale=rng.choice(list(Scale)),
        addend=rng.random() < 0.5, once=rng.random() < 0.5,
        outer=(rng.choice([1, 2, rng.randint(1, 40), 65535]), 1, 1))


def windows(pass_):
    """Windows of a pass: (in Y, first row, last row)."""
    accumulate = pass_.accumulate
    units = {"x": BANKS * (WAYS if accumulate.op is Op.GATHER else 1),
             "y": WAYS if pass_.operands.y_shape is Shape.LANES else 1,
             "z": BANKS * (WAYS if pass_.epilogue.z_memory is Memory.Y else 1)}
    in_y  = {"x": False, "y": True, "z": pass_.epilogue.z_memory is Memory.Y}
    for name, count in units.items():
        fields = fields_of(pass_)
        access = fields[name]
        count *= 1 + (fields[f"{name}_width"] is Width.BITS8)
        yield in_y[name], access.low // count, access.high // count
    if accumulate.bias_row is not None and accumulate.bias_row < ROWS:
        last = min(accumulate.bias_row + record_rows(pass_, WAYS), ROWS) - 1
        yield True, accumulate.bias_row, last


async def load(dut, slot, pass_, rng):
    """Load a pass with the timing of the loader: noise before and after the complete pass."""
    noise = rng.getrandbits(Encoded.size)
    dut.coming.value, dut.loading.value = noise, 1 << slot
    for _ in range(rng.choice([0, 1, 5])):
        await RisingEdge(dut.clk)
    dut.coming.value = pack(pass_)
    for _ in range(Watch.WHOLE):
        await RisingEdge(dut.clk)
    dut.loading.value = 0
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.coming.value = noise


async def write(dut, row, in_y):
    """Report a host write to a row, for one cycle."""
    dut.valid.value, dut.row.value, dut.y.value = 1, row, int(in_y)
    await RisingEdge(dut.clk)
    dut.valid.value = 0
    dut.row.value, dut.y.value = ROWS - 1 - row, 1 - int(in_y)


async def count_hits(dut, cycles):
    """Number of hits in the next ``cycles``."""
    hits = 0
    for _ in range(cycles):
        await RisingEdge(dut.clk)
        hits += int(dut.hit.value)
    return hits


def choose_row(passes, rng):
    """Row at a window edge, inside or beside it, or any row; returns (row, in Y)."""
    known = [window for pass_ in passes if pass_ for window in windows(pass_)]
    if not known or rng.random() < 0.1:
        return rng.randrange(ROWS), rng.random() < 0.5
    in_y, low, high = rng.choice(known)
    row = rng.choice([low - 1, low, (low + high) // 2, high, high + 1]) % ROWS
    return row, in_y != (rng.random() < 0.1)


async def begin(dut):
    """Start the clock with all inputs idle."""
    for name in ("coming", "loading", "live", "valid", "y", "row", "program", "flush"):
        getattr(dut, name).value = 0
    await start(dut)


@cocotb.test
async def writes_meet_windows(dut):
    """Single writes, and writes of both halves of a bus word, as close as allowed."""
    rng, passes = random_of(211), [None] * SLOTS
    await begin(dut)
    for _ in range(60):
        slot = rng.randrange(SLOTS)
        dut.live.value = 0
        passes[slot] = random_pass(rng)
        await load(dut, slot, passes[slot], rng)
        for _ in range(30):
            live = rng.getrandbits(SLOTS) & sum(1 << at for at, each in enumerate(passes) if each)
            dut.live.value = live
            row, in_y = choose_row(passes, rng)
            runs = [pass_ for index, pass_ in enumerate(passes) if live >> index & 1]
            expected = any(here == in_y and low <= row <= high
                           for pass_ in runs for here, low, high in windows(pass_))
            await write(dut, row, in_y)
            if rng.random() < 0.5:
                await RisingEdge(dut.clk)
                await write(dut, row, in_y)
            dut.live.value = rng.getrandbits(SLOTS)  # passes that begin or end later
            hits = await count_hits(dut, LATENCY)
            assert bool(hits) == expected, (row, in_y, live, passes)


@cocotb.test
async def no_write_is_lost(dut):
    """Alternating hits and misses at a distance of ``APART`` cycles, with all slots live."""
    rng  = random_of(212)
    here = [Pass(x=Access(0, 0, 0), y=Access(0, 0, 0),
                 z=Access(base, base, base + 7)) for base in (800, 1600, 2400, 3200)]
    rows = [next(low for in_y, low, _ in windows(pass_) if not in_y and low) for pass_ in here]
    await begin(dut)
    for slot, pass_ in enumerate(here):
        await load(dut, slot, pass_, rng)
    dut.live.value = (1 << SLOTS) - 1
    for slot in range(SLOTS):
        for order in ((rows[slot], 4000), (4000, rows[slot])):
            hits = cocotb.start_soon(count_hits(dut, 2 * Watch.APART + LATENCY))
            for row in order:
                await write(dut, row, in_y=False)
                for _ in range(Watch.APART - 1):
                    await RisingEdge(dut.clk)
            assert await hits == 1, (slot, order)


@cocotb.test
async def a_start_forgets(dut):
    """A write before a flush hits no pass after the flush; a program write hits at once."""
    await begin(dut)
    await load(dut, 3, Pass(x=Access(0, 0, 400), y=Access(0, 0, 0), z=Access(0, 0, 0)),
               random_of(213))
    dut.live.value = 8
    for cycles in range(LATENCY - SLOTS):
        await write(dut, 5, in_y=False)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.flush.value = 1
        await RisingEdge(dut.clk)
        dut.flush.value = 0
        assert not await count_hits(dut, LATENCY), cycles
    dut.program.value = 1
    await RisingEdge(dut.clk)
    dut.program.value = 0
    assert await count_hits(dut, 3) == 1
