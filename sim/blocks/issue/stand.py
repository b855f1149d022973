# SPDX-License-Identifier: Apache-2.0
"""Shared parts of the issue benches: two passes in slots, output feeder, monitor."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.core.issue import Issue
from xymac.hdl.core.step import Kind, Stall, Step
from xymac.hdl.isa import Access, Op, Pass, Reduce, RoundMode, Scale, Shape, Width, pack
from xymac.sim.agents.stream import StreamSource, decode, start

__all__ = ["BIAS_ROWS", "ISSUE", "LINE", "MODES", "WAYS", "Monitor", "load",
           "load_encoded", "offer", "prepare"]

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


class Monitor:
    """Record every issued slot with its cycle, every stall cause and pass end, and every save
    command with its cycle."""

    def __init__(self, dut):
        self.dut, self.slots, self.stalls, self.ends = dut, [], [], []
        self.held = []
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            cycle = len(self.stalls)
            self.stalls.append(Stall(int(self.dut.stall.value)))
            if self.dut.pass_issued.value:
                self.ends.append(int(self.dut.issued_slot.value))
            step = decode(Step, int(self.dut.step.value))
            if step["kind"] != Kind.NONE.value:
                self.slots.append((cycle, step))
            if step["held"]["mark"]:
                self.held.append((cycle, step["held"]))


async def prepare(dut):
    """Start the clock and load two passes; returns a Monitor."""
    for name in ("live", "unwritten", "closed", "flush", "loading"):
        getattr(dut, name).value = 0
    dut.starved.value = Stall.FETCH.value
    await start(dut)
    for slot, modes in enumerate(MODES):
        await load(dut, slot, Pass(x=LINE, y=LINE, z=LINE, **modes))
    return Monitor(dut)


async def load(dut, slot, pass_):
    """Load a pass into a slot, two cycles before its first output; another pass arrives then."""
    await load_encoded(dut, slot, pack(pass_))


async def load_encoded(dut, slot, word):
    """Load an encoded pass (int), as ``load`` does."""
    dut.coming.value, dut.loading.value = word, 1 << slot
    await RisingEdge(dut.clk)
    dut.coming.value, dut.loading.value = ~word & (1 << len(dut.coming)) - 1, 0
    await RisingEdge(dut.clk)


def offer(dut, outputs, pause):
    """Feed outputs and their taps' addresses; a blank output has bad X addresses.

    Returns both tasks.
    """
    tasks = []
    for port, payloads in (
            ("i", [output for output, _ in outputs]),
            ("taps", [{"x": {"address": x, "bad": output.get("blank", 0)}, "y": {"address": y},
                       "last": int(index == len(taps) - 1)}
                      for output, taps in outputs for index, (x, y) in enumerate(taps)])):
        shape = getattr(ISSUE, port).payload.shape()
        source = StreamSource(dut, port, shape, pause=pause, seed=ord(port[0]))
        tasks.append(cocotb.start_soon(source.send(payloads)))
    return tasks
