# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.arith.Multiply."""


import cocotb
from amaranth import signed

from xymac.hdl.multiply import Multiply
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

EDGES = [-32768, -32767, -129, -128, -1, 0, 1, 127, 128, 32766, 32767]


@cocotb.test
async def products(dut):
    """All pairs of edges, then random pairs, one a cycle, some cleared on their way."""
    rng   = random_of(81)
    pairs = [(a, b) for a in EDGES for b in EDGES]
    pairs += [(rng.randint(-32768, 32767), rng.randint(-32768, 32767)) for _ in range(200)]
    clears = [number > len(EDGES) ** 2 and rng.random() < 0.1 for number in range(len(pairs))]
    await start(dut)
    results = await feed(dut, [
        {"a": encode(signed(16), a), "b": encode(signed(16), b), "clear": int(clear)}
        for (a, b), clear in zip(pairs, clears, strict=True)], ["o"], Multiply.LATENCY)
    for number, ((a, b), result) in enumerate(zip(pairs, results, strict=True)):
        wanted = 0 if any(clears[number:number + Multiply.LATENCY]) else a * b
        assert decode(signed(32), result["o"]) == wanted, (a, b)
