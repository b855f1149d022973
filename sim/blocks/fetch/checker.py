# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.fetch.checker.Checker: every refusal, at its limit and 1 beyond it."""

from dataclasses import replace

import cocotb

from xymac.hdl.config import find_size
from xymac.hdl.core.fetch.checker import Checker
from xymac.hdl.isa import (
    BANKS,
    OWN_TABLES,
    TABLE_ENTRIES,
    Access,
    AguMode,
    Count,
    Encoded,
    Memory,
    Op,
    Pass,
    Place,
    Reduce,
    Shape,
    Status,
    Table,
    TablePlace,
    Width,
    pack,
    pack_place,
)
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start

CONFIG = find_size(cocotb.plusargs["size"])
WINDOW = Access(0, 0, 9)


def units(pass_):
    """X, Y and Z address counts, by the memory layout in xymac.hdl.isa."""
    cells = {Memory.X: CONFIG.x_bytes // 2, Memory.Y: CONFIG.y_bytes // 2}
    def count(memory, width, elements):
        return cells[memory] * (2 if width is Width.BITS8 else 1) // elements
    y_elements = CONFIG.lanes * (CONFIG.ways if pass_.operands.y_shape is Shape.VECTOR else 1)
    x_elements = 1 if pass_.accumulate.op is Op.GATHER else CONFIG.ways
    return {"x": count(Memory.X, pass_.operands.x_width, x_elements),
            "y": count(Memory.Y, pass_.operands.y_width, y_elements),
            "z": count(pass_.epilogue.z_memory, pass_.epilogue.z_width, CONFIG.ways)}


def passes():
    """Passes, each with its expected verdict: (status, field)."""
    good = Pass(x=WINDOW, y=WINDOW, z=WINDOW)
    fine = (Status.OK, 0)
    yield good, fine
    yield replace(good, op=Op.NONE), (Status.OPCODE, 0)
    for name in ("outer", "taps"):
        for index in range(3):
            counts = [1, 65535, 7]
            yield replace(good, **{name: tuple(counts)}), fine
            counts[index] = 0
            field = Count[f"{name.upper()}{index}"].value
            yield replace(good, **{name: tuple(counts)}), (Status.COUNT, field)
    for beats in range(8):
        yield replace(good, beats=beats), (
            fine if 1 <= beats <= 4 else (Status.COUNT, Count.BEATS.value))
    for shift in range(-64, 64):
        yield replace(good, shift=shift), fine if -16 <= shift <= 40 else (Status.SHIFT, 0)
    for shapes in range(32):
        bits  = [shapes >> bit & 1 for bit in range(5)]
        base  = replace(good, x_width=Width(bits[0]), y_width=Width(bits[1]),
                        z_width=Width(bits[2]), y_shape=Shape(bits[3]), z_memory=Memory(bits[4]))
        for name, count in units(base).items():
            low = min(count - 1, 65535)
            for high, verdict in ((count - 1, fine),
                                  (count, (Status.WINDOW, Count[name.upper()].value)),
                                  (-1, (Status.WINDOW, Count[name.upper()].value))):
                window = Access(0, 0 if high < 0 else low, high)
                yield replace(base, **{name: window}), verdict
    yield from ranked(good, fine)
    yield from gathers(good, fine)
    for low in (0, 1, 2, 3, 4):
        for high in range(low, low + 8):
            whole = low % BANKS == 0 and (high + 1) % BANKS == 0
            yield replace(good, op=Op.CROSS, x=Access(low, low, high)), (
                fine if whole else (Status.WINDOW, Count.X.value))
            yield replace(good, x=Access(low, low, high)), fine
    # The first of several offences counts: operation, counts, shift, table, windows.
    yield replace(good, op=Op.NONE, taps=(0, 1, 1)), (Status.OPCODE, 0)
    yield replace(good, taps=(0, 1, 0), shift=50), (Status.COUNT, Count.TAPS0.value)
    yield replace(good, shift=50, y=Access(0, 0, -1)), (Status.SHIFT, 0)
    yield (replace(good, y=Access(0, 0, -1), z=Access(0, 0, -1)),
           (Status.WINDOW, Count.Y.value))


def ranked(good, fine):
    """Passes that rank or pop, with and without the required 1-beat MAC."""
    for reduce in (Reduce.RANK, Reduce.POP):
        for beats in range(8):
            yield replace(good, reduce=reduce, beats=beats), (
                fine if beats == 1 else (Status.COUNT, Count.BEATS.value))
        for op in (Op.MAX, Op.MIN, Op.SPREAD):
            yield replace(good, reduce=reduce, beats=1, op=op), (Status.OPCODE, 0)
    lanes = replace(good, x_shape=Shape.LANES, reduce=Reduce.RANGE)
    for op in (Op.MAC, Op.MAX, Op.MIN):
        yield replace(lanes, op=op), fine if CONFIG.has("extremes") else (Status.OPCODE, 0)


def ranges():
    """Encodings refused by ``pack``, with their verdict.

    RANGE with X by VECTOR or fewer than 4 beats, and reduction codes without a meaning.
    """
    code   = Encoded["reduce"].offset
    ranked = pack(Pass(x=WINDOW, y=WINDOW, z=WINDOW, reduce=Reduce.RANK, beats=1))
    yield ranked | 2 << code, 0, (Status.OPCODE, 0)
    yield ranked | 3 << code, 0, (Status.OPCODE, 0)
    for beats in (1, 2, 3, 4):
        lanes = pack(Pass(x=WINDOW, y=WINDOW, z=WINDOW, x_shape=Shape.LANES, beats=beats))
        yield (lanes | 1 << Encoded["ranks"].offset | 2 << code, 0,
               (Status.OPCODE, 0) if not CONFIG.has("extremes") else
               (Status.OK, 0) if beats == BANKS else (Status.COUNT, Count.BEATS.value))


def change(bits, path, value):
    """A pass's bits with ``value``, modulo the field width, in the field at ``path``."""
    layout, offset = Encoded, 0
    for name in path.split("."):
        field = layout[name]
        layout, offset = field.shape, offset + field.offset
    mask = (1 << field.width) - 1
    return bits & ~(mask << offset) | (value & mask) << offset


def derived():
    """Bits for passes whose derived window fields may fit another window, and the verdict."""
    fine, high = (Status.OK, 0), WINDOW.high
    for shape in Shape:
        for beats in range(1, BANKS + 1):
            good = pack(Pass(x=WINDOW, y=WINDOW, z=WINDOW, x_shape=shape, beats=beats))
            span = beats if shape is Shape.LANES else 1
            for more in (-1 << 18, -high - 9, -1, 0, 1, 2, 5, 1 << 18):
                for name, last in (("x", high + 1 - span), ("y", high)):
                    yield change(good, f"{name}.last", last + more), 0, (
                        fine if more <= 0 else (Status.WINDOW, Count[name.upper()].value))
    for name, path in (("x", "x.agu"), ("y", "y.agu"), ("z", "z")):
        for places in (0, 1, 4, 8):
            window = Access(0, 0, (1 << places) - 1, mode=AguMode.BIT_REVERSED)
            good   = pack(Pass(**{"x": WINDOW, "y": WINDOW, "z": WINDOW} | {name: window}))
            for order in range(32):
                yield change(good, f"{path}.order", order), 0, (
                    fine if order == places else (Status.WINDOW, Count[name.upper()].value))
    for beats in range(1, BANKS + 1):
        lanes = pack(Pass(x=replace(WINDOW, high=7), y=WINDOW, z=WINDOW, x_shape=Shape.LANES,
                          beats=beats))
        lanes = change(lanes, "x.agu.mode", AguMode.BIT_REVERSED.value)
        yield change(lanes, "x.agu.order", 3), 0, (
            fine if beats == 1 else (Status.WINDOW, Count.X.value))


def slides():
    """SLIDE passes as bits, with each field that they exclude, and the verdict."""
    bad  = (Status.OPCODE, 0)
    good = change(pack(Pass(x=WINDOW, y=WINDOW, z=WINDOW, x_shape=Shape.LANES,
                            y_shape=Shape.VECTOR)), "op", Op.SLIDE.value)
    yield good, 0, (Status.OK, 0) if CONFIG.has("window") else bad
    for name, values in (("floor", range(1, 16)), ("hold", [1]), ("resume", [1]),
                         ("x_shape", [Shape.VECTOR.value]), ("y_shape", [Shape.LANES.value])):
        for value in values:
            yield change(good, name, value), 0, bad


def judge(pass_, verdict):
    """Verdict on a pass: OPCODE if the core lacks a function, else ``verdict``."""
    core = CONFIG.capabilities
    lacks = (pass_.accumulate.op not in core.operations
             or pass_.reduction.reduce not in core.reductions)
    return (Status.OPCODE, 0) if lacks else verdict


def gathers(good, fine):
    """GATHER passes: X windows in elements, and Y windows with and without the required size."""
    table  = CONFIG.lanes * CONFIG.ways
    gather = replace(good, op=Op.GATHER, y=Access(table, table, 2 * table - 1))
    yield gather, fine
    end = units(gather)["x"]
    for low in (0, min(end - 1, 65535)):
        for high, verdict in ((end - 1, fine), (end, (Status.WINDOW, Count.X.value))):
            yield replace(gather, x=Access(low, low, high)), verdict
    for low in (0, 1, table // 2, table - 1, table, 3 * table):
        for high in {low, low + table - 2, low + table - 1, low + table}:
            whole = low % table == 0 and high == low + table - 1
            yield (replace(gather, y=Access(low, low, high)),
                   fine if whole else (Status.WINDOW, Count.Y.value))


def tables():
    """Passes, each with its table's place and its verdict."""
    fine = (Status.OK, 0)
    for table in OWN_TABLES:
        good = Pass(x=WINDOW, y=WINDOW, z=WINDOW, table=table)
        bad  = (Status.TABLE, table.value)
        for place in (TablePlace(0, 2, 0), TablePlace(0, TABLE_ENTRIES, 7),
                      TablePlace(TABLE_ENTRIES - 2, 2, 0), TablePlace(1024, 3, -1024)):
            yield good, pack_place(place), fine
        for half, last in ((1, 0), (1, 1), (1023, 2045), (1023, 1023), (512, 511),
                           (0, TABLE_ENTRIES - 1), (1023, TABLE_ENTRIES - 1)):
            yield good, encode(Place, {"half": half, "last": last}), bad
            yield replace(good, table=Table.NONE), encode(Place, {"half": half, "last": last}), fine
        yield good, pack_place(None), bad
        nowhere = pack_place(None)
        yield replace(good, shift=50), nowhere, (Status.SHIFT, 0)
        yield replace(good, z=Access(0, 0, -1)), nowhere, bad


@cocotb.test
async def names_the_first_offence(dut):
    """Check the passes in random order, each for as many cycles as the verdict takes."""
    await start(dut)
    cases = [(pack(pass_), 0, judge(pass_, verdict)) for pass_, verdict in passes()]
    cases += [(pack(pass_), place, judge(pass_, verdict)) for pass_, place, verdict in tables()]
    good  = pack(Pass(x=WINDOW, y=WINDOW, z=WINDOW)) - Op.MAC.value  # the operation's bits are 0
    cases += [(good + code, 0, (Status.OPCODE, 0)) for code in range(len(Op), 16)]
    cases += [*ranges(), *derived(), *slides()]
    random_of(71).shuffle(cases)
    hold    = Checker.AHEAD + Checker.LATENCY
    results = await feed(dut, [{"pass_": bits, "place": place, "begin": int(not cycle)}
                               for bits, place, _ in cases for cycle in range(hold)],
                         ["status", "field"], hold)
    for (bits, _, verdict), result in zip(cases, results[::hold], strict=True):
        assert (Status(result["status"]), result["field"]) == verdict, f"{bits:x}"
