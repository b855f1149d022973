# SPDX-License-Identifier: Apache-2.0
"""AXI4 front end with bursts: connects a core's requests, and a fast way into X and Y."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.axi import AxiResponse
from xymac.hdl.compact.core import Compact
from xymac.hdl.core.core import Core
from xymac.hdl.core.ports import forward
from xymac.hdl.isa import Region
from xymac.hdl.limits import check_between, check_config, check_vendor
from xymac.hdl.request import Request, Response

__all__ = ["AxiBurst", "BurstKind", "CellWrite", "CoreAxi4", "burst_members"]

_ADDRESS = Request["address"].width
_DATA    = Request["data"].width
_WORD    = exact_log2(_DATA // 8)  # log2 of a beat's bytes
_MOST    = 1 << 20  # bytes of a memory's region


class BurstKind(enum.Enum, shape=2):
    """How the address goes on from beat to beat, in AXI4's code."""

    FIXED = 0
    INCR  = 1
    WRAP  = 2


#: 32-bit write into X or Y: ``word`` in 32-bit words from the memory's start; ``halves``: the
#: 16-bit words to write; ``bytes``: of these, the bytes to write.
CellWrite = data.StructLayout({
    "y": 1, "word": unsigned(19), "halves": unsigned(2), "bytes": unsigned(2), "data": 32})


