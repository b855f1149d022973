# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.reduction.Extremes: maximum and minimum, random and extreme inputs."""

import cocotb

from xymac.hdl.core.reduction import Extremes, Range
from xymac.hdl.isa import BANKS
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

WAYS     = int(cocotb.plusargs["ways"])
EXTREMES = Extremes(ways=WAYS)
EDGES    = [-32768, -32767, -1, 0, 1, 32766, 32767]


def elements(rng):
    """An element per lane: extreme values, values from a narrow range, or any value."""
    lanes = BANKS * WAYS
    kind  = rng.randrange(3)
    if kind == 0:
        return [rng.choice(EDGES) for _ in range(lanes)]
    centre, spread = rng.randint(-32700, 32700), rng.choice([0, 3, 60])
    return [rng.randint(-32768, 32767) if kind == 1 else centre + rng.randint(-spread, spread)
            for _ in range(lanes)]


@cocotb.test
async def finds_both(dut):
    """One set a cycle; every lane holds the largest and the smallest element in some sets."""
    rng = random_of(181)
    await start(dut)
    sets = [(elements(rng), rng.randrange(2), rng.randrange(2)) for _ in range(400)]
    for lane in range(BANKS * WAYS):
        for edge in (-32768, 32767):
            sets.append(([edge if at == lane else 7 for at in range(BANKS * WAYS)], 1, 0))
    shape   = EXTREMES.elements.shape()
    results = await feed(dut, [{"elements": encode(shape, values), "valid": valid, "fresh": fresh}
                               for values, valid, fresh in sets], ["o"], EXTREMES.latency)
    for (values, valid, fresh), result in zip(sets, results, strict=True):
        assert decode(Range, result["o"]) == {
            "valid": valid, "fresh": fresh, "maximum": max(values), "minimum": min(values)}
