# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.loop_nest: a pass's outputs, against the loop nest in xymac.hdl.isa."""

from itertools import product

import cocotb
from cocotb.triggers import ClockCycles, Event, RisingEdge, with_timeout

from xymac.hdl.config import SLOTS
from xymac.hdl.core.fetch.loader import Starts
from xymac.hdl.core.loop_nest import LoopNest, LoopSlots, Output
from xymac.hdl.isa import Access, AguMode, Axis, Encoded, Pass, Scale, pack, records
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, encode, start

Y_ROWS    = int(cocotb.plusargs["y_rows"])
BIAS_ROWS = int(cocotb.plusargs["bias_rows"])
WRAPS     = 52_428  # a step of a border that comes back to its start, but for 4, after 5 of 18 bits


def random_access(rng):
    """A window with any mode; a linear access's base may lie outside."""
    mode   = rng.choice(list(AguMode))
    length = rng.choice([1, 2, 8, 64, 256]) if mode is AguMode.BIT_REVERSED else rng.randint(1, 300)
    low    = rng.randint(0, 500)
    base   = low + rng.randrange(length)
    if mode is not AguMode.MODULO:
        base += rng.randint(-50, 20)
    outer = tuple(rng.randint(-length, length) for _ in range(3))
    return Access(base, low, low + length - 1, outer, tuple(rng.randint(-9, 9) for _ in range(3)),
                  mode)


def random_axis(rng):
    """A padding clip, often without padding, with step and size up to the maximum."""
    return Axis(pad=rng.choice([0, 0, 1, 2, 5]), step=rng.choice([0, 1, 2, 3, WRAPS]),
                size=rng.choice([1, 2, 5, 65535]))


def random_pass(rng):
    """A pass with a bias, restored accumulators or neither; some wait, save or scale."""
    bias, resume, hold, scale = rng.choice([
        (None, False, True, Scale.NONE), (None, True, False, Scale.NONE),
        (0, False, True, Scale.NONE), (7, False, False, Scale.BITS16),
        (Y_ROWS - 2 * BIAS_ROWS, False, True, Scale.NONE),
        (Y_ROWS - 6 * BIAS_ROWS, False, False, Scale.BITS16),
        (Y_ROWS - 2 * BIAS_ROWS, False, False, Scale.BITS16), (Y_ROWS, False, False, Scale.NONE)])
    return Pass(x=random_access(rng), y=random_access(rng), z=random_access(rng),
                outer=tuple(rng.choice([1, 1, 2, 3, most]) for most in (4, 6, 6)),
                taps=tuple(rng.choice([1, 2, 3, 5]) for _ in range(3)),
                entry=rng.randrange(13), rows=random_axis(rng), cols=random_axis(rng),
                scale=scale, addend=scale is not Scale.NONE and rng.random() < 0.5,
                once=scale is not Scale.NONE and rng.random() < 0.5,
                bias_row=bias, resume=resume, hold=hold, wait=rng.random() < 0.5)


def distance_of(access, slot):
    """An access's start, relative to its window; each slot moves it, unless it is modulo."""
    distance = 0 if access.mode is AguMode.MODULO else 700 * slot - 1000
    return access.base - access.low + distance


def origin(access, index, slot):
    """An output's relative address, before its taps."""
    relative = distance_of(access, slot)
    relative += sum(at * stride for at, stride in zip(index, access.outer, strict=True))
    length = access.high - access.low + 1
    return relative % length if access.mode is AguMode.MODULO else relative


def valid(axis, index, count):
    """Taps along an axis inside the input."""
    first = index * axis.step - axis.pad
    return [tap for tap in range(count) if 0 <= first + tap < axis.size]


def expect(pass_, slot):
    """Expected fields for every output; an empty output has only its mark."""
    accumulate, epilogue = pass_.accumulate, pass_.epilogue
    outputs = list(product(*map(range, pass_.loop.outer)))
    for number, (a, b, c) in enumerate(outputs):
        rows = valid(pass_.loop.rows, b, pass_.loop.taps[0])
        cols = valid(pass_.loop.cols, c, pass_.loop.taps[1])
        bias = accumulate.bias_row is not None and (b, c) == (0, 0)
        first = records(pass_) * BIAS_ROWS
        group = BIAS_ROWS if epilogue.once and a else first
        row   = (accumulate.bias_row or 0) + (first + (a - 1) * group) * (a > 0)
        fields = {"slot": slot, "first": number == 0, "last": number == len(outputs) - 1,
                  "empty": not (rows and cols), "bias": bias,
                  "z": origin(epilogue.z, (a, b, c), slot), "entry": accumulate.entry + a,
                  "wait": pass_.control.wait and number == 0, "hold": accumulate.hold,
                  "resume": accumulate.resume and number == 0}
        if bias:
            fields |= {"bias_row": row, "bias_bad": row + group > Y_ROWS,
                       "records": group // BIAS_ROWS - 1}
        fields["count"] = pass_.loop.taps[2]
        if rows and cols:
            skips = {name: access.taps[0] * rows[0] + access.taps[1] * cols[0]
                     for name, access in (("x", pass_.operands.x), ("y", pass_.operands.y))}
            fields |= {"rows": len(rows), "cols": len(cols)}
            fields |= {name: origin(getattr(pass_.operands, name), (a, b, c), slot) + skip
                       for name, skip in skips.items()}
        yield fields


async def launch(dut, pass_, slot):
    """Launch a pass in ``slot``; the other slots hold another pass."""
    other = Pass(x=pass_.operands.y, y=pass_.operands.x, z=pass_.epilogue.z)
    passes = [pass_ if index == slot else other for index in range(SLOTS)]
    for index, each in enumerate(passes):
        dut.loading.value, dut.coming.value = 1 << index, pack(each)
        accesses = each.operands.x, each.operands.y, each.epilogue.z
        dut.moved.value = encode(Starts, [distance_of(access, index) for access in accesses])
        await ClockCycles(dut.clk, LoopNest.STANDS)
    dut.loading.value = 0
    dut.loop_slots.value, dut.launch.value = encode(LoopSlots, [slot] * LoopSlots.length), 1
    await RisingEdge(dut.clk)
    dut.launch.value = 0


async def prepare(dut, pause):
    """Start the clock; returns an output sink."""
    dut.launch.value = dut.flush.value = 0
    await start(dut)
    return StreamSink(dut, "o", Output, pause=pause, seed=2)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.6])
