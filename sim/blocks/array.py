# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.array: random slots through memories and lanes, in exact arithmetic."""


import cocotb

from xymac.hdl.core.array import Array
from xymac.hdl.core.hold import Hold
from xymac.hdl.core.reduction import Range
from xymac.hdl.core.step import Kind
from xymac.hdl.isa import ACC_BITS, BANKS, BIAS_BITS, HELD, SHIFT_MIN, Op, bias_rows
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

WAYS  = int(cocotb.plusargs["ways"])
ROWS  = int(cocotb.plusargs["rows"])
ARRAY = Array(ways=WAYS, x_rows=ROWS, y_rows=ROWS)
LANES = BANKS * WAYS
USED  = 8  # X rows and Y rows that the bench fills
IDLE  = {"kind": Kind.NONE}


def writes(rng, cells):
    """Stimuli that write all used words; column ``c`` takes its data ``c`` cycles later."""
    places = [("x", row, bank, 0) for row in range(USED) for bank in range(BANKS)]
    places += [("y", row, bank, way) for row in range(USED) for bank in range(BANKS)
               for way in range(WAYS)]
    rng.shuffle(places)
    columns = [[0] * (len(places) + BANKS * WAYS) for _ in range(WAYS)]
    stimuli = []
    for cycle, (memory, row, bank, way) in enumerate(places):
        for column in range(WAYS):
            value = rng.choice([0x8000, 0x7FFF, 0x80, 0xFF7F, rng.randrange(65536)])
            columns[column][cycle + column] = value
            cells[memory, row, way, bank * WAYS + column] = value
        stimuli.append({"write": encode(ARRAY.write.shape(), {
            memory: 1, "row": row, "bytes": 3, "way": 1 << way, "bank": 1 << bank,
            "column": (1 << WAYS) - 1})})
    stimuli += [{"write": 0} for _ in range(BANKS * WAYS)]
    for stimulus, *values in zip(stimuli, *columns, strict=True):
        stimulus["data"] = encode(ARRAY.data.shape(), values)
    return stimuli


def signed_part(cell, index, wide):
    """Signed element at ``index`` in a 16-bit word: the word, or a byte in it."""
    size = 16 if wide else 8
    bits = cell if wide else cell >> 8 * (index % 2) & 0xFF
    return bits - (1 << size) * (bits >> size - 1)


def x_element(cells, step, group, column):
    """Element that lane ``column`` in an X vector reads in a step, minus the zero point."""
    index = group // BANKS
    row   = index if step["x_wide"] else index // 2
    return signed_part(cells["x", row, 0, group % BANKS * WAYS + column], index,
                       step["x_wide"]) - step["x_zero"]


def y_element(cells, step, way, lane):
    """Y element that a lane's MAC reads in a step."""
    index = step["y"] // WAYS if step["y_lanes"] else step["y"]
    row   = index if step["y_wide"] else index // 2
    return signed_part(cells["y", row, way, lane], index, step["y_wide"])


def products(cells, step, lane):
    """Sum of products that a step adds to a lane."""
    ways  = [step["y"] % WAYS] if step["y_lanes"] else range(WAYS)
    bank  = lane // WAYS
    group = (step["x"] + bank if step["x_lanes"] else
             step["x"] ^ bank if step["x_crossed"] else step["x"])
    return sum(y_element(cells, step, way, lane) * x_element(
        cells, step, group, lane % WAYS if step["x_lanes"] else way) for way in ways)


def bias_of(cells, first, lane):
    """A lane's bias, 48 bits, from row ``first`` on, most significant row first."""
    parts = [cells["y", row, way, lane] for row in reversed(range(first, first + bias_rows(WAYS)))
             for way in range(WAYS)]
    value = sum(part << 16 * index for index, part in enumerate(parts[:3]))
    return value - (1 << 48) * (value >> 47)


def random_step(rng, modes):
    """A step whose addresses stay in the used rows."""
    groups = BANKS * USED * (1 if modes["x_wide"] else 2) - BANKS
    rows   = USED * (1 if modes["y_wide"] else 2)
    return {"kind": Kind.STEP, "x": rng.randrange(groups), **modes,
            "y": rng.randrange(rows * WAYS if modes["y_lanes"] else rows)}


