# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.issue: every field of a step, save commands, slides and flushes."""

from itertools import pairwise

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout

from xymac.hdl.config import SLOTS
from xymac.hdl.core.hold import Hold
from xymac.hdl.core.issue import Issue
from xymac.hdl.core.step import Kind, ToDrain
from xymac.hdl.isa import (
    BANKS,
    HELD,
    SHIFT_MAX,
    SHIFT_MIN,
    AccumulatorRange,
    Encoded,
    Op,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    Width,
)
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, encode

from .stand import BIAS_ROWS, load_encoded, offer, prepare

_PLACES = 16  # indices of kept elements


def random_fields(rng):
    """Encoded fields of a pass for issue, maybe with ``Reduce.RANGE``."""
    ranges = rng.randrange(2)
    return {"op": rng.choice([Op.MAC, Op.CROSS, Op.SLIDE, Op.SLIDE]),
            "rounding": rng.choice([RoundMode.CONVERGENT, RoundMode.UP, RoundMode.FLOOR]),
            "acc_range": rng.choice(list(AccumulatorRange)),
            "shift": rng.choice([SHIFT_MIN, SHIFT_MAX, rng.randint(SHIFT_MIN, SHIFT_MAX)]),
            "reduce": ranges * (Reduce.RANGE.value & 3), "ranks": ranges,
            "beats": rng.randint(1, BANKS),
            "x_shape": rng.choice(list(Shape)), "y_shape": rng.choice(list(Shape)),
            "x_width": rng.choice(list(Width)), "y_width": rng.choice(list(Width)),
            "x_zero": rng.randint(-32768, 32767), "bias": rng.randrange(2),
            "fresh": rng.randrange(2), "resume": rng.randrange(2)}


def random_outputs(rng, slot, fields, count):
    """Outputs of a pass, each with its taps; a slide begins new rows at any output."""
    slide = fields["op"] is Op.SLIDE
    rows, columns = rng.randint(1, 5), rng.randint(1, BANKS)
    for number in range(count):
        begins = int(number == 0 or rng.random() < 0.2)
        here   = columns if begins else 1
        steps  = rows * here if slide else rng.choice([1, 2, 5])
        first  = int(number == 0)
        yield {"slot": slot, "z": rng.randrange(1 << 10), "first": first,
               "last": int(number == count - 1), "hold": rng.randrange(2),
               "entry": rng.randrange(HELD), "resume": first & fields["resume"],
               "bias": fields["bias"] & rng.randrange(2), "bias_row": rng.randrange(1000),
               "slide": int(slide), "begins": begins, "rows": rows, "columns": here,
               "blank": int(slide and not begins and rng.random() < 0.4),
               }, [(rng.randrange(1 << 17), rng.randrange(1 << 17)) for _ in range(steps)]


def slid(output, columns):
    """Fields of each step of an output; ``columns``: whether each column of its row counts."""
    if not output["slide"]:
        while True:
            yield {"slides": 0, "rows": 0}
    if output["begins"]:
        columns.clear()
    for column in range(output["columns"]):
        columns.insert(0, not output["blank"])
        ways = sum(1 << way for way, counts in enumerate(columns[:BANKS]) if counts)
        for row in range(output["rows"]):
            yield {"slides": 1, "rows": output["rows"], "ways": ways,
                   "first": int(column == output["columns"] - 1 and row == 0)}


def expect(passes, outputs):
    """Expected slots in order: rows of a bias, then every step of an output."""
    columns = []
    for output, taps in outputs:
        fields = passes[output["slot"]]
        for row in range(BIAS_ROWS * output["bias"]):
            yield {"kind": Kind.BIAS.value, "y": output["bias_row"] + row, "y_lanes": 0,
                   "y_wide": 1}
        for index, ((x, y), marks) in enumerate(zip(taps, slid(output, columns), strict=False)):
            yield {"kind": Kind.STEP.value, "x": x, "y": y, "op": Op.MAC.value,
                   "x_lanes": fields["x_shape"].value, "y_lanes": fields["y_shape"].value,
                   "x_wide": fields["x_width"].value, "y_wide": fields["y_width"].value,
                   "x_crossed": int(fields["op"] is Op.CROSS), "biased": fields["bias"],
                   "first": int(index == 0), "last": int(index == len(taps) - 1),
                   "resume": fields["resume"], "entry": output["entry"],
                   "x_zero": fields["x_zero"], "ranges": fields["ranks"],
                   "anew": fields["fresh"] & output["first"] & int(index == 0)} | marks


