# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.issue.gather: each sum's last step, lane and target address."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.isa import BANKS
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

WAYS  = int(cocotb.plusargs["ways"])
LANES = BANKS * WAYS


def random_outputs(rng, count):
    """Loop sequencer outputs for several passes: (gathers, first, last, z, beats, steps)."""
    while count > 0:
        gathers, beats = rng.randrange(2), rng.randint(1, BANKS)
        parts = rng.randint(1, 5)
        for part in range(parts):
            yield (gathers, int(part == 0), int(part == parts - 1), rng.randrange(1 << 10), beats,
                   rng.choice([1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES]))
        count -= parts


def expect(outputs):
    """Expected values for each step: (ends, lane, target, count)."""
    lane = target = 0
    for gathers, first, last, z, beats, steps in outputs:
        target = z if first or not gathers else target
        for step in range(steps):
            tag  = step == steps - 1
            ends = (tag and last) or lane == LANES - 1 if gathers else tag
            yield int(ends), lane, target, lane // WAYS + 1 if gathers else beats
            lane = 0 if ends or not gathers else lane + 1
            target += BANKS * int(ends)


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5])
async def lanes_fill(dut, pause):
    """Random outputs at random distances fill the lanes in order."""
    rng     = random_of(211)
    outputs = list(random_outputs(rng, 200))
    for name in ("seat", "step", "flush", "tag"):
        getattr(dut, name).value = 0
    await start(dut)
    seen = []

    async def seat(gathers, first, last, z, beats, steps):
        """Offer an output for the cycle with the previous output's last step."""
        dut.seat.value, dut.gathers.value, dut.first.value = 1, gathers, first
        dut.last.value, dut.z.value = last, z
        await RisingEdge(dut.clk)
        dut.seat.value, dut.beats.value = 0, beats

    await seat(*outputs[0])
    for number, (*_, steps) in enumerate(outputs):
        for step in range(steps):
            dut.step.value = 0
            while rng.random() < pause:
                await RisingEdge(dut.clk)
            dut.tag.value, dut.step.value = int(step == steps - 1), 1
            if step == steps - 1 and number + 1 < len(outputs):
                after = cocotb.start_soon(seat(*outputs[number + 1]))
            await RisingEdge(dut.clk)
            seen.append(tuple(int(getattr(dut, name).value)
                              for name in ("ends", "lane", "target", "count")))
        if number + 1 < len(outputs):
            await after
    assert seen == list(expect(outputs))