def slots(rng, cells):
    """Slots, each with the accumulators it finishes, the word the host reads, or None."""
    bias = [0] * LANES
    for _ in range(50):
        rows = bias_rows(WAYS)
        if rng.random() < 0.5:
            first = rng.randrange(USED - rows)
            bias  = [bias_of(cells, first, lane) for lane in range(LANES)]
            yield from [(IDLE, None)] * BANKS
            for row in range(first, first + rows):
                yield {"kind": Kind.BIAS, "y": row, "y_wide": 1}, None
            if rng.random() < 0.5:
                yield {"kind": rng.choice([Kind.SCALE, Kind.ADDEND]), "y": rng.randrange(USED),
                       "y_wide": 1, "op": Op.MAC, "first": 1, "last": 1, "biased": 1}, bias
        biased = int(rng.random() < 0.7)
        modes = {name: rng.randrange(2) for name in ("x_lanes", "y_lanes", "x_wide", "y_wide")}
        modes["x_crossed"] = 0 if modes["x_lanes"] else rng.randrange(2)
        modes["x_zero"] = 0 if modes["x_wide"] else rng.choice([0, -128, 127, 32640])
        steps = [random_step(rng, modes) for _ in range(rng.choice([BANKS, BANKS, 5, 9]))]
        op, combine = rng.choice([(Op.MAC, sum), (Op.MAC, sum), (Op.MAX, max), (Op.MIN, min)])
        sums = [combine(products(cells, step, lane) for step in steps)
                + (start * biased if op is Op.MAC else 0) for lane, start in enumerate(bias)]
        for index, step in enumerate(steps):
            last = index == len(steps) - 1
            yield ({**step, "op": op, "first": int(index == 0), "last": int(last),
                    "biased": biased, "ranges": modes["x_lanes"], "anew": rng.randrange(2)},
                   sums if last else None)
            if rng.random() < 0.3:
                yield host_read(rng, cells)