def command(fields, output):
    """Save command for an output."""
    rounding, range_ = fields["rounding"], fields["acc_range"]
    return {"mark": 1, "amount": fields["shift"] - SHIFT_MIN, "entry": output["entry"],
            "up": int(rounding is RoundMode.UP), "even": int(rounding is RoundMode.CONVERGENT),
            "narrow": int(range_ is not AccumulatorRange.BITS40),
            "both": int(range_ is AccumulatorRange.SYMMETRIC32)}


async def load_all(dut, rng):
    """Load a random pass into every slot; returns their fields."""
    passes = [random_fields(rng) for _ in range(SLOTS)]
    for slot, fields in enumerate(passes):
        await load_encoded(dut, slot, encode(Encoded, fields))
    return passes


def check_steps(passes, outputs, slots):
    """Compare the issued slots with the outputs; places of a slide count its steps."""
    wanted = list(expect(passes, outputs))
    assert len(slots) == len(wanted)
    for (_, step), fields in zip(slots, wanted, strict=True):
        assert {name: step[name] for name in fields} == fields
    places = [step["place"] for _, step in slots
              if step["kind"] == Kind.STEP.value and step["slides"]]
    assert places == [(places[0] + at) % _PLACES for at in range(len(places))]


def check_saves(passes, outputs, monitor):
    """A save command follows every last step of a saved output a cycle later, and no other step.

    No restoring step comes before these accumulators are written.
    """
    steps = [(cycle, step) for cycle, step in monitor.slots if step["kind"] == Kind.STEP.value]
    ends  = [cycle for cycle, step in steps if step["last"]]
    assert monitor.held == [
        (cycle + 1, command(passes[output["slot"]], output))
        for cycle, (output, _) in zip(ends, outputs, strict=True) if output["hold"]]
    begins = [steps[0][0], *(cycle for (_, step), (cycle, _) in pairwise(steps) if step["last"])]
    for index, (output, _) in enumerate(outputs):
        saved = [end for end, (earlier, _) in zip(ends[:index], outputs, strict=False)
                 if earlier["hold"]]
        if output["resume"] and saved:
            assert begins[index] - saved[-1] >= Hold.BUSY + 2


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.4])
async def steps_have_their_fields(dut, pause):
    """Random passes in all slots, in any order: steps, save commands, drain and pass ends."""
    monitor, rng = await prepare(dut), random_of(155)
    for _ in range(12):
        passes  = await load_all(dut, rng)
        order   = rng.sample(range(SLOTS), SLOTS)
        outputs = [output for slot in order
                   for output in random_outputs(rng, slot, passes[slot], rng.randint(1, 9))]
        for kept in (monitor.slots, monitor.held, monitor.ends):
            kept.clear()
        offer(dut, outputs, pause)
        drain   = StreamSink(dut, "drain", ToDrain)
        drained = await with_timeout(drain.receive(len(outputs)), 100, "us")
        await ClockCycles(dut.clk, 10)

        assert drained == [
            {"relative": output["z"], "slot": output["slot"], "hold": output["hold"],
             "beats": passes[output["slot"]]["beats"], "last": output["last"]}
            for output, _ in outputs]
        check_steps(passes, outputs, monitor.slots)
        check_saves(passes, outputs, monitor)
        assert monitor.ends == order


