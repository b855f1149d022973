# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.axi4.AxiBurst: cocotbext-axi master, memories behind requests and cells."""

import cocotb
from cocotb.triggers import RisingEdge, gather, with_timeout
from cocotbext.axi import AxiBurstType, AxiBus, AxiMaster, AxiResp

from xymac.hdl.axi4 import CellWrite
from xymac.hdl.isa import Region
from xymac.hdl.request import Request, Response
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, encode, start

X_BYTES, Y_BYTES = 1 << 19, 1 << 20  #: Memory sizes, as the test gives them to the component.
X, Y  = Region.X.value, Region.Y.value
PLAIN = 64                      # address of an area that no cells reach, with nothing before it
_AREAS = ((PLAIN, 4096 - PLAIN), (X, X_BYTES), (Y, Y_BYTES))


class Memory:
    """Bytes in the areas behind the component, and how they were written."""

    def __init__(self):
        self.areas = {at: bytearray(size) for at, size in _AREAS}
        self.requests, self.cells = [], []

    def find(self, address):
        """An address's area and offset, or None."""
        for at, content in self.areas.items():
            if at <= address < at + len(content):
                return content, address - at
        return None

    def write(self, address, word, mask):
        """Write the word's bytes whose bit in the mask is set; False outside the areas."""
        found = self.find(address)
        if found is None:
            return False
        for byte in range(4):
            if mask >> byte & 1:
                found[0][found[1] + byte] = word >> 8 * byte & 0xFF
        return True


async def serve_requests(dut, memory, pause):
    """Answer requests one to four cycles later, in order."""
    rng  = random_of(31)
    sink = StreamSink(dut, "request", Request, pause=pause, seed=32)
    dut.response__valid.value = 0
    while True:
        (request,) = await sink.receive(1)
        memory.requests.append(request)
        at, found = request["address"], memory.find(request["address"])
        answer = {"data": 0, "error": int(found is None)}
        if request["write"]:
            memory.write(at, request["data"], request["mask"])
        elif found:
            answer["data"] = int.from_bytes(found[0][found[1]:found[1] + 4], "little")
        for _ in range(rng.randrange(4) if pause else 0):
            await RisingEdge(dut.clk)
        dut.response__payload.value, dut.response__valid.value = encode(Response, answer), 1
        await RisingEdge(dut.clk)
        dut.response__valid.value = 0


async def take_cells(dut, memory, pause):
    """Write the cells that come."""
    sink = StreamSink(dut, "cells", CellWrite, pause=pause, seed=33)
    while True:
        (cell,) = await sink.receive(1)
        memory.cells.append(cell)
        mask = sum(cell["bytes"] << 2 * half for half in range(2) if cell["halves"] >> half & 1)
        assert memory.write((Y if cell["y"] else X) + 4 * cell["word"], cell["data"], mask)


async def connect(dut, pause):
    """Start clock, master and memories; returns master and Memory."""
    await start(dut)
    master = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
    for agent in (master.write_if, master.read_if):
        agent.log.setLevel("WARNING")
    memory = Memory()
    cocotb.start_soon(serve_requests(dut, memory, pause))
    if hasattr(dut, "cells__valid"):
        cocotb.start_soon(take_cells(dut, memory, pause))
    if pause:
        rng = random_of(34)
        for channel in (master.write_if.aw_channel, master.write_if.w_channel,
                        master.write_if.b_channel, master.read_if.ar_channel,
                        master.read_if.r_channel):
            channel.set_pause_generator(iter(lambda: rng.random() < pause, None))
    return master, memory


def draw(rng):
    """A random place: address, bytes; some lie across 4 KiB areas, any alignment."""
    at, size = rng.choice(_AREAS)
    length = min(rng.choice((1, 2, 4, 7, 64, 300, 1500)), size)
    return at + rng.randrange(size - length + 1), length


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.3, 0.7])
async def transfers(dut, pause):
    """Random writes and reads at once, any length and alignment, in disjoint halves of time."""
    master, memory = await connect(dut, pause)
    rng, expected = random_of(35), Memory()

    for _ in range(6):
        places, taken = [], []
        for at, length in (draw(rng) for _ in range(12)):
            if all(at + length <= other or other + many <= at for other, many in taken):
                taken.append((at, length))
                places.append((at, length, rng.random() < 0.6))

        async def run(at, length, writes):
            content, offset = expected.find(at)
            if writes:
                text = rng.randbytes(length)
                content[offset:offset + length] = text
                assert (await master.write(at, text)).resp == AxiResp.OKAY
            else:
                wanted = bytes(content[offset:offset + length])
                answer = await master.read(at, length)
                assert (answer.resp, answer.data) == (AxiResp.OKAY, wanted)

        await with_timeout(gather(*(run(*place) for place in places)), 2, "ms")
        assert memory.areas == expected.areas
    assert all(request["address"] % 4 == 0 for request in memory.requests)