def host_read(rng, cells):
    """(slot with a host read, the word read)."""
    lane = rng.randrange(LANES)
    if rng.randrange(2):
        group = rng.randrange(BANKS * USED - BANKS)
        step  = {"kind": Kind.HOST_X, "x": group, "x_wide": 1, "y_lanes": 1, "y_wide": 1}
        return step, [cells["x", group // BANKS, 0, group % BANKS * WAYS + column]
                      for column in range(WAYS)]
    at   = rng.randrange(USED * WAYS)
    step = {"kind": Kind.HOST_Y, "y": at, "y_lanes": 1, "y_wide": 1, "x_wide": 1, "lane": lane}
    return step, cells["y", at // WAYS, at % WAYS, lane]


def patient(program):
    """``program`` without Y reads that precede the answer to the previous Y read."""
    since = ARRAY.answer + 1
    for step, wanted in program:
        reads = step["kind"] is Kind.HOST_Y
        if not reads or since > ARRAY.answer:
            since = 1 if reads else since + 1
            yield step, wanted


@cocotb.test
async def sums_come_column_by_column(dut):
    """Steps, biases and host reads in random order; every sum and every answer in sequence."""
    rng, cells = random_of(111), {}
    await start(dut)
    dut.step.value = 0
    await feed(dut, writes(rng, cells), [], 0)
    program = [*patient(slots(rng, cells)), *[(IDLE, None)] * (ARRAY.first_sum + 8 * LANES)]
    outputs = ["acc", "valid", "range", "record", "arriving", "x_found", "x_valid", "y_found",
               "y_valid"]
    results = await feed(dut, [{"step": encode(ARRAY.step.shape(), step)} for step, _ in program],
                         outputs, 0)

    for column in range(WAYS):
        shown = [now for now in results if now["valid"] >> column & 1]
        sums  = [decode(ARRAY.acc.shape(), now["acc"])[column] for now in shown]
        kinds = [now["record"] >> 2 * column & 3 for now in shown[::BANKS]]
        assert kinds == [{Kind.SCALE: 1, Kind.ADDEND: 2}.get(step["kind"], 0)
                         for step, _ in program if step.get("last")]
        wanted = [(index, sums_[bank * WAYS + column]) for index, (step, sums_)
                  in enumerate(program) if step.get("last") for bank in range(BANKS)]
        for (index, value), actual in zip(wanted, sums, strict=True):
            assert (actual - value) % (1 << BIAS_BITS) == 0, (index, column, program[index])
    assert [now["arriving"] for now in results[:-1]] == [
        int(now["valid"] & 1 and not now["record"] & 3) for now in results[1:]]
    assert [decode(ARRAY.x_found.shape(), now["x_found"]) for now in results if now["x_valid"]] \
        == [wanted for step, wanted in program if step["kind"] is Kind.HOST_X]
    assert [now["y_found"] for now in results if now["y_valid"]] \
        == [wanted for step, wanted in program if step["kind"] is Kind.HOST_Y]
    ranges = [decode(Range, now["range"]) for now in results[ARRAY.ranged:]]
    for (step, _), shown in zip(program, ranges, strict=False):
        if step.get("ranges") and WAYS == 4:
            read = [x_element(cells, step, step["x"] + bank, column) for bank in range(BANKS)
                    for column in range(WAYS)]
            assert shown == {"valid": 1, "fresh": step["anew"], "maximum": max(read),
                             "minimum": min(read)}
        else:
            assert not shown["valid"]
    read   = next(index for index, (step, _) in enumerate(program) if step["kind"] is Kind.HOST_Y)
    answer = next(index for index, now in enumerate(results) if now["y_valid"])
    assert answer - read == ARRAY.answer
    first = next(index for index, (step, _) in enumerate(program) if step.get("last"))
    valid = next(index for index, now in enumerate(results) if now["valid"] & 1)
    assert valid - first == ARRAY.first_sum


@cocotb.test
async def sums_are_saved_and_resumed(dut):
    """Each lane restores its accumulator ``Hold.BUSY + 2`` cycles after its last step, or later."""
    rng, cells, entries = random_of(112), {}, {}
    await start(dut)
    dut.step.value = 0
    await feed(dut, writes(rng, cells), [], 0)
    program, wanted = [], []

    def output(count, **flags):
        """Append an output's steps; returns the sums of products for all lanes."""
        modes = {name: rng.randrange(2) for name in ("x_lanes", "y_lanes", "x_wide", "y_wide")}
        modes |= {"x_crossed": 0, "x_zero": 0}
        steps = [random_step(rng, modes) | flags | {
            "op": Op.MAC, "first": int(index == 0), "last": int(index == count - 1)}
            for index in range(count)]
        program.extend(steps)
        return [sum(products(cells, step, lane) for step in steps) for lane in range(LANES)]

    for _ in range(40):
        sums, entry = output(rng.choice([1, 4, 9])), rng.randrange(HELD)
        wanted.append(sums)
        shift = rng.choice([-16, 0, 5])
        held  = {"mark": 1, "amount": shift - SHIFT_MIN, "entry": entry}
        entries[entry] = [total << -shift if shift < 0 else total >> shift for total in sums]
        program.append(IDLE | {"held": held})
        program.extend([IDLE] * Hold.BUSY)
        resumed = rng.choice([entry, *entries])
        sums    = output(rng.choice([1, 4, 9]), resume=1, entry=resumed)
        wanted.append([saved + total for saved, total in zip(entries[resumed], sums, strict=True)])
        program.extend([IDLE] * BANKS)
    program.extend([IDLE] * (ARRAY.first_sum + 8 * LANES))
    results = await feed(dut, [{"step": encode(ARRAY.step.shape(), step)} for step in program],
                         ["acc", "valid"], 0)
    for column in range(WAYS):
        sums = [decode(ARRAY.acc.shape(), now["acc"])[column] for now in results
                if now["valid"] >> column & 1]
        expected = [each[bank * WAYS + column] for each in wanted for bank in range(BANKS)]
        for value, actual in zip(expected, sums, strict=True):
            assert (actual - value) % (1 << ACC_BITS) == 0
