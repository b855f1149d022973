"""Bench of hdl.core.issue: joined steps in order, biases, distances, faults, one cause a cycle."""


import cocotb
from cocotb.triggers import RisingEdge, with_timeout

from hdl.config import SLOTS
from hdl.core.issue import Issue
from hdl.core.scale import Mode
from hdl.core.step import Kind, Stall, Step, ToDrain
from hdl.isa import (
    BANKS,
    Access,
    Adjust,
    Op,
    Pass,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    Status,
    Width,
    pack,
)
from sim.agents.seed import random_of
from sim.agents.stream import StreamSink, StreamSource, decode, start

BIAS_ROWS = int(cocotb.plusargs["bias_rows"])
WAYS  = 4
ISSUE = Issue(ways=WAYS, bias_rows=BIAS_ROWS)
LINE  = Access(0, 0, 9)
MODES = [{"x_shape": Shape.VECTOR, "y_shape": Shape.LANES, "x_width": Width.BITS16,
          "y_width": Width.BITS8, "op": Op.CROSS},
         {"reduce": Reduce.RANGE,
          "x_shape": Shape.LANES, "y_shape": Shape.VECTOR, "x_width": Width.BITS8,
          "y_width": Width.BITS16, "bias_row": 0, "scale": Scale.SYMMETRIC16,
         "addend": True, "x_zero": -77, "rounding": RoundMode.UP, "floor": 5}]
#: Mode of the second.
SECOND = {"scale": Scale.SYMMETRIC16.value, "rounding": RoundMode.UP.value, "floor": 5, "shares": 0}


