# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.issue: step order, biases, distances, gathers, stall causes."""

import cocotb
from cocotb.triggers import RisingEdge, with_timeout

from xymac.hdl.core.step import Kind, Stall, ToDrain
from xymac.hdl.isa import BANKS, Access, Op, Pass, Status
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, StreamSource

from .stand import BIAS_ROWS, ISSUE, LINE, MODES, WAYS, load, offer, prepare


def random_outputs(rng, count):
    """Outputs from two passes, each with its taps: a list of (x address, y address)."""
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


def expect(outputs):
    """Expected slots in order, without host slots."""
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
    """Assert ``BANKS`` cycles between last steps, and from a first step to the next bias row."""
    last, first = -BANKS, -BANKS
    for cycle, step in slots:
        if step["kind"] == Kind.BIAS.value:
            assert cycle - first >= BANKS
        if step["kind"] in (Kind.STEP.value, Kind.SCALE.value, Kind.ADDEND.value):
            first = cycle if step["first"] else first
            if step["last"]:
                assert cycle - last >= BANKS
                last = cycle


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.3, 0.7])
async def joins_addresses(dut, pause):
    """Every tap becomes a step, in order, between host reads; each stall has its cause."""
    monitor = await prepare(dut)
    rng     = random_of(151)
    outputs = list(random_outputs(rng, 120))
    reads   = [{"y": rng.randrange(2), "address": rng.randrange(1 << 17), "lane": rng.randrange(16)}
               for _ in range(40)]
    offer(dut, outputs, pause)
    host  = StreamSource(dut, "host", ISSUE.host.payload.shape(), pause=0.8, seed=7)
    cocotb.start_soon(host.send(reads))
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
    hosts  = [step for _, step in monitor.slots if step["kind"] in host_kinds]
    fields = {"x_lanes": 0, "y_lanes": 1, "x_wide": 1, "y_wide": 1, "x_crossed": 0, "x_zero": 0}
    wanted = [{"kind": (Kind.HOST_Y if read["y"] else Kind.HOST_X).value, "x": read["address"],
               "y": read["address"], "lane": read["lane"], **fields} for read in reads]
    assert [{name: step[name] for name in wanted[0]} for step in hosts] == wanted
    check_distances(monitor.slots)
    assert monitor.stalls.count(Stall.NONE) == sum(len(taps) for _, taps in outputs)
    assert monitor.stalls.count(Stall.HOST) == len(reads)
    assert len(monitor.ends) == 2
    assert Status(int(dut.issue_fault.value)) is Status.OK


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5], counts=[(3, 20, 9), (1, 1), (16,), (40, 8)])
async def a_gather_fills_the_lanes(dut, pause, counts):
    """Each step has its lane; every ``lanes`` steps form an output, the last may be shorter."""
    rng, lanes = random_of(152), BANKS * WAYS
    monitor = await prepare(dut)
    table   = lanes * WAYS
    gather  = Pass(x=LINE, y=Access(table, table, 2 * table - 1), z=LINE, op=Op.GATHER)
    await load(dut, 0, gather)
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
