# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.lane.Lane: sums of products, bias rows, one step a cycle."""

import cocotb
from amaranth import signed

from xymac.hdl.core.lane import Lane
from xymac.hdl.isa import ACC_BITS, BANKS, BIAS_BITS, FLOOR_BITS, FLOOR_MAX, HELD, bias_rows
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

WAYS  = int(cocotb.plusargs["ways"])
ROWS  = int(cocotb.plusargs["rows"])
NUMBER = int(cocotb.plusargs["lane"])
LANE  = Lane(ways=WAYS, rows=ROWS, lane=NUMBER)
USED  = [0, 1, 2, ROWS // 2, ROWS - 2, ROWS - 1]
IDLE  = ({}, [0] * WAYS, None, None)
KEPT  = 16  # elements kept for each MAC
EDGES = [-32768, -1, 0, 1, 32767]


def fill(rng, cells):
    """Writes to all words in use by this lane, mixed with writes that it must ignore."""
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
    """16-bit or 8-bit Y element that a MAC reads for a command."""
    cell = cells[command["row"], way]
    bits = cell if command["wide"] else cell >> 8 * command["byte"] & 0xFF
    size = 16 if command["wide"] else 8
    return bits - (1 << size) * (bits >> size - 1)


def bias_of(cells, first):
    """Bias, 48 bits, from row ``first`` on, most significant row first."""
    parts = [cells[row, way] for row in reversed(range(first, first + bias_rows(WAYS)))
             for way in range(WAYS)]
    value = sum(part << 16 * index for index, part in enumerate(parts)) % (1 << BIAS_BITS)
    return value - (1 << BIAS_BITS) * (value >> BIAS_BITS - 1)


def elements(kept, command, x):
    """Keep a cycle's elements; returns the elements that the MACs multiply."""
    own   = x[NUMBER % WAYS]
    taken = [own if command.get("x_lanes") else element for element in x]
    for way, element in enumerate(taken):
        kept[way][command.get("place", 0)] = element
    return [taken[0], *(kept[way][at] for way, at in enumerate(command.get("before", ()), 1))]


def forget():
    """Stimuli that reset every MAC's kept elements to zero."""
    for place in range(KEPT):
        yield {"command": encode(LANE.command.shape(), {"operands": {"place": place}}), "x": 0}


def outputs(rng, cells, floor_):
    """Random outputs: commands, operands and exact sums, floored before the last step.

    Yields lists of (command, x, sum of products or None, final sum or None), an item per cycle.
    """
    bias, since = 0, BANKS
    kept = [[0] * KEPT for _ in range(WAYS)]
    for _ in range(60):
        steps, total, biased = [], None, int(rng.random() < 0.7)
        if rng.random() < 0.5:
            rows  = bias_rows(WAYS)
            first = rng.choice([row for row in USED if all(row + n in USED for n in range(rows))])
            bias  = bias_of(cells, first)
            # The previous output needs its bias until BANKS cycles after its first step.
            steps += [IDLE] * max(0, BANKS - since)
            for row in range(first, first + rows):
                steps.append(({"row": row, "wide": 1, "bias": 1,
                               "way": (1 << WAYS) - 1}, *IDLE[1:]))
        for command, x, *_ in steps:
            elements(kept, command, x)
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
                       "last": int(step == count - 1), "place": rng.randrange(KEPT),
                       **flags}
            if WAYS > 1:  # in half of all steps every MAC has the newest element
                newest = rng.randrange(2)
                command["before"] = [command["place"] if newest else rng.randrange(KEPT)
                                     for _ in range(WAYS - 1)]
            x   = [rng.choice([*EDGES, rng.randint(-32768, 32767)]) for _ in range(WAYS)]
            taken   = elements(kept, command, x)
            product = sum(weight(cells, command, way) * taken[way]
                          for way in range(WAYS) if ways >> way & 1)
            begin  = [bias * biased] if combine is sum else []
            if floor_ and combine is sum and 0 < step == count - 1:
                total -= total % (1 << FLOOR_BITS + floor_)
            total   = combine([*(begin if step == 0 else [total]), product])
            steps.append((command, x, product, total if command["last"] else None))
            if rng.random() < 0.2:  # an idle slot changes no sum
                steps.append(({"row": 0, "last": 1, "first": 1}, [5] * WAYS, None, None))
                elements(kept, *steps[-1][:2])
        since = len(steps) - before
        yield steps


