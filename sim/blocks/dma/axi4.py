# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.dma.axi4.CoreDma4: X and Y over AXI4 bursts, and how many cycles they take.

Plusargs: ``size``; ``cycles``, for a word in a long burst.
"""

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiMaster, AxiResp

from xymac.hdl.config import find_size
from xymac.hdl.isa import Region
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

_LONG = 2048  # bytes


async def connect(dut, pause=0.0):
    """Start the clock and a master; returns the master and the memories by address."""
    await start(dut)
    master = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
    rng    = random_of(41)
    for agent, names in ((master.write_if, ("aw", "w", "b")), (master.read_if, ("ar", "r"))):
        agent.log.setLevel("WARNING")
        for name in names if pause else ():
            getattr(agent, f"{name}_channel").set_pause_generator(
                iter(lambda: rng.random() < pause, None))
    config = find_size(cocotb.plusargs["size"])
    return master, {Region.X.value: config.x_bytes, Region.Y.value: config.y_bytes}


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.4])
async def memories(dut, pause):
    """Words and bytes anywhere in X and Y, beside one another, are read back; no others change."""
    master, sizes = await connect(dut, pause)
    rng = random_of(42)
    for at, size in sizes.items():
        for place in (0, rng.randrange(16, size // 2) & ~3, size - 256):
            expected = bytearray(rng.randbytes(256))
            await master.write(at + place, bytes(expected))
            for _ in range(12):
                length = rng.choice((1, 2, 3, 4, 6, 17, 40))
                offset = rng.randrange(256 - length)
                text   = rng.randbytes(length)
                expected[offset:offset + length] = text
                assert (await master.write(at + place + offset, text)).resp == AxiResp.OKAY
            answer = await with_timeout(master.read(at + place, 256), 1, "ms")
            assert (answer.resp, answer.data) == (AxiResp.OKAY, expected)


@cocotb.test
async def pace(dut):
    """A long burst takes its cycles a word, and a few more."""
    master, sizes = await connect(dut)
    cycles = int(cocotb.plusargs["cycles"])
    for at in sizes:
        text  = random_of(43).randbytes(_LONG)
        event = master.init_write(at, text)
        count = 0
        while not event.is_set():
            await RisingEdge(dut.clk)
            count += 1
        assert (await master.read(at, _LONG)).data == text
        assert _LONG // 4 * cycles <= count <= _LONG // 4 * cycles + 24, count


@cocotb.test
async def beyond(dut):
    """A burst over a memory's end writes the part inside it, and has SLVERR."""
    master, sizes = await connect(dut, 0.3)
    for at, size in sizes.items():
        text = random_of(44).randbytes(16)
        assert (await master.write(at + size - 8, text)).resp == AxiResp.SLVERR
        assert (await master.read(at + size - 8, 8)).data == text[:8]
        assert (await master.read(at + size, 4)).resp == AxiResp.SLVERR
