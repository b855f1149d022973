# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.link.uart: bytes as line bits, different clocks, glitches, broken bytes."""

import itertools

import cocotb
from cocotb.triggers import RisingEdge, Timer

from xymac.sim.agents.line import CYCLE, LineSource, receive_line
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSource, start

DIVISOR = int(cocotb.plusargs["divisor"])
END     = cocotb.plusargs["end"]  # line end under test: "receiver" or "transmitter"
BYTES   = [0x00, 0xFF, 0x55, 0xAA, 0x01, 0x80, 0x7F, 0xFE]


async def collect(dut, received):
    """Append the received bytes to ``received``."""
    while True:
        await RisingEdge(dut.clk)
        if dut.o__valid.value:
            received.append(int(dut.o__payload.value))


async def connect(dut, error=0.0):
    """Start the clock; returns a line with clock ``error`` to the receiver, and received bytes."""
    dut.rx.value, received = 1, []
    await start(dut)
    cocotb.start_soon(collect(dut, received))
    await Timer(DIVISOR * CYCLE, "ps")
    return LineSource(dut.rx, DIVISOR * CYCLE * (1 + error)), received


@cocotb.test(skip=END != "receiver")
@cocotb.parametrize(error=[-0.02, 0.0, 0.02])
async def bytes_arrive(dut, error):
    """Bytes arrive at any phase, with and without idle time, from a clock up to 2 % off."""
    rng   = random_of(71)
    bytes_ = BYTES + [rng.randrange(256) for _ in range(60)]
    line, received = await connect(dut, error)

    for byte in bytes_:
        await line.send(byte)
        if rng.randrange(3) == 0:
            await Timer(rng.randrange(1, 3 * DIVISOR * CYCLE), "ps")
    await Timer(DIVISOR * CYCLE, "ps")

    assert received == bytes_


@cocotb.test(skip=END != "receiver")
async def bits_are_taken_in_their_middle(dut):
    """From the edge of a start bit to its byte all bytes take the same cycles."""
    rng = random_of(76)
    line, _ = await connect(dut)
    found   = set()
    for _ in range(30):
        for _ in range(rng.randrange(1, 3 * DIVISOR)):
            await RisingEdge(dut.clk)
        cocotb.start_soon(line.send(rng.randrange(256)))
        cycles = 0
        while not dut.o__valid.value:
            await RisingEdge(dut.clk)
            cycles += 1
        found.add(cycles)
        await Timer(DIVISOR * CYCLE, "ps")
        await RisingEdge(dut.clk)

    assert len(found) == 1, found


@cocotb.test(skip=END != "receiver")
async def broken_bytes_are_dropped(dut):
    """A low stop bit drops its byte, however long the low level lasts, but not the next byte."""
    rng = random_of(72)
    line, received = await connect(dut)
    expected = []
    for _ in range(60):
        byte, stop = rng.randrange(256), rng.randrange(2)
        await line.send(byte, stop=stop)
        if stop:
            expected.append(byte)
        else:
            await Timer((1 + rng.randrange(20 * DIVISOR)) * CYCLE, "ps")
            dut.rx.value = 1
            await Timer(2 * DIVISOR * CYCLE, "ps")

    await Timer(DIVISOR * CYCLE, "ps")
    assert received == expected


@cocotb.test(skip=END != "receiver")
async def glitches_are_ignored(dut):
    """A low level shorter than half a bit is no start bit, even twice within a bit time."""
    rng = random_of(73)
    line, received = await connect(dut)
    bytes_ = [rng.randrange(256) for _ in range(60)]
    for byte in bytes_:
        for _ in range(rng.randrange(3)):
            dut.rx.value = 0
            await Timer(rng.randrange(1, (DIVISOR // 2 - 1) * CYCLE), "ps")
            dut.rx.value = 1
            await Timer(2 * CYCLE, "ps")
        await Timer(2 * CYCLE, "ps")
        await line.send(byte)

    await Timer(DIVISOR * CYCLE, "ps")
    assert received == bytes_


@cocotb.test(skip=END != "transmitter")
@cocotb.parametrize(pause=[0.0, 0.995])
async def bytes_leave(dut, pause):
    """All bits are ``divisor`` cycles long; without pauses a byte takes ten bit times."""
    rng    = random_of(74)
    bytes_ = BYTES + [rng.randrange(256) for _ in range(60)]
    source = StreamSource(dut, "i", 8, pause=pause, seed=75)
    await start(dut)
    assert dut.tx.value
    cocotb.start_soon(source.send(bytes_))

    times = []
    for byte in bytes_:
        assert await receive_line(dut.tx, DIVISOR * CYCLE, times) == byte
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert min(gaps) == 10 * DIVISOR * CYCLE
    assert (max(gaps) == min(gaps)) == (pause == 0)
