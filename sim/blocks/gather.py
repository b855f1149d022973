# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.issue.gather: each sum's last step, lane and target address."""

import cocotb

from xymac.hdl.isa import BANKS
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

WAYS    = int(cocotb.plusargs["ways"])
LANES   = BANKS * WAYS
OUTPUTS = ["ends", "active", "lane", "target", "count"]


def random_pass(rng):
    """Loop sequencer outputs of a pass: (gathers, first, last, z, beats, steps)."""
    gathers, beats, parts = rng.randrange(2), rng.randint(1, BANKS), rng.randint(1, 5)
    return [(gathers, int(part == 0), int(part == parts - 1), rng.randrange(1 << 10), beats,
             rng.choice([1, 2, LANES - 1, LANES, LANES + 1, 3 * LANES]))
            for part in range(parts)]


def expect(outputs):
    """Expected values for each step of a pass: ``OUTPUTS``, and whether it ends its output."""
    lane = target = 0
    for gathers, first, last, z, beats, steps in outputs:
        target = z if first or not gathers else target
        for step in range(steps):
            tag  = step == steps - 1
            ends = (tag and last) or lane == LANES - 1 if gathers else tag
            yield (int(ends), gathers, lane, target, lane // WAYS + 1 if gathers else beats), tag
            lane = 0 if ends or not gathers else lane + 1
            target += BANKS * int(ends)


def play(rng, passes, pause, flushed):
    """Stimuli of each cycle with its expected values, or None without a step.

    An output arrives with the last step of the previous output, or later; a flush ends a pass in
    any of its cycles, with or without a step, and the next output arrives in the next cycle.
    """
    cycles = [({"step": 0}, None)]

    def idle():
        while rng.random() < pause:
            yield {"seat": 0, "step": 0, "flush": 0, "tag": rng.randrange(2)}, None

    for outputs in passes:
        steps = iter(expect(outputs))
        for gathers, first, last, z, beats, count in outputs:
            if cycles[-1][0].get("flush") or rng.random() < pause:
                cycles += [({"seat": 0, "step": 0, "flush": 0, "tag": 0}, None), *idle()]
            cycles[-1][0].update(seat=1, gathers=gathers, first=first, last=last, z=z)
            for _ in range(count):
                cycles += idle()
                wanted, tag = next(steps)
                cycles.append(({"seat": 0, "step": 1, "flush": 0, "tag": int(tag),
                                "beats": beats}, wanted))
                if rng.random() < flushed:
                    break
            else:
                continue
            if rng.random() < 0.5:
                cycles.append(({"seat": 0, "step": 0, "tag": 0}, None))
            cycles[-1][0]["flush"] = 1
            break
    return cycles


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5], flushed=[0.0, 0.05])
async def lanes_fill(dut, pause, flushed):
    """Random passes at random distances fill the lanes in order; none follows into the next."""
    rng    = random_of(211)
    cycles = play(rng, [random_pass(rng) for _ in range(120)], pause, flushed)
    for name in ("seat", "step", "flush", "tag"):
        getattr(dut, name).value = 0
    await start(dut)
    results = await feed(dut, [inputs for inputs, _ in cycles], OUTPUTS, 0)

    steps = [(cycle, wanted) for cycle, (_, wanted) in enumerate(cycles) if wanted is not None]
    assert len(steps) > 100
    for cycle, wanted in steps:
        assert tuple(results[cycle].values()) == wanted, (cycle, cycles[cycle])