def command_of(flat, floor_):
    """Parts in a step's command, by name."""
    first, last, extreme = (flat.get(name, 0) for name in ("first", "last", "extreme"))
    step  = flat.get("step", 0)
    goes  = not first and not extreme
    going = sum((goes and not (step and last and floor_ > place)) << place
                for place in range(FLOOR_MAX)) | goes << FLOOR_MAX
    return {"fetch": {"row": flat.get("row", 0)},
            "operands": {name: flat[name] for name in ("wide", "way", "x_lanes", "bias", "place",
                                                       "before") if name in flat}
            | {"byte": int(flat.get("byte", 0) and not flat.get("wide", 0))},
            "seeds": {"biased": first and flat.get("biased", 0),
                      "resume": first and flat.get("resume", 0), "entry": flat.get("entry", 0)},
            "sums": {"step": step, "last": step and last, "rival": not first and extreme,
                     "smallest": flat.get("smallest", 0), "going": going}}


def stimuli_of(slots, floor_=0):
    """Stimuli for ``slots``, (command, x, ...) each; every command part in its own cycle."""
    whole = [command_of(command, floor_) for command, *_ in slots]
    idle  = command_of({}, 0)
    for cycle in range(len(slots) + max(LANE.lag.values())):
        command = {part: (whole[cycle - lag] if 0 <= cycle - lag < len(slots) else idle)[part]
                   for part, lag in LANE.lag.items()}
        late    = cycle - LANE.X_LAG
        x       = slots[late][1] if 0 <= late < len(slots) else [0] * WAYS
        yield {"command": encode(LANE.command.shape(), command), "x": encode(LANE.x.shape(), x)}


@cocotb.test
@cocotb.parametrize(floor_=[0, 1, 7, FLOOR_MAX])
async def sums_products(dut, floor_):
    """Back-to-back outputs with and without bias, both widths, all MACs or a single MAC."""
    rng, cells = random_of(101), {}
    await start(dut)
    await feed(dut, [*fill(rng, cells), {"write": 0}, *forget(), {"command": 0}], [], 0)
    slots   = [slot for output in outputs(rng, cells, floor_) for slot in output]
    results = await feed(dut, list(stimuli_of(slots, floor_)), ["acc", "done", "low"],
                         LANE.latency)
    for index, ((command, _, product, total), result) in enumerate(zip(slots, results,
                                                                       strict=False)):
        if index and product is not None:
            assert results[index - 1]["low"] == product % 65536, (index, command)
        if index:
            assert results[index - 1]["done"] == (total is not None), (index, command)
        if total is not None:
            wrapped = (total + (1 << 47)) % (1 << 48) - (1 << 47)
            assert decode(signed(BIAS_BITS), result["acc"]) == wrapped, (index, command)


@cocotb.test
async def resumes(dut):
    """Sums start from saved entries; an entry can be read in the cycle after its write."""
    rng, cells, entries = random_of(103), {}, {}
    await start(dut)
    await feed(dut, [*fill(rng, cells), {"write": 0}], [], 0)
    slots, wanted, saves = [], [], {}
    for _ in range(300):
        entry, steps = rng.randrange(HELD), rng.choice([1, 2, 9])
        if entry not in entries or rng.random() < 0.5:
            # The first step reads its entry one cycle after the command of its sum.
            value = rng.choice([0, -1, (1 << 39) - 1, -(1 << 39), rng.randrange(1 << 38)])
            saves[len(slots) + LANE.lag["seeds"]] = entry, value
            entries[entry] = value
        total = entries[entry]
        for step in range(steps):
            command = {"row": rng.choice(USED), "wide": 1, "way": (1 << WAYS) - 1, "step": 1,
                       "first": int(step == 0), "last": int(step == steps - 1), "resume": 1,
                       "entry": entry}
            x = [rng.choice([*EDGES, rng.randint(-32768, 32767)]) for _ in range(WAYS)]
            total += sum(weight(cells, command, way) * x[way] for way in range(WAYS))
            slots.append((command, x))
        wanted.append((len(slots) - 1, total))
    stimuli = list(stimuli_of(slots))
    for cycle, stimulus in enumerate(stimuli):
        entry, value = saves.get(cycle, (0, 0))
        stimulus |= {"save": int(cycle in saves), "entry": entry,
                     "saved": value % (1 << ACC_BITS)}
    results = await feed(dut, stimuli, ["acc", "done"], LANE.latency)
    for slot, total in wanted:
        assert not slot or results[slot - 1]["done"]
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