async def matches_loops(dut, pause):
    """Random padding clips, strides, modes and biases."""
    rng, sink = random_of(61), await prepare(dut, pause)
    for number in range(150):
        pass_, slot = random_pass(rng), rng.randrange(SLOTS)
        await launch(dut, pass_, slot)
        wanted = list(expect(pass_, slot))
        outputs = await with_timeout(sink.receive(len(wanted)), 100, "us")
        for output, fields in zip(outputs, wanted, strict=True):
            assert {name: output[name] for name in fields} == fields, (number, pass_)
        await ClockCycles(dut.clk, 2)
        assert not dut.walking.value
        assert not dut.o__valid.value


async def load(dut, rng, passes):
    """Load pass after pass into its slot; both inputs stand as shortly as they may."""
    for number, (pass_, loaded, free) in enumerate(passes):
        slot = number % SLOTS
        if free:
            await free.wait()
        dut.loading.value = 1 << slot
        starts = [distance_of(access, slot) for access in (
            pass_.operands.x, pass_.operands.y, pass_.epilogue.z)]
        for cycle in range(-rng.randrange(8), LoopNest.STANDS):
            coming = pack(pass_) if cycle >= 0 else rng.getrandbits(Encoded.size)
            moved  = encode(Starts, starts) if cycle > 0 else rng.getrandbits(Starts.size)
            dut.coming.value, dut.moved.value = coming, moved
            await RisingEdge(dut.clk)
        dut.loading.value, dut.coming.value = 0, rng.getrandbits(Encoded.size)
        dut.moved.value = rng.getrandbits(Starts.size)
        loaded.set()


async def launch_all(dut, passes):
    """Launch every pass as soon as it is loaded and the loops of the pass before have ended."""
    for number, (_, loaded, _) in enumerate(passes):
        if not loaded.is_set():
            await loaded.wait()
        dut.loop_slots.value = encode(LoopSlots, [number % SLOTS] * LoopSlots.length)
        dut.launch.value = 1
        await RisingEdge(dut.clk)
        dut.launch.value = 0
        await RisingEdge(dut.clk)
        while dut.walking.value:
            await RisingEdge(dut.clk)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.3, 0.8])
async def runs_on(dut, pause):
    """Passes are loaded while others run, and follow one another at once."""
    rng, sink = random_of(63), await prepare(dut, pause)
    passes, free = [], []
    for number in range(200):
        free.append(Event())
        before = free[number - SLOTS] if number >= SLOTS else None
        passes.append((random_pass(rng), Event(), before))
    cocotb.start_soon(load(dut, rng, passes))
    cocotb.start_soon(launch_all(dut, passes))
    for number, (pass_, _, _) in enumerate(passes):
        wanted = list(expect(pass_, number % SLOTS))
        outputs = await with_timeout(sink.receive(len(wanted)), 100, "us")
        for output, fields in zip(outputs, wanted, strict=True):
            assert {name: output[name] for name in fields} == fields, (number, pass_)
        free[number].set()


@cocotb.test
async def cycles_an_output(dut):
    """Outputs come every ``LoopNest.CYCLES`` cycles."""
    sink = await prepare(dut, 0.0)
    line = Access(0, 0, 99, (0, 0, 1))
    await launch(dut, Pass(x=line, y=line, z=line, outer=(1, 1, 50)), 0)
    await sink.receive(1)
    task, cycles = cocotb.start_soon(sink.receive(49)), 0
    while not task.done():
        await RisingEdge(dut.clk)
        cycles += 1
    assert abs(cycles - LoopNest.CYCLES * 49) <= 1


@cocotb.test
async def flush_stops(dut):
    """After a flush at any time only the next pass's outputs appear."""
    rng, sink = random_of(62), await prepare(dut, 0.0)
    line = Access(0, 0, 99, (1, 5, 20))
    for cycles in range(1, 20):
        await launch(dut, Pass(x=line, y=line, z=line, outer=(2, 2, 2)), 0)
        await ClockCycles(dut.clk, cycles)
        dut.flush.value = 1
        await RisingEdge(dut.clk)
        dut.flush.value = 0
        pass_  = random_pass(rng)
        await launch(dut, pass_, 1)
        wanted = list(expect(pass_, 1))
        for output, fields in zip(await sink.receive(len(wanted)), wanted, strict=True):
            assert {name: output[name] for name in fields} == fields, (cycles, pass_)
