# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.hostport.HostPort: requests against xymac.hdl.isa's address map."""

import zlib

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from cocotb.utils import get_sim_time

from xymac.hdl.core.fetch.loader import PlaceWrite, ProgramWrite
from xymac.hdl.core.hostport import HostPort
from xymac.hdl.core.step import HostRead
from xymac.hdl.core.tables import TableWrite
from xymac.hdl.core.trace.write_monitor import WriteMonitor, Wrote
from xymac.hdl.core.writeback import HostWrite
from xymac.hdl.isa import BANKS, PASS_STRIDE, TABLE_ENTRIES, TRACE_STRIDE, Region, Register, Table
from xymac.hdl.request import Request, Response
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import StreamSink, StreamSource, decode, encode, start

WAYS, ROWS, PASSES = (int(cocotb.plusargs[name]) for name in ("ways", "rows", "passes"))
PORT  = HostPort(ways=WAYS, x_rows=ROWS, y_rows=ROWS, passes=PASSES)
LANES = BANKS * WAYS
SIZES = {Region.REGISTERS: 0x60, Region.PROGRAM: 8 * PASS_STRIDE * PASSES,
         Region.TRACE: 4 * TRACE_STRIDE * PASSES, Region.TABLES: 2 * TABLE_ENTRIES,
         Region.PLACES: 4 * len(Table), Region.X: 2 * LANES * ROWS,
         Region.Y: 2 * LANES * WAYS * ROWS}
CYCLE   = 10  # ns
STROBES = PlaceWrite["enable"].offset
KNOWN = {0x00, 0x10, 0x5C}  # registers that the bench answers


def word_of(kind, index):
    """Content in the bench's memories."""
    return zlib.crc32(f"{kind}{index}".encode()) % (1 << (16 if kind in "xy" else 32))


