# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.axi4.AxiBurst: consecutive refused bursts, and resets."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiBurstType, AxiBus, AxiMaster, AxiResp

from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

from .axi4 import PLAIN, Memory, X, Y, connect, serve_requests, take_cells


def serve(dut, memory):
    """Start the memory's tasks, with pauses; returns them."""
    tasks = [cocotb.start_soon(serve_requests(dut, memory, 0.5))]
    if hasattr(dut, "cells__valid"):
        tasks.append(cocotb.start_soon(take_cells(dut, memory, 0.5)))
    return tasks


def end(dut, tasks):
    """End the memory's tasks, and lower the signals which they drive."""
    for task in tasks:
        task.cancel()
    for name in ("request__ready", "response__valid", "cells__ready"):
        if hasattr(dut, name):
            getattr(dut, name).value = 0


@cocotb.test
async def refused_bursts_in_a_row(dut):
    """Bursts in a queue are refused alike, also far outside the areas."""
    master, memory = await connect(dut, 0.3)
    fixed = [(at, {"burst": AxiBurstType.FIXED}) for at in (PLAIN, X, Y)]
    far   = [(at, {}) for at in (0x1000, 0x55550, 0xAAAA0, 0xFFFF0, 0x3FFFF0, 0x355550)]
    for places in (fixed * 2, far):
        events = [call(at, what, **options) for at, options in places
                  for call, what in ((master.init_write, bytes(range(1, 9))),
                                     (master.init_read, 8))]
        for event in events:
            await with_timeout(event.wait(), 20, "us")
            assert event.data.resp == AxiResp.SLVERR
    assert not any(map(any, memory.areas.values()))


async def shake(dut, channel, ours, theirs):
    """Raise the signal ``ours`` of a channel until the bridge raises ``theirs``."""
    own, other = (getattr(dut, f"s_axi_{channel}{name}") for name in (ours, theirs))
    own.value = 1
    await RisingEdge(dut.clk)
    while not other.value:
        await RisingEdge(dut.clk)
    own.value = 0


async def offer(dut, channel, **fields):
    """Offer a transfer on a channel until it is taken."""
    for name, value in fields.items():
        getattr(dut, f"s_axi_{channel}{name}").value = value
    await shake(dut, channel, "valid", "ready")


async def answer_of(dut, channel):
    """Take an answer; returns its response."""
    await shake(dut, channel, "ready", "valid")
    return int(getattr(dut, f"s_axi_{channel}resp").value)


@cocotb.test
async def beats_wider_than_the_bus_are_refused(dut):
    """cocotbext-axi refuses to send these bursts, so the test drives the bus itself."""
    await start(dut)
    memory = Memory()
    for channel, ready in (("aw", 0), ("w", 0), ("ar", 0), ("b", 1), ("r", 1)):
        getattr(dut, f"s_axi_{channel}{'ready' if ready else 'valid'}").value = 0
    tasks  = serve(dut, memory)
    refused, okay = AxiResp.SLVERR.value, AxiResp.OKAY.value
    for size in (3, 4, 7, 2):
        fields = {"id": 1, "addr": PLAIN, "len": 0, "size": size, "burst": AxiBurstType.INCR.value}
        expected = okay if size == 2 else refused
        await offer(dut, "aw", **fields)
        await offer(dut, "w", data=0x1234_5678, strb=0xF, last=1)
        assert await answer_of(dut, "b") == expected, size
        await offer(dut, "ar", **fields)
        assert await answer_of(dut, "r") == expected, size
        assert any(memory.areas[PLAIN]) == (size == 2)
    end(dut, tasks)


@cocotb.test
async def a_reset_in_every_cycle(dut):
    """A reset drops earlier bursts; later bursts have the usual results."""
    await start(dut)
    master, rng = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst), random_of(37)
    for agent in (master.write_if, master.read_if):
        agent.log.setLevel("ERROR")
    memory = Memory()
    for cycles in range(1, 30):
        tasks = serve(dut, memory)
        if cycles % 2:  # a refused burst first, whose error the reset drops too
            master.init_write(PLAIN, bytes(40), burst=AxiBurstType.FIXED)
        for at in (PLAIN, X, Y):
            master.init_write(at, bytes(10))
            master.init_read(at + 32, 8)
        await ClockCycles(dut.clk, cycles)
        end(dut, tasks)
        dut.rst.value = 1
        await ClockCycles(dut.clk, 2)
        dut.rst.value = 0
        tasks = serve(dut, memory)
        for at in (PLAIN, X, Y):
            text = rng.randbytes(11)
            assert (await with_timeout(master.write(at + 65, text), 5, "us")).resp == AxiResp.OKAY
            answer = await with_timeout(master.read(at + 65, 11), 5, "us")
            assert (answer.resp, answer.data) == (AxiResp.OKAY, text), (cycles, at)
            assert memory.areas[at][65:76] == text
        end(dut, tasks)
