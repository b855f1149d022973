# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.dma.dma.Dma whose microcode memory has lost its initial values."""

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, RisingEdge

from xymac.hdl.isa import Command, ListStatus, Opcode, State
from xymac.sim.agents.image import assemble, random_move
from xymac.sim.agents.seed import random_of

from .lists import CONFIG, REGIONS, SIZE, check, filled, prepare, run


@cocotb.test
async def lists_are_refused(dut):
    """No command is read, so that nothing is written or started, again and again."""
    rng = random_of(120)
    commands = [random_move(rng, CONFIG, SIZE, REGIONS) for _ in range(8)]
    image    = assemble([*commands, Command(Opcode.RUN)], SIZE, rng)
    memory, core = await prepare(dut, image.copy())
    seen = []

    async def watch():
        while True:
            await RisingEdge(dut.clk)
            seen.extend(name for name in ("m_axi_arvalid", "m_axi_awvalid", "start", "stops")
                        if getattr(dut, name).value)

    cocotb.start_soon(watch())
    for _ in range(3):
        end, cycles = await run(dut)
        assert end == (State.FAULT, ListStatus.MICROCODE, 0)
        assert cycles < 30
        await ClockCycles(dut.clk, rng.randint(1, 50))

    assert seen == []
    assert not memory.written.any()
    assert core.runs == []
    check(core, memory, filled(1), image)
    np.testing.assert_array_equal(memory.image, image)