def burst_members(id_bits):
    """Flat AXI4 slave ports by their standard names, with 32 data bits."""
    address = {"id": id_bits, "addr": _ADDRESS, "len": 8, "size": 3, "burst": BurstKind}
    channels = {
        "aw": (In,  address),
        "w":  (In,  {"data": _DATA, "strb": _DATA // 8, "last": 1}),
        "b":  (Out, {"id": id_bits, "resp": AxiResponse}),
        "ar": (In,  address),
        "r":  (Out, {"id": id_bits, "data": _DATA, "resp": AxiResponse, "last": 1}),
    }
    members = {}
    for channel, (flow, fields) in channels.items():
        back = Out if flow is In else In
        members |= {f"s_axi_{channel}valid": flow(1), f"s_axi_{channel}ready": back(1)}
        members |= {f"s_axi_{channel}{field}": flow(shape) for field, shape in fields.items()}
    return members


class AxiBurst(wiring.Component):
    """Convert AXI4 bursts into requests, and X and Y writes into ``cells`` if ``fast``.

    A beat moves 32 bits. Bursts are INCR with 4-byte beats; a single beat may have any burst kind
    and be narrower. Other bursts are refused: they change nothing, and every beat has SLVERR. A
    response with ``error`` becomes SLVERR; a write burst has SLVERR if any beat has. IDs return
    with the answers; a channel's answers keep burst order. Write data may arrive before the
    address. Read and write requests alternate. Throughput: with ``fast``, a write beat with whole
    16-bit words, or with the same byte in both, takes 1 cycle, from burst to burst too; any other
    beat takes the core's latency plus 2 cycles. The core's latency must be at least 1 cycle.
    Honours backpressure on all channels.

    Parameters
    ----------
    id_bits : int, 1 .. 16
    fast : int, 1 for the member ``cells``; 0 omits it
    x_bytes, y_bytes : int, X and Y sizes for ``cells``, 0 .. 1 MiB

    TypeError unless an int, ValueError for a value out of range.

    Members
    -------
    s_axi_* : AXI4 slave with 32 data bits
    request : Out(stream of Request)
    response : In(stream of Response), always ready
    cells : Out(stream of CellWrite), written before the next request is served
    """

    def __init__(self, *, id_bits=4, fast=0, x_bytes=0, y_bytes=0):
        self._id = check_between("Id_bits", id_bits, 1, 16)
        self._fast = check_between("Fast", fast, 0, 1)
        self._sizes = {Region.X: check_between("X_bytes", x_bytes, 0, _MOST),
                       Region.Y: check_between("Y_bytes", y_bytes, 0, _MOST)}
        cells = {"cells": Out(stream.Signature(CellWrite))} if fast else {}
        super().__init__(burst_members(id_bits) | cells | {
            "request": Out(stream.Signature(Request)),
            "response": In(stream.Signature(Response, always_ready=True))})

    def elaborate(self, platform):
        m = Module()
        asks_write, write_answer = self._write(m)
        asks_read,  read_answer  = self._read(m)
        turn = Signal()  # the request is, or was, one of a write
        with m.FSM():
            with m.State("Free"):
                with m.If(asks_write | asks_read):
                    m.d.sync += turn.eq(asks_write & ~(asks_read & turn))
                    m.next = "Ask"
            with m.State("Ask"):
                m.d.comb += self.request.valid.eq(1)
                with m.If(self.request.ready):
                    m.next = "Wait"
            with m.State("Wait"):
                m.d.comb += [write_answer.eq(self.response.valid & turn),
                             read_answer.eq(self.response.valid & ~turn)]
                with m.If(self.response.valid):
                    m.next = "Free"
        beat = self._beat
        m.d.comb += [
            self.request.p.write.eq(turn),
            self.request.p.address[_WORD:].eq(Mux(turn, beat.address, self._reading)[_WORD:]),
            self.request.p.data.eq(Mux(turn, beat.data, 0)),
            self.request.p.mask.eq(Mux(turn, beat.mask, 0))]
        return m

    def _bursts(self, m, channel, step):
        """A channel's current burst, moved on by each beat; the next burst waits behind it."""
        port = {name: getattr(self, f"s_axi_{channel}{name}")
                for name in ("valid", "ready", "id", "addr", "len", "size", "burst")}
        layout = data.StructLayout({"id": self._id, "address": _ADDRESS, "left": 8, "refused": 1})
        now, later = (Signal(layout, name=f"{channel}_{name}") for name in ("now", "later"))
        have, waits = Signal(name=f"have_{channel}"), Signal(name=f"waits_{channel}")
        comes, ends = port["valid"] & port["ready"], step & (now.left == 0)
        plain = (port["burst"] == BurstKind.INCR) & (port["size"] == _WORD)
        new = Signal(layout, name=f"{channel}_new")
        m.d.comb += [
            port["ready"].eq(~waits), new.id.eq(port["id"]), new.address.eq(port["addr"]),
            new.left.eq(port["len"]),
            new.refused.eq(~plain & ((port["len"] != 0) | (port["size"] > _WORD)))]
        with m.If(step):
            m.d.sync += [now.left.eq(now.left - 1),
                         now.address[_WORD:].eq(now.address[_WORD:] + 1)]
        with m.If(~have | ends):
            m.d.sync += [have.eq(waits | comes), waits.eq(0), now.eq(Mux(waits, later, new))]
        with m.Elif(comes):
            m.d.sync += [waits.eq(1), later.eq(new)]
        return have, now

    def _write(self, m):
        """Move write beats; returns the beat's wish for a request, and its answer strobe."""
        step, gone, answer = (Signal(name=f"write_{name}") for name in ("step", "gone", "answer"))
        have, burst = self._bursts(m, "aw", step)
        held = Signal()  # a beat is here
        self._beat = beat = Signal(data.StructLayout({
            "address": _ADDRESS, "data": _DATA, "mask": _DATA // 8, "id": self._id, "last": 1,
            "refused": 1, "fast": 1}), name="beat")
        wrong = Signal()  # an earlier beat of the burst has an error
        free  = Signal()  # the answer's register is free
        m.d.comb += [
            self.s_axi_wready.eq(have & (~held | gone)),
            step.eq(self.s_axi_wvalid & self.s_axi_wready),
            free.eq(~self.s_axi_bvalid | self.s_axi_bready)]
        with m.If(gone):
            m.d.sync += held.eq(0)
        with m.If(step):
            m.d.sync += [
                held.eq(1), beat.address.eq(burst.address), beat.data.eq(self.s_axi_wdata),
                beat.mask.eq(self.s_axi_wstrb), beat.id.eq(burst.id),
                beat.last.eq(burst.left == 0), beat.refused.eq(burst.refused),
                beat.fast.eq(self._is_fast(burst, self.s_axi_wstrb))]
        # The last beat leaves when its answer can.
        can  = held & (free | ~beat.last)
        asks = can & ~beat.refused & ~beat.fast
        m.d.comb += gone.eq((can & beat.refused) | self._send(m, can) | answer)
        error = beat.refused | (answer & self.response.p.error)
        with m.If(self.s_axi_bready):
            m.d.sync += self.s_axi_bvalid.eq(0)
        with m.If(gone):
            m.d.sync += wrong.eq((wrong | error) & ~beat.last)
            with m.If(beat.last):
                m.d.sync += [self.s_axi_bvalid.eq(1), self.s_axi_bid.eq(beat.id),
                             self.s_axi_bresp.eq(_code(wrong | error))]
        return asks, answer

    def _is_fast(self, burst, strobes):
        """Whether a beat can go by ``cells``: in X or Y, with a single byte mask."""
        if not self._fast:
            return 0
        low, high = strobes[:2], strobes[2:]
        same = (low == 0) | (high == 0) | (low == high)
        address, hits = burst.address, []
        for region, size in self._sizes.items():
            at = exact_log2(region.value)
            hits.append((address[at:] == 1) & (address[:at] < size))
        return Cat(hits).any() & strobes.any() & same & ~burst.refused

    def _send(self, m, can):
        """Offer a fast beat to ``cells``; returns whether it is taken."""
        if not self._fast:
            return 0
        beat, cells = self._beat, self.cells
        low, high = beat.mask[:2], beat.mask[2:]
        m.d.comb += [
            cells.valid.eq(can & beat.fast), cells.p.y.eq(beat.address[-1]),
            cells.p.word.eq(Mux(cells.p.y, beat.address[:-1], beat.address[:-2])[_WORD:]),
            cells.p.halves.eq(Cat(low.any(), high.any())), cells.p.bytes.eq(low | high),
            cells.p.data.eq(beat.data)]
        return cells.valid & cells.ready

    def _read(self, m):
        """Move read beats; returns the next beat's wish for a request, and the answer's strobe."""
        step, answer = Signal(name="read_step"), Signal(name="read_answer")
        have, burst  = self._bursts(m, "ar", step)
        free = ~self.s_axi_rvalid | self.s_axi_rready
        asks = have & free & ~burst.refused
        refuses = have & free & burst.refused
        self._reading = burst.address
        m.d.comb += step.eq(answer | refuses)
        with m.If(self.s_axi_rready):
            m.d.sync += self.s_axi_rvalid.eq(0)
        with m.If(step):
            m.d.sync += [
                self.s_axi_rvalid.eq(1), self.s_axi_rid.eq(burst.id),
                self.s_axi_rlast.eq(burst.left == 0),
                self.s_axi_rdata.eq(Mux(burst.refused, 0, self.response.p.data)),
                self.s_axi_rresp.eq(_code(burst.refused | self.response.p.error))]
        return asks, answer


def _code(error):
    """A beat's AXI response."""
    return Mux(error, AxiResponse.SLVERR, AxiResponse.OKAY)


class CoreAxi4(wiring.Component):
    """A core as an AXI4 slave with bursts, on the address map of ``CoreAxi``.

    Latency and throughput as in ``AxiBurst`` over the core's host port. Programs run as fast as in
    ``Core``.

    Parameters
    ----------
    config : CoreConfig without a DMA; TypeError for another type, ValueError otherwise
    id_bits : int, 1 .. 16, ID width
    vendor : see ``CoreAxi``

    Members
    -------
    s_axi_* : AXI4 slave with 32 data bits
    irq : Out(1)
    """

    def __init__(self, config, *, id_bits=4, vendor=None):
        known = "ecp5" if check_config(config).capabilities.parallel else "ice40"
        self._config, self._vendor = config, check_vendor(vendor, known)
        self._axi, self._members = AxiBurst(id_bits=id_bits), burst_members(id_bits)
        super().__init__(self._members | {"irq": Out(1)})

    def elaborate(self, platform):
        m = Module()
        kind = Core if self._config.capabilities.parallel else Compact
        m.submodules.core = core = kind(self._config, vendor=self._vendor)
        m.submodules.axi  = axi  = self._axi
        wiring.connect(m, axi.request, core.request)
        wiring.connect(m, core.response, axi.response)
        m.d.comb += self.irq.eq(core.irq)
        forward(m, self._members, self, axi)
        return m
