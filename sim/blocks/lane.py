"""Bench of hdl.core.lane.Lane: sums of products, bias rows, one step a cycle."""

from fractions import Fraction
from math import floor

import cocotb
from amaranth import signed

from hdl.core.hold import Held
from hdl.core.lane import Lane
from hdl.isa import BANKS, BIAS_BITS, FLOOR_BITS, FLOOR_MAX, HELD, bias_rows
from sim.agents.pipeline import feed
from sim.agents.seed import random_of
from sim.agents.stream import decode, encode, start

WAYS  = int(cocotb.plusargs["ways"])
ROWS  = int(cocotb.plusargs["rows"])
NUMBER = int(cocotb.plusargs["lane"])
LANE  = Lane(ways=WAYS, rows=ROWS, lane=NUMBER)
USED  = [0, 1, 2, ROWS // 2, ROWS - 2, ROWS - 1]
IDLE  = ({}, [0] * WAYS, None)
EDGES = [-32768, -1, 0, 1, 32767]


def fill(rng, cells):
    """Writes of all used cells, bank and column of this lane; neighbours must not take theirs."""
    bank, column = divmod(NUMBER, WAYS)
    for row in USED:
        for way in range(WAYS):
            for mine in (True, False):
                value = rng.choice([*(edge % 65536 for edge in EDGES), rng.randrange(65536)])
                write = {"y": 1, "row": row, "bytes": 3, "way": 1 << way, "bank": 1 << bank,
                         "column": 1 << column}
                if mine:
                    cells[row, way] = value
                else:
                    write[rng.choice(["y", "bytes", "way", "bank", "column"])] = 0
                yield {"write": encode(LANE.write.shape(), write), "data": value}


def weight(cells, command, way):
    """The element of 16 or 8 bits that a way reads for a command."""
    cell = cells[command["row"], way]
    bits = cell if command["wide"] else cell >> 8 * command["byte"] & 0xFF
    size = 16 if command["wide"] else 8
    return bits - (1 << size) * (bits >> size - 1)


def bias_of(cells, first):
    """48 bits from the rows from ``first`` on, the most significant row first."""
    parts = [cells[row, way] for row in reversed(range(first, first + bias_rows(WAYS)))
             for way in range(WAYS)]
    value = sum(part << 16 * index for index, part in enumerate(parts)) % (1 << BIAS_BITS)
    return value - (1 << BIAS_BITS) * (value >> BIAS_BITS - 1)


def outputs(rng, cells, floor_):
    """Random outputs: commands, their operands and the exact sums, floored before the last step.

    Yields lists of (command, x, finished sum or None), one a cycle.
    """
    bias, since = 0, BANKS
    for _ in range(60):
        steps, total, biased = [], None, int(rng.random() < 0.7)
        if rng.random() < 0.5:
            rows  = bias_rows(WAYS)
            first = rng.choice([row for row in USED if all(row + n in USED for n in range(rows))])
            bias  = bias_of(cells, first)
            # Until BANKS cycles after its first step the bias of the output before is needed.
            steps += [IDLE] * max(0, BANKS - since)
            for row in range(first, first + rows):
                steps.append(({"row": row, "wide": 1, "bias": 1}, [0] * WAYS, None))
        x_lanes = rng.randrange(2)
        count   = rng.choice([1, 1, 2, 3, 20])
        before  = len(steps)
        combine, flags = rng.choice([(sum, {"biased": biased}), (sum, {"biased": biased}),
                                     (max, {"extreme": 1}),
                                     (min, {"extreme": 1, "smallest": 1})])
        for step in range(count):
            ways = rng.choice([(1 << WAYS) - 1, 1 << rng.randrange(WAYS)])
            command = {"row": rng.choice(USED), "byte": rng.randrange(2), "wide": rng.randrange(2),
                       "way": ways, "x_lanes": x_lanes, "step": 1, "first": int(step == 0),
                       "last": int(step == count - 1), **flags}
            x   = [rng.choice([*EDGES, rng.randint(-32768, 32767)]) for _ in range(WAYS)]
            own = x[NUMBER % WAYS]  # by lanes
            product = sum(weight(cells, command, way) * (own if x_lanes else x[way])
                          for way in range(WAYS) if ways >> way & 1)
            begin  = [bias * biased] if combine is sum else []
            if floor_ and combine is sum and 0 < step == count - 1:
                total -= total % (1 << FLOOR_BITS + floor_)
            total   = combine([*(begin if step == 0 else [total]), product])
            steps.append((command, x, total if command["last"] else None))
            if rng.random() < 0.2:  # An idle slot in between changes nothing.
                steps.append(({"row": 0, "last": 1, "first": 1}, [5] * WAYS, None))
        since = len(steps) - before
        yield steps


@cocotb.test
@cocotb.parametrize(floor_=[0, 1, 7, FLOOR_MAX])
async def sums_products(dut, floor_):
    """Back-to-back outputs with and without bias, both widths, all ways or one."""
    rng, cells = random_of(101), {}
    dut.floor.value = (1 << floor_) - 1
    await start(dut)
    await feed(dut, [*fill(rng, cells), {"write": 0}], [], 0)
    slots = [slot for output in outputs(rng, cells, floor_) for slot in output]
    stimuli = []
    for cycle in range(len(slots) + LANE.X_LAG):
        at = [slots[cycle - late] if 0 <= cycle - late < len(slots) else IDLE
              for late in (0, LANE.X_LAG)]
        stimuli.append({"command": encode(LANE.command.shape(), at[0][0]),
                        "x": encode(LANE.x.shape(), at[1][1])})
    results = await feed(dut, stimuli, ["acc", "done"], LANE.latency)
    for index, ((command, *_, total), result) in enumerate(zip(slots, results, strict=False)):
        assert result["done"] == (total is not None), (index, command)
        if total is not None:
            wrapped = (total + (1 << 47)) % (1 << 48) - (1 << 47)
            assert decode(signed(BIAS_BITS), result["acc"]) == wrapped, (index, command)


def limit_sum(total, shift, rounding, narrow, even):
    """What a lane holds of a sum, in exact arithmetic."""
    total = (total + (1 << 39)) % (1 << 40) - (1 << 39)
    value = Fraction(total, 2**shift) if shift >= 0 else Fraction(total * 2**-shift)
    value = {None: floor(value), Held.UP: floor(value + Fraction(1, 2)), Held.EVEN: round(value)
             }[rounding]
    if narrow:
        return min(max(value, -(1 << 31) + even), (1 << 31) - 1)
    return (value + (1 << 39)) % (1 << 40) - (1 << 39)


@cocotb.test
async def holds_and_resumes(dut):
    """Sums go to their entries while the next one is added up; later ones begin with them."""
    rng, cells, entries = random_of(103), {}, {}
    dut.floor.value = 0
    await start(dut)
    await feed(dut, [*fill(rng, cells), {"write": 0}], [], 0)
    slots, wanted = [], []

    def output(steps, **flags):
        total = 0
        for step in range(steps):
            row = rng.choice(USED)
            x   = [rng.choice([*EDGES, rng.randint(-32768, 32767)]) for _ in range(WAYS)]
            command = {"row": row, "wide": 1, "way": (1 << WAYS) - 1, "step": 1,
                       "first": int(step == 0), "last": int(step == steps - 1), **flags}
            total += sum(weight(cells, command, way) * x[way] for way in range(WAYS))
            slots.append((command, x))
        return total

    for _ in range(300):
        total = output(rng.choice([1, 2, 100]))
        wanted.append((len(slots) - 1, total))
        shift  = rng.choice([-16, -16, -9, -1, 0, 1, 3, 8, 20, 40])
        narrow, even = rng.choice([(0, 0), (1, 0), (1, 1)])
        rounding = rng.choice([Held.UP, Held.EVEN, None])
        entry  = rng.randrange(HELD)
        todo   = [Held.LOAD, *[Held.LEFT if shift < 0 else Held.RIGHT] * abs(shift)]
        todo  += [*([rounding] if rounding else []), Held.LIMIT, Held.STORE, Held.NONE]
        entries[entry] = limit_sum(total, shift, rounding, narrow, even)
        before = len(slots)
        output(len(todo))  # something else meanwhile
        for (command, _), held in zip(slots[before:], todo, strict=True):
            command["held"] = {"op": held.value, "narrow": narrow, "even": even, "entry": entry}
        entry = rng.choice(list(entries))
        total = output(rng.choice([1, 5]), resume=1, entry=entry)
        wanted.append((len(slots) - 1, total + entries[entry]))
    idle    = ({}, [0] * WAYS)
    stimuli = [{"command": encode(LANE.command.shape(), command),
                "x": encode(LANE.x.shape(), (slots[cycle - LANE.X_LAG] if cycle >= LANE.X_LAG
                                             else idle)[1])}
               for cycle, (command, _) in enumerate([*slots, *[idle] * LANE.X_LAG])
               if cycle - LANE.X_LAG < len(slots)]
    results = await feed(dut, stimuli, ["acc", "done"], LANE.latency)
    for slot, total in wanted:
        assert results[slot]["done"]
        assert decode(signed(BIAS_BITS), results[slot]["acc"]) == total, slots[slot]


@cocotb.test
async def hands_on(dut):
    """Command, operands, writes and data reach the next lane a cycle later."""
    rng = random_of(102)
    await start(dut)
    names = ["command", "x", "write", "data"]
    stimuli = [{name: rng.getrandbits(len(getattr(dut, name))) for name in names}
               for _ in range(50)]
    results = await feed(dut, stimuli, [f"next_{name}" for name in names], 1)
    for stimulus, result in zip(stimuli, results, strict=True):
        assert stimulus == {name: result[f"next_{name}"] for name in names}
