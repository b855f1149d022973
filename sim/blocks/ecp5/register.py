# SPDX-License-Identifier: Apache-2.0
"""Bench for the ECP5 register model: initial value and loads."""


import cocotb

from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

VALUE = int(cocotb.plusargs["value"])


@cocotb.test
async def takes_what_it_is_given(dut):
    """Check the initial value, then random values, some with the load disabled."""
    rng   = random_of(104)
    given = [{"i": 0, "load": 0}, *({"i": rng.getrandbits(1), "load": rng.getrandbits(1)}
                                    for _ in range(50))]
    dut.load.value = 0
    await start(dut)
    results, value = await feed(dut, given, ["o"], 0), VALUE
    for item, result in zip(given, results, strict=True):
        assert result["o"] == value, item
        value = item["i"] if item["load"] else value