@cocotb.test
@cocotb.parametrize(columns=[1, 2, BANKS])
async def records_of_a_slide_are_whole_sums(dut, columns):
    """A record that is sent on is a first and last step, also if the slide's sum begins later."""
    monitor, rows = await prepare(dut), 2
    await load_encoded(dut, 0, encode(Encoded, {
        "op": Op.SLIDE, "bias": 1, "scale": Scale.SYMMETRIC16}))
    steps = rows * columns
    offer(dut, [({"slot": 0, "first": 1, "last": 1, "bias": 1, "records": 2, "slide": 1,
                  "begins": 1, "rows": rows, "columns": columns}, [(7, 8)] * steps)], 0.0)
    await with_timeout(StreamSink(dut, "drain", ToDrain).receive(1), 10, "us")
    await ClockCycles(dut.clk, 2)

    begins = [int(step == steps - rows) for step in range(steps)]
    sums   = [(step["kind"], step["first"], step["last"]) for _, step in monitor.slots
              if step["kind"] != Kind.BIAS.value]
    assert sums == [(Kind.SCALE.value, 1, 1), (Kind.ADDEND.value, 1, 1), *(
        (Kind.STEP.value, begin, int(step == steps - 1)) for step, begin in enumerate(begins))]


async def flush(dut, tasks):
    """End the tasks of ``offer`` and flush."""
    for task in tasks:
        task.cancel()
    dut.i__valid.value = dut.taps__valid.value = 0
    dut.flush.value = 1
    await RisingEdge(dut.clk)
    dut.flush.value = 0


@cocotb.test
async def flushes_at_any_time(dut):
    """After a flush in any cycle the next outputs, at once or later, begin anew."""
    monitor, rng = await prepare(dut), random_of(156)
    for cycles in range(80):
        passes = await load_all(dut, rng)
        tasks  = offer(dut, [output for slot in range(SLOTS) for output in random_outputs(
            rng, slot, passes[slot], 4)], 0.0)
        await ClockCycles(dut.clk, 1 + cycles)
        await flush(dut, tasks)
        slot    = rng.randrange(SLOTS)
        outputs = list(random_outputs(rng, slot, passes[slot], 3))
        if cycles % 2:
            await ClockCycles(dut.clk, rng.randint(1, 3))
        offer(dut, outputs, 0.0)
        drain = cocotb.start_soon(StreamSink(dut, "drain", ToDrain).receive(len(outputs)))
        await ClockCycles(dut.clk, 2)  # a slot of the flushed output may appear in the first
        for kept in (monitor.slots, monitor.held, monitor.ends):
            kept.clear()
        drained = await with_timeout(drain, 10, "us")
        await ClockCycles(dut.clk, 10)
        assert [output["relative"] for output in drained] == [output["z"] for output, _ in outputs]
        check_steps(passes, outputs, monitor.slots)
        assert monitor.ends == [slot]


@cocotb.test
async def a_flush_discards_records(dut):
    """After a flush in any cycle of its records, a later bias is read from the first row on."""
    monitor = await prepare(dut)
    records = {"slot": 1, "first": 1, "bias": 1, "records": 2, "bias_row": 40}
    for cycles in range(2, 2 + Issue.SWITCH + BANKS * BIAS_ROWS):
        tasks = offer(dut, [(records, [(1, 2)])], 0.0)
        await ClockCycles(dut.clk, cycles)
        await flush(dut, tasks)
        await ClockCycles(dut.clk, 2 + cycles % 2)  # a slot may appear in the first two
        monitor.slots.clear()
        offer(dut, [(records | {"records": 0, "bias_row": 5}, [(3, 4)])], 0.0)
        await with_timeout(StreamSink(dut, "drain", ToDrain).receive(1), 10, "us")
        await ClockCycles(dut.clk, 4)

        assert [(step["kind"], step["y"]) for _, step in monitor.slots] == [
            *((Kind.BIAS.value, 5 + row) for row in range(BIAS_ROWS)), (Kind.STEP.value, 4)]
