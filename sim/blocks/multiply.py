"""Bench of hdl.arith.Multiply."""


import cocotb
from amaranth import signed

from hdl.multiply import Multiply
from sim.agents.pipeline import feed
from sim.agents.seed import random_of
from sim.agents.stream import decode, encode, start

EDGES = [-32768, -32767, -129, -128, -1, 0, 1, 127, 128, 32766, 32767]


@cocotb.test
async def products(dut):
    """All pairs of edges, then random pairs, one a cycle."""
    rng   = random_of(81)
    pairs = [(a, b) for a in EDGES for b in EDGES]
    pairs += [(rng.randint(-32768, 32767), rng.randint(-32768, 32767)) for _ in range(200)]
    await start(dut)
    results = await feed(dut, [{"a": encode(signed(16), a), "b": encode(signed(16), b)}
                               for a, b in pairs], ["o"], Multiply.LATENCY)
    for (a, b), result in zip(pairs, results, strict=True):
        assert decode(signed(32), result["o"]) == a * b, (a, b)