@cocotb.test
async def errors(dut):
    """A refused beat makes a burst SLVERR; the other beats in the burst are written."""
    master, memory = await connect(dut, 0.3)
    text = bytes(range(1, 17))
    end  = X + X_BYTES

    assert (await master.write(end - 8, text)).resp == AxiResp.SLVERR
    assert memory.areas[X][-8:] == text[:8]
    answer = await master.read(end - 8, 16)
    assert answer.resp == AxiResp.SLVERR
    assert answer.data[:8] == text[:8]
    assert (await master.write(PLAIN - 8, text)).resp == AxiResp.SLVERR
    assert memory.areas[PLAIN][:8] == text[8:]
    assert (await master.read(PLAIN - 8, 16)).resp == AxiResp.SLVERR
    assert (await master.write(end - 8, bytes(8))).resp == AxiResp.OKAY
    assert (await master.read(end - 8, 8)).resp == AxiResp.OKAY


@cocotb.test
@cocotb.parametrize(options=[{"burst": AxiBurstType.FIXED}, {"burst": AxiBurstType.WRAP},
                             {"size": 0}, {"size": 1}])
async def other_bursts_are_refused(dut, options):
    """Bursts that wrap, stay or have narrow beats change nothing, and end with SLVERR."""
    master, memory = await connect(dut, 0.3)
    for at in (PLAIN + 16, X + 16, Y + 16):
        assert (await master.write(at, bytes(range(1, 17)), **options)).resp == AxiResp.SLVERR
        assert (await master.read(at, 16, **options)).resp == AxiResp.SLVERR
    assert not any(map(any, memory.areas.values()))
    assert not memory.requests

    assert (await master.write(X, b"\x11\x22\x33\x44")).resp == AxiResp.OKAY
    assert (await master.read(X, 4)).data == b"\x11\x22\x33\x44"


@cocotb.test
async def single_narrow_beats(dut):
    """A single beat of 1 or 2 bytes is served, whatever its kind."""
    master, memory = await connect(dut, 0.0)
    for at, size, kind in ((X + 5, 0, AxiBurstType.INCR), (Y + 2, 1, AxiBurstType.FIXED)):
        text = bytes(range(7, 7 + (1 << size)))
        assert (await master.write(at, text, size=size, burst=kind)).resp == AxiResp.OKAY
        assert (await master.read(at, 1 << size, size=size, burst=kind)).data == text
    assert sum(map(bool, b"".join(memory.areas.values()))) == 3


@cocotb.test
async def every_mask(dut):
    """A beat with any strobes writes its bytes alone."""
    master, memory = await connect(dut, 0.0)
    for at in (PLAIN, X, Y):
        area = memory.areas[at]
        for low in range(4):
            for high in range(low + 1, 5):
                area[:8] = b"\xAA" * 8
                await master.write(at + low, bytes(range(1, 1 + high - low)))
                wanted = bytearray(b"\xAA" * 8)
                wanted[low:high] = range(1, 1 + high - low)
                assert area[:8] == wanted, (at, low, high)


@cocotb.test
async def a_word_a_cycle(dut):
    """X and Y bursts take a cycle a beat, also from burst to burst."""
    master, memory = await connect(dut, 0.0)
    if not hasattr(dut, "cells__valid"):
        return
    for at in (X, Y):
        text, count = random_of(36).randbytes(4 * 1024), 0
        event = master.init_write(at, text)
        memory.cells.clear()
        while not memory.cells:
            await RisingEdge(dut.clk)
        while not event.is_set():
            await RisingEdge(dut.clk)
            count += 1
        assert memory.areas[at][:len(text)] == text
        assert len(memory.cells) == 1024
        assert count <= 1024 + 12, count


@cocotb.test
async def neither_starves(dut):
    """Reads and slow writes alternate while both are always waiting."""
    master, memory = await connect(dut, 0.0)
    events = [call(PLAIN + 4 * index, what) for index in range(40)
              for call, what in ((master.init_write, bytes(4)), (master.init_read, 4))]
    for event in events:
        await with_timeout(event.wait(), 20, "us")

    kinds = [request["write"] for request in memory.requests]
    assert len(kinds) == 80
    assert all(kinds[i] != kinds[i + 1] for i in range(10, 70)), kinds
