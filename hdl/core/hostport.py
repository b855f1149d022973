# SPDX-License-Identifier: Apache-2.0
"""Host port: one 32-bit request at a time to registers, program, trace, tables, X and Y."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay, pick
from xymac.hdl.isa import BANKS, REGIONS, TRACE_STRIDE, Region, Register
from xymac.hdl.limits import check_passes, check_rows, check_ways
from xymac.hdl.request import Request, Response

from .fetch.loader import PlaceWrite, ProgramWrite
from .registers import Registers
from .step import HostRead
from .tables import TableWrite
from .trace import Wrote
from .writeback import HostWrite

__all__ = ["HostPort"]

_COUNTERS = Register.CYCLES.value  # address of the first counter
_HIT = data.StructLayout({region.name.lower(): 1 for region in REGIONS})


class HostPort(wiring.Component):
    """Translate requests into accesses to 16-bit words, program, tables and registers.

    Responses keep the request order; the port handles a single request at a time. A write of X or Y
    is answered once ``write`` has accepted both 16-bit words. A request outside every region is
    answered with ``error`` and changes nothing.
    Latency from an accepted request to its response, in cycles: error, program write or table write
    2; trace 4; register read 6, register write 8, plus the wait for a counter; X or Y write 4 plus
    the wait on ``write``; X or Y read 6 plus the latency of both array reads. Throughput 1 request
    per latency plus 1 cycle; honours backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4
    x_rows, y_rows : int, rows of X memory and Y memory, 2 .. 4096
    passes : int, depth of the program memory, a power of two from 2 to 256

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    request : In(stream of Request), response : Out(stream of Response)
    write : Out(stream of HostWrite), wrote : Out(Wrote), it is accepted
    read : Out(stream of HostRead)
    x_found, x_valid, y_found, y_valid : In, read data from the array
    program : Out(ProgramWrite), program_enable : Out(1)
    table : Out(TableWrite); place : Out(PlaceWrite)
    trace_address : Out, trace_word : In(32), two cycles later
    register : Out(8), register_data : Out(32), register_write : Out(4) byte strobes
    register_word : In(32), register_known : In(1), ``Registers.LATENCY`` cycles after ``register``
    counts : Out(1), the register may be a counter; number : Out(3), its index
    counted : In(1), the counter is read, ``Registers.LATENCY - 1`` cycles before its word
    """

    def __init__(self, *, ways, x_rows, y_rows, passes):
        self._ways, self._passes = check_ways(ways), check_passes(passes)
        self._sizes = {"ways": ways, "passes": passes, "x_rows": check_rows("X", x_rows),
                       "y_rows": check_rows("Y", y_rows)}
        super().__init__({
            "request": In(stream.Signature(Request)), "response": Out(stream.Signature(Response)),
            "write": Out(stream.Signature(HostWrite)), "wrote": Out(Wrote),
            "read": Out(stream.Signature(HostRead)),
            "x_found": In(data.ArrayLayout(16, ways)), "x_valid": In(1),
            "y_found": In(16), "y_valid": In(1),
            "program": Out(ProgramWrite(passes)), "program_enable": Out(1),
            "table": Out(TableWrite), "place": Out(PlaceWrite),
            "trace_address": Out(range(passes * TRACE_STRIDE)), "trace_word": In(32),
            "register": Out(8), "register_data": Out(32), "register_write": Out(4),
            "register_word": In(32), "register_known": In(1),
            "counts": Out(1), "number": Out(range(TRACE_STRIDE)), "counted": In(1)})

    def elaborate(self, platform):
        m = Module()
        request = Signal(Request, reset_less=True)
        half    = Signal()
        found   = Signal(2)  # halves of the response that are valid in this cycle
        m.d.comb += [
            self.register.eq(request.address[:8]), self.register_data.eq(request.data),
            self.number.eq(request.address[2:]),
            self.program.address.eq(request.address[3:16]), self.program.data.eq(
                request.data.replicate(2)),
            self.program.mask.eq(Mux(request.address[2], request.mask << 4, request.mask)),
            self.trace_address.eq(request.address[2:16]),
            self.table.half.eq(request.address[2:]), self.table.data.eq(request.data),
            self.place.table.eq(request.address[2:6]), self.place.place.eq(request.data),
        ]
        self._cells(m, request, half)
        hit = Signal(_HIT, reset_less=True)
        self._answer(m, request, hit, found)
        with m.FSM():
            with m.State("Wait-Request"):
                m.d.comb += self.request.ready.eq(1)
                m.d.sync += [request.eq(self.request.p), half.eq(0), hit.eq(self._find_region())]
                with m.If(self.request.valid):
                    m.next = "Decode"
            with m.State("Decode"):
                self._decode(m, request, hit)
            self._cell_states(m, half, found)
            self._register_states(m, request, found)
            with m.State("Wait-Address"):
                m.next = "Wait-Trace"
            with m.State("Wait-Trace"):
                m.d.comb += found.eq(-1)
                m.next = "Respond"
            with m.State("Respond"):
                m.d.comb += self.response.valid.eq(1)
                with m.If(self.response.ready):
                    m.next = "Wait-Request"
        return m

    def _answer(self, m, request, hit, found):
        """Assemble the response from valid halves; every other response carries 0."""
        way  = self.read.p.lane[:exact_log2(self._ways)]
        cell = delay(m, Mux(self.read.p.y, self.y_found, pick(self.x_found, way)), 1, name="cell")
        word = Mux(hit.trace, self.trace_word, self.register_word)
        none = self.request.ready | request.write
        data = Signal.like(self.response.p.data, name="answer", reset_less=True)
        m.d.comb += self.response.p.data.eq(data)
        for half in range(2):
            answer = Mux(hit.x | hit.y, cell, word.word_select(half, 16))
            with m.If(found[half] | none):
                m.d.sync += data.word_select(half, 16).eq(Mux(none, 0, answer))

    def _cell_states(self, m, half, found):
        """States that write or read both 16-bit words of a request, low half first."""
        arrived = delay(m, self.x_valid | self.y_valid, 1, name="arrived")
        with m.State("Write-Cell"):
            m.d.comb += self.write.valid.eq(self.write.p.bytes.any())
            with m.If(self.write.ready | ~self.write.valid):
                m.d.sync += half.eq(1)
                with m.If(half):
                    m.next = "Respond"
        with m.State("Read-Cell"):
            m.d.comb += self.read.valid.eq(1)
            with m.If(self.read.ready):
                m.next = "Wait-Cell"
        with m.State("Wait-Cell"):
            with m.If(arrived):
                m.d.comb += found.eq(1 << half)
                m.d.sync += half.eq(1)
                m.next = "Read-Cell"
                with m.If(half):
                    m.next = "Respond"

    def _register_states(self, m, request, found):
        """States that find a register, then answer or write it."""
        looked = Signal(range(Registers.LATENCY))
        m.d.sync += self.register_write.eq(0)
        with m.State("Find-Register"):
            with m.If(~self.counts | self.counted):
                m.d.sync += [looked.eq(looked + 1), self.counts.eq(0)]
            with m.If(looked == Registers.LATENCY - 1):
                m.d.sync += looked.eq(0)
                m.next = "Respond"
                with m.If(self.register_known):
                    m.d.comb += found.eq(-1)
                    m.d.sync += self.response.p.error.eq(0)
                    with m.If(request.write):
                        m.d.sync += self.register_write.eq(request.mask)
                        m.next = "Write-Register"
        with m.State("Write-Register"):
            m.next = "Wait-Register"
        with m.State("Wait-Register"):  # respond after the write has taken effect
            m.next = "Respond"

    def _cells(self, m, request, half):
        """Address the current 16-bit word: the lane lowest, then the MAC (Y only), then the row."""
        lanes = exact_log2(BANKS * self._ways)
        ways  = exact_log2(self._ways)
        y     = request.address[21]
        cell  = Signal(20)
        above = Signal(20)
        m.d.comb += [
            cell.eq(Cat(half, request.address[2:21])), above.eq(cell >> lanes),
            self.write.p.y.eq(y), self.read.p.y.eq(y),
            self.write.p.lane.eq(cell[:lanes]), self.read.p.lane.eq(cell[:lanes]),
            self.write.p.way.eq(above[:ways]),
            self.write.p.row.eq(Mux(y, above >> ways, above)),
            self.write.p.bytes.eq(request.mask.word_select(half, 2)),
            self.write.p.data.eq(request.data.word_select(half, 16)),
            self.read.p.address.eq(Mux(y, above, cell >> ways)),
            self.wrote.valid.eq(self.write.valid & self.write.ready),
            self.wrote.y.eq(self.write.p.y), self.wrote.row.eq(self.write.p.row),
        ]

    def _find_region(self):
        """For each region, whether it contains the next request and permits its direction."""
        request = self.request.p
        allowed = {"rw": Const(1), "r": ~request.write, "w": request.write}
        return Cat(self._find(request.address, region) & allowed[layout.access]
                   for region, layout in REGIONS.items())

    def _decode(self, m, request, hit):
        """Select the region that answers; an address outside every region is an error."""
        m.d.sync += self.response.p.error.eq(~Cat(
            hit[region.name.lower()] for region in REGIONS if region is not Region.REGISTERS).any())
        m.d.comb += [self.program_enable.eq(hit.program & request.mask.any()),
                     self.table.enable.eq(Mux(hit.tables, request.mask, 0)),
                     self.place.enable.eq(Mux(hit.places, request.mask, 0))]
        m.next = "Respond"
        with m.If(hit.x | hit.y):
            m.next = "Read-Cell"
            with m.If(request.write):
                m.next = "Write-Cell"
        with m.If(hit.registers):
            m.d.sync += self.counts.eq(request.address[exact_log2(_COUNTERS)])
            m.next = "Find-Register"
        with m.If(hit.trace):
            m.next = "Wait-Address"

    def _find(self, address, region):
        """Whether ``address`` lies in ``region``.

        X and Y start at powers of two; every other region has a 64 KiB block of its own.
        """
        size = REGIONS[region].size(**self._sizes)
        if region in (Region.X, Region.Y):
            at = exact_log2(region.value)
            return (address[at:] == 1) & (address[:at] < size)
        return (address[16:] == region.value >> 16) & (address[:16] < size)
