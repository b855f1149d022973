# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.arith.DelayLine."""


import cocotb

from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

CYCLES = int(cocotb.plusargs["cycles"])


@cocotb.test
async def hands_on(dut):
    """Every value comes out once, in order, after the given cycles."""
    rng    = random_of(91)
    values = [rng.randrange(1 << 9) for _ in range(100)]
    await start(dut)
    results = await feed(dut, [{"i": value} for value in values], ["o"], CYCLES)
    assert [result["o"] for result in results] == values
