# SPDX-License-Identifier: Apache-2.0
"""Compact core host port; registers and memories share a single memory."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.isa import PASS_STRIDE, PLAIN_REGISTERS, REGIONS, Control, Region, Register, State
from xymac.hdl.limits import check_between
from xymac.hdl.request import Request, Response

from .memory import CELL_ADDRESS_BITS, PAGE, PROGRAM, TRACE, Access, Cells, X, Y

__all__ = ["PageDecoder", "PagePort"]


class PageDecoder(wiring.Component):
    """Decode a request address into a memory word.

    Latency 0 cycles, throughput 1 request a cycle, no backpressure.

    Parameters
    ----------
    x_cells, y_cells, passes : int, see ``PagePort``; TypeError for another type, ValueError for
        a value out of range

    Members
    -------
    address : In(22), write : In(1), request
    hit : Out(1), the request is legal; cell : Out(15), address of its first 16-bit word
    register, program : Out(1), the address is a register, or lies in the program
    """

    def __init__(self, *, x_cells, y_cells, passes):
        check_between("Cells of X", x_cells, 2, PROGRAM - X, multiple=2)
        check_between("Cells of Y", y_cells, 2, (1 << CELL_ADDRESS_BITS) - Y, multiple=2)
        check_between("Passes", passes, 2, (TRACE - PROGRAM) // (4 * PASS_STRIDE))
        self._sizes = {Region.X: 2 * x_cells, Region.Y: 2 * y_cells,
                       **{region: REGIONS[region].size(passes=passes)
                          for region in (Region.PROGRAM, Region.TRACE)}}
        super().__init__({
            "address": In(Request["address"].shape), "write": In(1), "hit": Out(1),
            "cell": Out(CELL_ADDRESS_BITS), "register": Out(1), "program": Out(1)})

    def elaborate(self, platform):
        m = Module()
        address, write = self.address, self.write
        is_x, is_y = address[20:] == 1, address[21]
        in_region = {region: (address[16:] == region.value >> 16) & (
            address[:16] < self._sizes[region]) for region in (Region.PROGRAM, Region.TRACE)}
        m.d.comb += self.register.eq(address[8:] == Region.REGISTERS.value >> 8)
        with m.If(self.register & self._is_known(address[2:8])):
            m.d.comb += [self.hit.eq(1), self.cell.eq(PAGE | Cat(0, address[2:8]))]
        for base, region, first in ((is_x, Region.X, X), (is_y, Region.Y, Y)):
            with m.If(base & (address < region.value + self._sizes[region])):
                m.d.comb += [self.hit.eq(1), self.cell.eq(first | Cat(0, address[2:15]))]
        with m.If(in_region[Region.PROGRAM] & write):
            m.d.comb += [self.hit.eq(1), self.program.eq(1),
                         self.cell.eq(PROGRAM | address[1:12])]
        with m.If(in_region[Region.TRACE] & ~write):
            m.d.comb += [self.hit.eq(1), self.cell.eq(TRACE | address[1:10])]
        return m

    @staticmethod
    def _is_known(word):
        """True if a register-page word is a register: a counter, or below all counters."""
        counters = [register.value // 4 for register in PLAIN_REGISTERS
                    if register.value >= Register.CYCLES.value]
        others   = [register.value // 4 for register in PLAIN_REGISTERS
                    if register.value < Register.CYCLES.value]
        return (word <= max(others)) | ((word >= min(counters)) & (word <= max(counters)))


class PagePort(wiring.Component):
    """Answer host requests from the memory, one at a time and in order.

    Registers are memory words that the microprogram writes. Only three register writes act in the
    port itself: a command in ``CONTROL`` while no program runs, a stop, and the interrupt mask. The
    port answers a memory write during a run after the microprogram has acknowledged it; the same
    holds for commands. A request outside every memory is answered with ``error`` and changes
    nothing. Latency from an accepted request to its response: 2 cycles for an error, else 8 cycles
    if no access waits and no acknowledgement is needed. Throughput 1 request in latency + 1 cycles;
    honours backpressure.

    Parameters
    ----------
    x_cells : int, 16-bit words of X that the host can access, an even number 2 .. 8192
    y_cells : int, 16-bit words of Y, an even number 2 .. 16384
    passes : int, depth of the program and of the trace, passes, 2 .. 32

    TypeError for another type, ValueError for a value out of range.

    Members
    -------
    request : In(stream of Request), response : Out(stream of Response)
    valid : Out(1), access : Out(Access), taken : In(1)
    found : In(16), valid ``Cells.LATENCY`` cycles after ``taken``
    ready : In(1), low until the first request may be accepted; state : In(State)
    stop : Out(1), high until ``state`` leaves BUSY
    start, clear, wrote : Out(1), wait for ``answer`` : In(1)
    cell : Out(16), address of the written word while ``wrote``; bit 15 marks the program
    irq : Out(1)
    """

    def __init__(self, *, x_cells, y_cells, passes):
        self._decoder = PageDecoder(x_cells=x_cells, y_cells=y_cells, passes=passes)
        super().__init__({
            "request": In(stream.Signature(Request)), "response": Out(stream.Signature(Response)),
            "valid": Out(1), "access": Out(Access), "taken": In(1), "found": In(16),
            "ready": In(1), "state": In(State), "start": Out(1), "clear": Out(1), "stop": Out(1),
            "wrote": Out(1),
            "answer": In(1), "cell": Out(16), "irq": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.decoder = decoder = self._decoder
        request = Signal(Request, reset_less=True)
        half, enable = Signal(name="half"), Signal(name="enable")
        m.d.comb += [
            decoder.address.eq(request.address), decoder.write.eq(request.write),
            self.access.cell.eq(self.cell[:CELL_ADDRESS_BITS] | half),
            self.access.data.eq(request.data.word_select(half, 16)),
            self.irq.eq(enable & ((self.state == State.DONE) | (self.state == State.FAULT)))]
        with m.FSM():
            with m.State("Wait-Request"):
                m.d.comb += self.request.ready.eq(self.ready)
                m.d.sync += [request.eq(self.request.p), half.eq(0), self.response.p.eq(0)]
                with m.If(self.request.valid & self.ready):
                    m.next = "Decode"
            with m.State("Decode"):
                m.d.sync += [self.response.p.error.eq(~decoder.hit),
                             self.cell.eq(Cat(decoder.cell, decoder.program))]
                m.next = "Access"
                with m.If(~decoder.hit):
                    m.next = "Respond"
                with m.Elif(decoder.register & request.write):
                    self._write_register(m, request, enable)
            self._access_states(m, request, half)
            self._wait_states(m, request)
            with m.State("Respond"):
                m.d.comb += self.response.valid.eq(1)
                with m.If(self.response.ready):
                    m.next = "Wait-Request"
        return m

    def _access_states(self, m, request, half):
        """States that access the two 16-bit words of a request in sequence."""
        waited = Signal(range(Cells.LATENCY + 1))
        busy, register = self.state == State.BUSY, self._decoder.register
        with m.State("Access"):
            m.d.comb += [self.valid.eq(1), self.access.bytes.eq(
                Mux(request.write, request.mask.word_select(half, 2), 0))]
            m.d.sync += waited.eq(Cells.LATENCY)
            with m.If(self.taken):
                m.next = "Wait-Cell"
        with m.State("Wait-Cell"):
            m.d.sync += waited.eq(waited - 1)
            with m.If(waited == 1):
                with m.If(~request.write):
                    m.d.sync += self.response.p.data.word_select(half, 16).eq(self.found)
                m.d.sync += half.eq(1)
                m.next = "Access"
                with m.If(half):
                    m.next = "Respond"
                    with m.If(request.write & ~register & request.mask.any() & busy):
                        m.next = "Wait-Notice"

    def _wait_states(self, m, request):
        """States that wait until the microprogram acknowledges a write or a command."""
        busy = self.state == State.BUSY
        with m.State("Wait-Notice"):
            m.d.comb += self.wrote.eq(busy)
            with m.If(self.answer | ~busy):
                m.next = "Respond"
        with m.State("Wait-Command"):
            m.d.comb += [self.start.eq(request.data[0]), self.clear.eq(request.data[1])]
            with m.If(self.answer):
                m.next = "Respond"
        with m.State("Wait-Stop"):
            m.d.comb += self.stop.eq(busy)
            with m.If(~busy):
                m.next = "Respond"

    def _write_register(self, m, request, enable):
        """Select the effect of a register write; most registers ignore writes."""
        busy = self.state == State.BUSY
        m.next = "Respond"
        with m.Switch(request.address[:8]):
            with m.Case(Register.CONTROL):
                with m.If(~busy & request.mask[0] & request.data[:Control.CLEAR.value].any()):
                    m.next = "Wait-Command"
                with m.If(busy & request.mask[0] & (request.data & Control.STOP.value).any()):
                    m.next = "Wait-Stop"
            with m.Case(Register.IRQ_MASK):
                with m.If(request.mask[0]):
                    m.d.sync += enable.eq(request.data[0])
                m.d.sync += request.data[1:].eq(0)
                m.next = "Access"
            with m.Case(Register.FIRST):
                m.d.sync += request.data[6:].eq(0)
                m.next = "Access"
