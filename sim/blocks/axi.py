# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.axi.AxiLite: cocotbext-axi as master, a byte memory behind the requests."""


import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, gather, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

from xymac.hdl.request import Request, Response
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, encode, start

WORDS = 64
BAD   = 4 * WORDS  # the responder refuses addresses from here on


async def respond(dut, memory, pause, seen):
    """Serve requests from ``memory`` (bytes) one to four cycles later, in order."""
    rng  = random_of(11)
    sink = StreamSink(dut, "request", Request, pause=pause, seed=12)
    dut.response__valid.value = 0
    while True:
        (request,) = await sink.receive(1)
        seen.append(request)
        at, answer = request["address"], {"data": 0, "error": int(request["address"] >= BAD)}
        if request["write"] and not answer["error"]:
            for byte in range(4):
                if request["mask"] >> byte & 1:
                    memory[at + byte] = request["data"] >> 8 * byte & 0xFF
        elif not answer["error"]:
            answer["data"] = int.from_bytes(memory[at:at + 4], "little")
        for _ in range(rng.randrange(4) if pause else 0):
            await RisingEdge(dut.clk)
        dut.response__payload.value, dut.response__valid.value = encode(Response, answer), 1
        await RisingEdge(dut.clk)
        dut.response__valid.value = 0


async def connect(dut, pause):
    """Start clock, client and responder; returns client, memory and the request list."""
    await start(dut)
    client = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
    for agent in (client.write_if, client.read_if):
        agent.log.setLevel("WARNING")
    memory, seen = bytearray(4 * WORDS), []
    cocotb.start_soon(respond(dut, memory, pause, seen))
    if pause:
        rng = random_of(13)
        for channel in (client.write_if.aw_channel, client.write_if.w_channel,
                        client.write_if.b_channel, client.read_if.ar_channel,
                        client.read_if.r_channel):
            channel.set_pause_generator(iter(lambda: rng.random() < pause, None))
    return client, memory, seen


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.3, 0.7])
async def transfers(dut, pause):
    """Random 1 to 9 byte writes beside reads; the final memory equals a plain copy."""
    client, memory, seen = await connect(dut, pause)
    rng, expected, read = random_of(14), bytearray(len(memory)), []

    async def write_all():
        for _ in range(100):
            text = rng.randbytes(rng.randint(1, 9))
            at   = rng.randrange(len(memory) // 2 - len(text))
            expected[at:at + len(text)] = text
            assert (await client.write(at, text)).resp == AxiResp.OKAY

    async def read_all():  # in the half without writes
        for _ in range(100):
            at = len(memory) // 2 + 4 * rng.randrange(WORDS // 2)
            read.append((at, await client.read(at, 4)))

    fill = rng.randbytes(len(memory) // 2)
    memory[len(memory) // 2:] = expected[len(memory) // 2:] = fill
    await with_timeout(gather(write_all(), read_all()), 1, "ms")
    assert memory == expected
    assert all(answer.resp == AxiResp.OKAY and answer.data == expected[at:at + 4]
               for at, answer in read)
    assert all(request["address"] % 4 == 0 for request in seen)


@cocotb.test
async def errors(dut):
    """A refused address returns SLVERR; its neighbours still work."""
    client, memory, _ = await connect(dut, 0.3)

    assert (await client.write(BAD, b"\x11\x22\x33\x44")).resp == AxiResp.SLVERR
    assert (await client.write(BAD - 4, b"\x55\x66\x77\x88")).resp == AxiResp.OKAY
    assert (await client.read(BAD, 4)).resp == AxiResp.SLVERR
    answer = await client.read(BAD - 4, 4)
    assert (answer.resp, answer.data) == (AxiResp.OKAY, b"\x55\x66\x77\x88")
    assert not any(memory[:BAD - 4])


@cocotb.test
async def unanswered_write_blocks_no_read(dut):
    """A master that never accepts a write response still gets its reads, in bounded time."""
    client, memory, _ = await connect(dut, 0.0)
    client.write_if.b_channel.pause = True
    memory[:] = bytes(range(4 * WORDS))
    for at in range(0, 8, 4):
        client.init_write(at, b"\xff\xff\xff\xff")

    for at in range(8, 200, 4):
        answer = await with_timeout(client.read(at, 4), 1, "us")
        assert answer.data == bytes(range(at, at + 4))
    assert memory[:8] == b"\xff\xff\xff\xff\x04\x05\x06\x07"


@cocotb.test
async def neither_starves(dut):
    """Reads and writes alternate while both are always waiting."""
    client, _, seen = await connect(dut, 0.0)
    events = [call(4 * index, what) for index in range(40)
              for call, what in ((client.init_write, bytes(4)), (client.init_read, 4))]
    for event in events:
        await with_timeout(event.wait(), 10, "us")

    kinds = [request["write"] for request in seen]
    assert len(kinds) == 80
    assert all(kinds[i] != kinds[i + 1] for i in range(10, 70)), kinds


@cocotb.test
async def a_reset_in_every_cycle(dut):
    """A reset drops earlier transfers; a later write and read have the usual results."""
    await start(dut)
    client = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
    for agent in (client.write_if, client.read_if):
        agent.log.setLevel("ERROR")
    rng, memory = random_of(15), bytearray(4 * WORDS)
    for cycles in range(1, 14):
        server = cocotb.start_soon(respond(dut, memory, 0.6, []))
        client.init_write(0, bytes(4))
        client.init_read(4, 4)
        await ClockCycles(dut.clk, cycles)
        server.cancel()
        dut.rst.value, dut.request__ready.value, dut.response__valid.value = 1, 0, 0
        await ClockCycles(dut.clk, 2)
        dut.rst.value = 0
        server = cocotb.start_soon(respond(dut, memory, 0.3, []))
        text   = rng.randbytes(8)
        assert (await with_timeout(client.write(8, text), 2, "us")).resp == AxiResp.OKAY
        answer = await with_timeout(client.read(8, 8), 2, "us")
        assert (answer.resp, answer.data, memory[8:16]) == (AxiResp.OKAY, text, text), cycles
        server.cancel()