def random_outputs(rng, count):
    """Outputs of two passes with their taps: lists of (x address, y address)."""
    for number in range(count):
        slot  = int(number >= count // 2)
        first = number in (0, count // 2)
        bias  = rng.random() < 0.3
        taps  = [(rng.randrange(1 << 17), rng.randrange(1 << 17))
                 for _ in range(rng.choice([1, 2, 4, 7]))]
        yield {"z": rng.randrange(1 << 10), "bias": int(bias), "bias_row": rng.randrange(1000),
               "slot": slot, "first": int(first), "wait": int(first and not slot),
               "records": 2 * int(bias) * slot,
               "last": int(number in (count // 2 - 1, count - 1))}, taps


class Monitor:
    """Notes every slot that is issued, every cause of a stall, what issued when."""

    def __init__(self, dut):
        self.dut, self.slots, self.stalls, self.ends = dut, [], [], []
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            cycle = len(self.stalls)
            self.stalls.append(Stall(int(self.dut.stall.value)))
            if self.dut.pass_issued.value:
                self.ends.append(cycle)
            step = decode(Step, int(self.dut.o.value))
            if step["kind"] != Kind.NONE.value:
                self.slots.append((cycle, step))


async def prepare(dut):
    """Start the clock with two passes in their slots; returns a Monitor."""
    for name in ("unwritten", "in_flight", "trace_busy", "flush"):
        getattr(dut, name).value = 0
    dut.starved.value = Stall.FETCH.value
    await start(dut)
    passes = [Pass(x=LINE, y=LINE, z=LINE, **modes) for modes in MODES]
    dut.slots.value = pack(passes[0]) | pack(passes[1]) << len(dut.slots) // SLOTS
    await RisingEdge(dut.clk)  # slots stand a cycle before their first output
    return Monitor(dut)


def offer(dut, outputs, pause):
    """Feed outputs and the addresses of their taps."""
    taps = [(output, index, tap) for output, taps in outputs for index, tap in enumerate(taps)]
    ends = [index == len(output_taps) - 1
            for _, output_taps in outputs for index in range(len(output_taps))]
    for port, payloads in (
            ("i", [output for output, _ in outputs]),
            ("x", [{"address": x, "tag": int(end)}
                   for (*_, (x, _)), end in zip(taps, ends, strict=True)]),
            ("y", [{"address": y, "tag": int(end)}
                   for (*_, (_, y)), end in zip(taps, ends, strict=True)])):
        shape = getattr(ISSUE, port).payload.shape()
        source = StreamSource(dut, port, shape, pause=pause, seed=ord(port))
        cocotb.start_soon(source.send(payloads))


def expect(outputs):
    """Slots in order, apart from the host's."""
    for output, taps in outputs:
        modes = MODES[output["slot"]]
        after = [Kind.SCALE, Kind.ADDEND, None] if "scale" in modes else [None]
        for number, kind in enumerate(after if output["bias"] else []):
            for row in range(number * BIAS_ROWS, (number + 1) * BIAS_ROWS):
                yield {"kind": Kind.BIAS.value, "y": output["bias_row"] + row, "y_lanes": 0,
                       "y_wide": 1}
            if kind is not None:
                yield {"kind": kind.value, "first": 1, "last": 1, "op": Op.MAC.value, "biased": 1}
        for index, (x, y) in enumerate(taps):
            yield {"kind": Kind.STEP.value, "x": x, "y": y, "x_lanes": modes["x_shape"].value,
                   "y_lanes": modes["y_shape"].value, "x_wide": modes["x_width"].value,
                   "y_wide": modes["y_width"].value, "first": int(index == 0),
                   "x_zero": modes.get("x_zero", 0), "x_crossed": int("op" in modes),
                   "last": int(index == len(taps) - 1), "op": Op.MAC.value,
                   "ranges": int("reduce" in modes),
                   "anew": int(index == 0 and bool(output["first"]))}


def check_distances(slots):
    """Last steps, and a bias row from the first step before it, are ``BANKS`` cycles apart."""
    last, first = -BANKS, -BANKS
    for cycle, step in slots:
        if step["kind"] == Kind.BIAS.value:
            assert cycle - first >= BANKS
        if step["kind"] in (Kind.STEP.value, Kind.SCALE.value, Kind.ADDEND.value):
            first = cycle if step["first"] else first
            if step["last"]:
                assert cycle - last >= BANKS
                last = cycle


async def give_room(dut, rng, pause):
    """Room in the drain in every cycle with probability ``1 - pause``."""
    while True:
        dut.room.value = int(rng.random() >= pause)
        await RisingEdge(dut.clk)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.3, 0.7])
async def joins_addresses(dut, pause):
    """Every tap becomes a step, in order; host reads slip in; each stall has its cause."""
    monitor = await prepare(dut)
    rng     = random_of(151)
    outputs = list(random_outputs(rng, 120))
    reads   = [{"y": rng.randrange(2), "address": rng.randrange(1 << 17), "lane": rng.randrange(16)}
               for _ in range(40)]
    offer(dut, outputs, pause)
    host  = StreamSource(dut, "host", ISSUE.host.payload.shape(), pause=0.8, seed=7)
    cocotb.start_soon(host.send(reads))
    cocotb.start_soon(give_room(dut, random_of(8), pause))
    drain = StreamSink(dut, "drain", ToDrain)
    drained = await with_timeout(drain.receive(len(outputs)), 1, "ms")
    for _ in range(300):
        await RisingEdge(dut.clk)

    assert drained == [{"relative": output["z"], "slot": output["slot"], "last": output["last"],
                        "beats": BANKS, "hold": 0}
                       for output, _ in outputs]
    host_kinds = (Kind.HOST_X.value, Kind.HOST_Y.value)
    mine    = [step for _, step in monitor.slots if step["kind"] not in host_kinds]
    wanted  = list(expect(outputs))
    assert len(mine) == len(wanted)
    for step, fields in zip(mine, wanted, strict=True):
        assert {name: step[name] for name in fields} == fields
    issued = [(step["kind"] == Kind.HOST_Y.value, step["y"], step["lane"], step["x_zero"])
              for _, step in monitor.slots if step["kind"] in host_kinds]
    assert issued == [(bool(read["y"]), read["address"], read["lane"], 0) for read in reads]
    check_distances(monitor.slots)
    assert monitor.stalls.count(Stall.NONE) == sum(len(taps) for _, taps in outputs)
    assert monitor.stalls.count(Stall.HOST) == len(reads)
    assert len(monitor.ends) == 2


@cocotb.test
async def a_waiting_pass_waits(dut):
    """The first step comes when nothing is in flight any more; the cause is the drain."""
    monitor = await prepare(dut)
    dut.unwritten.value, dut.room.value = 1, 1
    offer(dut, [({"slot": 0, "first": 1, "wait": 1, "last": 1, "bias": 1}, [(1, 2)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert not monitor.slots
    assert monitor.stalls[-10:] == [Stall.DRAIN] * 10
    dut.unwritten.value = 0
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == BIAS_ROWS + 1


@cocotb.test
async def another_scale_waits(dut):
    """The mode changes when nothing is in flight any more, and not for a pass of the same one."""
    monitor = await prepare(dut)
    dut.in_flight.value, dut.room.value = 1, 1
    offer(dut, [({"slot": 1, "first": 1, "bias": 1, "records": 2}, [(1, 2)]),
                ({"slot": 1}, [(1, 2)]),
                ({"slot": 1, "first": 1, "last": 1}, [(1, 2)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert not monitor.slots
    assert monitor.stalls[-10:] == [Stall.DRAIN] * 10
    assert decode(Mode, int(dut.mode.value)) == {"scale": 0, "rounding": 0, "floor": 0, "shares": 0}
    dut.in_flight.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.in_flight.value = 1
    for _ in range(60):
        await RisingEdge(dut.clk)
    assert decode(Mode, int(dut.mode.value)) == SECOND
    assert len(monitor.slots) == 3 * BIAS_ROWS + 2 + 3


@cocotb.test
async def a_share_is_a_mode(dut):
    """It scales by the inverse, and rounds as its pass says."""
    monitor = await prepare(dut)
    share   = Pass(x=LINE, y=LINE, z=LINE, op=Op.SHARE, adjust=Adjust.PLACES,
                   rounding=RoundMode.FLOOR)
    dut.slots.value, dut.room.value = pack(share), 1
    await RisingEdge(dut.clk)
    offer(dut, [({"slot": 0, "first": 1, "last": 1}, [(1, 2)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert decode(Mode, int(dut.mode.value)) == {
        "scale": Scale.BITS32.value, "rounding": RoundMode.FLOOR.value, "floor": 0, "shares": 1}
    assert [step["op"] for _, step in monitor.slots] == [Op.MAC.value]


@cocotb.test
@cocotb.parametrize(blocker=["drain", "trace"])
async def the_last_step_waits(dut, blocker):
    """For room in the drain, and at the end of a pass for the trace."""
    monitor = await prepare(dut)
    dut.room.value = int(blocker != "drain")
    dut.trace_busy.value   = int(blocker == "trace")
    offer(dut, [({"slot": 1, "first": 1, "last": 1}, [(1, 2), (3, 4)])], 0.0)
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == 1
    assert monitor.stalls[-10:] == [Stall.DRAIN] * 10
    dut.room.value, dut.trace_busy.value = 1, 0
    for _ in range(5):
        await RisingEdge(dut.clk)
    assert len(monitor.slots) == 2


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5], counts=[(3, 20, 9), (1, 1), (16,), (40, 8)])
async def a_gather_fills_the_lanes(dut, pause, counts):
    """Each step has its lane, each full row of lanes is one sum; the last one may be short."""
    rng, lanes = random_of(152), BANKS * WAYS
    monitor = await prepare(dut)
    table   = lanes * WAYS
    gather  = Pass(x=LINE, y=Access(table, table, 2 * table - 1), z=LINE, op=Op.GATHER)
    dut.slots.value, dut.room.value = pack(gather), 1
    await RisingEdge(dut.clk)
    taps = [[(rng.randrange(1 << 17), table) for _ in range(count)] for count in counts]
    ends = len(counts) - 1
    offer(dut, [({"slot": 0, "z": 77, "gather": 1, "first": int(number == 0),
                  "last": int(number == ends)}, each) for number, each in enumerate(taps)], pause)
    drain = StreamSink(dut, "drain", ToDrain)
    sums  = -(-sum(counts) // lanes)
    drained = await with_timeout(drain.receive(sums), 1, "ms")
    for _ in range(40):
        await RisingEdge(dut.clk)
    rest = sum(counts) - (sums - 1) * lanes
    assert drained == [{"relative": 77 + BANKS * number, "slot": 0, "hold": 0,
                        "last": int(number == sums - 1),
                        "beats": BANKS if number < sums - 1 else -(-rest // WAYS)}
                       for number in range(sums)]
    steps  = [step for _, step in monitor.slots]
    wanted = [x for each in taps for x, _ in each]
    assert [(step["x"], step["y"], step["first"], step["last"], step["op"]) for step in steps] == [
        (x // WAYS, table + number % lanes * WAYS + x % WAYS, int(number % lanes == 0),
         int(number % lanes == lanes - 1 or number == len(wanted) - 1), Op.MAC.value)
        for number, x in enumerate(wanted)]
    assert len(monitor.ends) == 1
    if not pause and counts[0] > lanes:
        assert monitor.slots[counts[0] - 1][0] - monitor.slots[0][0] == counts[0] - 1


FAULTS = {
    "empty": ({"empty": 1}, {}, {}, Status.EMPTY),
    "bias":  ({"bias": 1, "bias_bad": 1}, {}, {}, Status.Y_ACCESS),
    "x":     ({}, {"bad": 1}, {}, Status.X_ACCESS),
    "y":     ({}, {}, {"bad": 1}, Status.Y_ACCESS),
    "both":  ({}, {"bad": 1}, {"bad": 1}, Status.X_ACCESS),
}


@cocotb.test
@cocotb.parametrize(name=list(FAULTS), steps=[0, 2])
async def faults(dut, name, steps):
    """A fault after some good steps stops the issue; after the flush outputs start afresh."""
    output, x, y, status = FAULTS[name]
    if output and steps:
        steps = 0  # These faults come before the first step of their output.
    monitor = await prepare(dut)
    dut.room.value = 1
    sources = {port: StreamSource(dut, port, getattr(ISSUE, port).payload.shape())
               for port in "ixy"}
    tasks = [cocotb.start_soon(sources["i"].send([{"slot": 1, "first": 1, **output}])),
             cocotb.start_soon(sources["x"].send([{"address": 1}] * steps + [{"address": 2, **x}])),
             cocotb.start_soon(sources["y"].send([{"address": 1}] * steps + [{"address": 2, **y}]))]
    for _ in range(20):
        await RisingEdge(dut.clk)
    assert Status(int(dut.fault.value)) is status
    assert dut.slot.value == 1
    assert [step["kind"] for _, step in monitor.slots].count(Kind.STEP.value) == steps

    for task in tasks:
        task.cancel()
    dut.flush.value = 1
    for port in "ixy":
        getattr(dut, f"{port}__valid").value = 0
    await RisingEdge(dut.clk)
    dut.flush.value = 0
    monitor.slots.clear()
    offer(dut, [({"slot": 1, "first": 1}, [(5, 6), (7, 8)])], 0.0)
    for _ in range(10):
        await RisingEdge(dut.clk)
    assert [(step["x"], step["first"]) for _, step in monitor.slots] == [(5, 1), (7, 0)]
