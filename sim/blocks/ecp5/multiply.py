# SPDX-License-Identifier: Apache-2.0
"""Bench for the ECP5 multiplier model."""


import cocotb

from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

REGISTERED = cocotb.plusargs["registered"].split(",")
SIGNED     = [int(side) for side in cocotb.plusargs["signed"].split(",")]
EDGES      = [0, 1, 2, 0x1FFFE, 0x1FFFF, 0x20000, 0x20001, 0x3FFFE, 0x3FFFF]


def product(a, b):
    """Product of two 18-bit numbers, each signed as configured, as 36 bits."""
    a, b = (side - (1 << 18) if signed and side >> 17 else side
            for side, signed in zip((a, b), SIGNED, strict=True))
    return a * b & (1 << 36) - 1


def expect(stimuli):
    """Products before each stimulus's clock edge."""
    held_a = held_b = held_p = 0
    for item in stimuli:
        a = held_a if "INPUTA" in REGISTERED else item["a"]
        b = held_b if "INPUTB" in REGISTERED else item["b"]
        yield held_p if "OUTPUT" in REGISTERED else product(a, b)
        if item["reset"]:
            held_a = held_b = held_p = 0
        elif item["enable"]:
            held_a, held_b, held_p = item["a"], item["b"], product(a, b)


@cocotb.test
async def products(dut):
    """All pairs with extreme values, then random pairs; registers sometimes hold or reset."""
    rng   = random_of(103)
    pairs = [(a, b) for a in EDGES for b in EDGES]
    pairs += [(rng.getrandbits(18), rng.getrandbits(18)) for _ in range(1000)]
    given = [{"a": a, "b": b, "enable": rng.random() < 0.8, "reset": rng.random() < 0.1}
             for a, b in pairs]
    await start(dut)
    results = await feed(dut, given, ["p"], 0)
    for item, result, p in zip(given, results, expect(given), strict=True):
        assert result["p"] == p, item
