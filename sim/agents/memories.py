# SPDX-License-Identifier: Apache-2.0
"""The core around a DMA: a golden machine's memories, program memory and programs."""

from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from xymac.golden.machine.machine import Machine
from xymac.golden.machine.regions import Regions
from xymac.hdl.core.fetch.loader import PlaceWrite, ProgramWrite
from xymac.hdl.core.step import HostRead
from xymac.hdl.core.tables import TableWrite
from xymac.hdl.core.writeback import WideWrite
from xymac.hdl.isa import Region, State

from .stream import decode, encode

__all__ = ["Memories"]


class Memories:
    """Serve the ``Dma`` ports; a program runs on the machine when its random time is over.

    Attributes
    ----------
    machine : Machine; runs : list of Outcome; longest : int, most cycles in a program
    cancel : bool, a running program ends in a fault at once, as after a stop
    """

    def __init__(self, dut, config, rng, *, pause=0.0):
        self.dut, self.config, self._rng, self._pause = dut, config, rng, pause
        self.machine = Machine(config)
        self.regions = Regions(self.machine)
        self.runs, self.longest, self.cancel = [], 200, False
        self._wide, self._program = WideWrite(config.ways), ProgramWrite(config.passes)
        self._found = deque([0] * 6)
        for name in ("write__ready", "read__ready", "busy", "found"):
            getattr(dut, name).value = 0
        dut.program_state.value = State.IDLE.value
        cocotb.start_soon(self._serve())
        cocotb.start_soon(self._run())

    async def _serve(self):
        dut, pausing = self.dut, lambda: self._rng.random() < self._pause
        after_read = False
        while True:
            await RisingEdge(dut.clk)
            if dut.write__valid.value and dut.write__ready.value:
                self._write(decode(self._wide, int(dut.write__payload.value)))
            answer, after_read = 0, False
            if dut.read__valid.value and dut.read__ready.value:
                answer, after_read = self._read(), True
            self._write_others()
            self._found.append(answer)
            dut.found.value = self._found.popleft()
            dut.write__ready.value = int(not pausing())
            dut.read__ready.value = int(not after_read and not pausing())
            dut.busy.value = int(pausing())

    def _write(self, write):
        ways, lanes = self.config.ways, self.config.lanes
        bank, way = write["bank"].bit_length() - 1, write["way"].bit_length() - 1
        for column in range(ways):
            if write["column"] >> column & 1:
                row = write["row"] * ways + way if write["y"] else write["row"]
                cell = row * lanes + bank * ways + column
                cells = self.regions.bytes_of(Region.Y if write["y"] else Region.X)
                for byte in range(2):
                    if write["bytes"] >> byte & 1:
                        cells[2 * cell + byte] = write["data"][column] >> 8 * byte & 0xFF

    def _read(self):
        read = decode(HostRead, int(self.dut.read__payload.value))
        assert not read["y"]
        start = read["address"] * self.config.ways
        words = self.machine.x[start:start + self.config.ways].tolist()
        return encode(self.dut_found, words)

    @property
    def dut_found(self):
        """Layout of the answer to a read."""
        return self._wide["data"].shape

    def _write_others(self):
        """Writes to program memory, tables and places; decoding each cycle would take long."""
        dut, table, place = self.dut, int(self.dut.table.value), int(self.dut.place.value)
        if dut.program_enable.value:
            write = decode(self._program, int(dut.program.value))
            self._put(Region.PROGRAM, 8 * write["address"], write["data"], write["mask"])
        if mask := table >> TableWrite["enable"].offset:
            write = decode(TableWrite, table)
            self._put(Region.TABLES, 4 * write["half"],
                      write["data"][0] | write["data"][1] << 16, mask)
        if mask := place >> PlaceWrite["enable"].offset:
            write = decode(PlaceWrite, place)
            word  = place >> PlaceWrite["place"].offset & 0xFFFF_FFFF
            self._put(Region.PLACES, 4 * write["table"], word, mask)

    def _put(self, region, start, word, mask):
        assert not self.dut.busy.value
        for byte in range(8):
            if mask >> byte & 1:
                self.regions.bytes_of(region)[start + byte] = word >> 8 * byte & 0xFF
        self.regions.commit(region, start, start + (8 if region is Region.PROGRAM else 4))

    async def _run(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if dut.start.value:
                first = int(dut.first.value)
                dut.program_state.value = State.BUSY.value
                cycles = self._rng.randint(1, self.longest)
                while cycles and not self.cancel:
                    await RisingEdge(dut.clk)
                    cycles -= 1
                if self.cancel:
                    dut.program_state.value = State.FAULT.value
                    continue
                self.runs.append(self.machine.run(first))
                dut.program_state.value = self.runs[-1].state.value
