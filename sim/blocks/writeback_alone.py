# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.writeback: ``unwritten`` and ``in_flight`` with single outputs."""

import cocotb
from cocotb.triggers import ClockCycles

from xymac.hdl.config import SLOTS
from xymac.hdl.isa import BANKS
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSource

from .writeback import (
    DRAIN,
    Monitor,
    arrive,
    check_states,
    load,
    prepare,
    settle,
    start_within,
)


@cocotb.test
@cocotb.parametrize(held=[(), (0, 2), (0, 1, 2, 3)])
async def each_output_alone(dut, held):
    """An output is pushed after the previous output has finished: its states rise and fall.

    Passes write X and Y, with and without a reduction; passes in the slots ``held`` save their
    sums.
    """
    rng     = random_of(146)
    configs = [config | {"hold": int(slot in held)}
               for slot, config in enumerate(await prepare(dut, rng))]
    await load(dut, configs)
    monitor = Monitor(dut)
    outputs = [{"relative": start_within(rng, configs[slot]), "slot": slot,
                "hold": configs[slot]["hold"], "beats": rng.randint(1, BANKS)}
               for slot in [*range(SLOTS), *rng.sample(range(SLOTS), SLOTS)]]
    for output in outputs:
        await StreamSource(dut, "i", DRAIN).send([output])
        await ClockCycles(dut.clk, BANKS)
        await arrive(dut, rng, 1, 0.0, [True])
        await settle(dut)

    check_states(monitor, configs, outputs)
    assert monitor.slots == [output["slot"] for output in outputs if not output["hold"]
                             for _ in range(output["beats"])]