class Environment:
    """Environment behind the port: records writes, answers reads after random delays."""

    def __init__(self, dut, pause):
        self.dut, self.rng, self.pause = dut, random_of(131), pause
        self.writes, self.program, self.registers = [], [], []
        self.times = []  # cycle of each write
        self.wrote = []  # each accepted write as the monitor sees it: cycle, memory and row
        self.tables, self.places = [], []
        self.counted = []  # number of each counter that is read
        self._write = StreamSink(dut, "write", HostWrite, pause=pause, seed=132)
        self._read  = StreamSink(dut, "read", HostRead, pause=pause, seed=133)
        dut.x_valid.value = dut.y_valid.value = 0
        for task in (self._take_writes(), self._answer_reads(), self._watch(),
                     self._show_registers(), self._grant()):
            cocotb.start_soon(task)

    async def _take_writes(self):
        while True:
            self.writes += await self._write.receive(1)
            self.times.append(get_sim_time("ns") / CYCLE)

    async def _answer_reads(self):
        dut = self.dut
        while True:
            (read,) = await self._read.receive(1)
            for _ in range(self.rng.randrange(1, 9) if self.pause else 1):
                await RisingEdge(dut.clk)
            if read["y"]:
                cell = (read["address"] * LANES) + read["lane"]
                dut.y_found.value, dut.y_valid.value = word_of("y", cell), 1
            else:  # a whole vector, from which the port selects a column
                cells = [read["address"] * WAYS + way for way in range(WAYS)]
                dut.x_found.value = encode(PORT.x_found.shape(),
                                           [word_of("x", cell) for cell in cells])
                dut.x_valid.value = 1
            await RisingEdge(dut.clk)
            dut.x_valid.value = dut.y_valid.value = 0

    async def _watch(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if dut.program_enable.value:
                self.program.append(decode(ProgramWrite(PASSES), int(dut.program.value)))
            table, place = (decode(shape, int(port.value)) for shape, port in (
                (TableWrite, dut.table), (PlaceWrite, dut.place)))
            if any(table["enable"]):
                self.tables.append(table)
            if place["enable"]:
                self.places.append(int(dut.place.value))
            if dut.counts.value and dut.counted.value:
                self.counted.append(int(dut.number.value))
            if dut.register_write.value:
                self.registers.append(tuple(int(port.value) for port in (
                    dut.register, dut.register_data, dut.register_write)))
            wrote = decode(Wrote, int(dut.wrote.value))
            if wrote["valid"]:
                self.wrote.append((get_sim_time("ns") / CYCLE, wrote["y"], wrote["row"]))
            dut.trace_word.value = word_of("trace", int(dut.trace_address.value))

    async def _grant(self):
        """Grant counter reads, at once or later."""
        while True:
            self.dut.counted.value = int(not self.pause or self.rng.random() < 0.3)
            await RisingEdge(self.dut.clk)

    async def _show_registers(self):
        dut = self.dut
        while True:
            register = int(dut.register.value)
            dut.register_known.value = int(register in KNOWN)
            dut.register_word.value  = word_of("register", register)
            await dut.register.value_change


def random_request(rng):
    """A request at a region edge, at a register or anywhere; also its region and offset."""
    region  = rng.choice(list(Region))
    size    = SIZES[region]
    offset  = rng.choice([0, 4, size - 4, size, rng.randrange(0, size, 4), *KNOWN])
    return {"write": rng.randrange(2), "address": region.value + offset,
            "data": rng.getrandbits(32), "mask": rng.randrange(16)}, region, offset


def answer(request, region, offset):
    """Expected response."""
    outside = offset >= SIZES[region]
    if region is Region.REGISTERS:
        outside = offset not in KNOWN
    wrong = {region: not request["write"]
             for region in (Region.PROGRAM, Region.TABLES, Region.PLACES)}
    wrong[Region.TRACE] = request["write"]
    if outside or wrong.get(region, False):
        return {"data": 0, "error": 1}
    if request["write"]:
        return {"data": 0, "error": 0}
    if region in (Region.X, Region.Y):
        low, high = (word_of("x" if region is Region.X else "y", offset // 2 + half)
                     for half in range(2))
        return {"data": low | high << 16, "error": 0}
    kind, index = ("trace", offset // 4) if region is Region.TRACE else ("register", offset)
    return {"data": word_of(kind, index), "error": 0}


def cell_writes(request, region, offset):
    """Expected 16-bit word writes for a request."""
    for half in range(2):
        cell, bytes_ = offset // 2 + half, request["mask"] >> 2 * half & 3
        row, lane = divmod(cell, LANES)
        row, way = divmod(row, WAYS) if region is Region.Y else (row, None)
        if bytes_:
            yield {"y": int(region is Region.Y), "row": row, "way": way, "lane": lane,
                   "bytes": bytes_, "data": request["data"] >> 16 * half & 0xFFFF}


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.5])
async def every_request_is_answered(dut, pause):
    """The port answers every request in order; refused requests change nothing."""
    await start(dut)
    behind = Environment(dut, pause)
    source = StreamSource(dut, "request", Request, pause=pause, seed=1)
    sink   = StreamSink(dut, "response", Response, pause=pause, seed=2)
    rng    = random_of(134)
    cases  = [random_request(rng) for _ in range(800)]
    cocotb.start_soon(source.send(request for request, *_ in cases))
    responses = await with_timeout(sink.receive(len(cases)), 10, "ms")

    for case, response in zip(cases, responses, strict=True):
        wanted = answer(*case)
        assert response["error"] == wanted["error"], case
        if not case[0]["write"] and not wanted["error"]:
            assert response["data"] == wanted["data"], case
    assert behind.counted == [offset // 4 % TRACE_STRIDE for _, region, offset in cases
                              if region is Region.REGISTERS and offset & Register.CYCLES.value]
    done = [case for case in cases if case[0]["write"] and not answer(*case)["error"]]
    check_writes(behind, done)


def check_writes(behind, done):
    """Compare the recorded writes with the accepted requests."""
    cells = [cell for case in done if case[1] in (Region.X, Region.Y)
             for cell in cell_writes(*case)]
    assert len(behind.writes) == len(cells)
    for write, wanted in zip(behind.writes, cells, strict=True):
        assert {**write, "way": wanted["way"] and write["way"]} == wanted
    rows  = [(write["y"], write["row"]) for write in behind.writes]
    assert behind.wrote == [(time, *row) for time, row in zip(behind.times, rows, strict=True)]
    apart = [later - time for time, later, row, other in zip(
        behind.times, behind.times[1:], rows, rows[1:], strict=False) if row != other]
    assert min(apart) >= WriteMonitor.APART  # the monitor misses closer writes
    words = [{"address": offset // 8, "mask": request["mask"] << offset % 8,
              "data": request["data"] * 0x1_0000_0001}
             for request, region, offset in done if region is Region.PROGRAM and request["mask"]]
    assert behind.program == words
    tables = [{"half": offset // 4, "enable": [request["mask"] & 3, request["mask"] >> 2],
               "data": [request["data"] & 0xFFFF, request["data"] >> 16]}
              for request, region, offset in done if region is Region.TABLES]
    assert behind.tables == [table for table in tables if any(table["enable"])]
    assert behind.places == [request["mask"] << STROBES | request["data"] << 4 | offset // 4
                             for request, region, offset in done
                             if region is Region.PLACES and request["mask"]]
    assert behind.registers == [
        (offset, request["data"], request["mask"]) for request, region, offset in done
        if region is Region.REGISTERS and request["mask"]]
