"""Bench of hdl.arith.DelayLine."""


import cocotb

from sim.agents.pipeline import feed
from sim.agents.seed import random_of
from sim.agents.stream import start

CYCLES = int(cocotb.plusargs["cycles"])


@cocotb.test
async def hands_on(dut):
    """Every value comes out once, in order, after the given number of cycles."""
    rng    = random_of(91)
    values = [rng.randrange(1 << 9) for _ in range(100)]
    await start(dut)
    results = await feed(dut, [{"i": value} for value in values], ["o"], CYCLES)
    assert [result["o"] for result in results] == values
