# SPDX-License-Identifier: Apache-2.0
"""AXI4 burst slave properties: each beat once, with its burst's answers."""

from amaranth import Cat, Mux, Signal, Value
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data

from xymac.hdl import axi4
from xymac.hdl.axi import AxiResponse
from xymac.hdl.axi4 import AxiBurst, BurstKind

from .follow import hold_payload
from .property import Bench, Fault, Method, Property

__all__ = ["PROPERTIES"]

_ADDRESS = 22  # bits of an address
_BURST   = data.StructLayout({"id": 1, "address": _ADDRESS - 2, "left": 8, "refused": 1})


class _Bursts:
    """A channel's accepted bursts: the oldest with its next beat, and a burst behind it."""

    def __init__(self, m, unit, channel, step):
        port = {name: getattr(unit, f"s_axi_{channel}{name}")
                for name in ("valid", "ready", "id", "addr", "len", "size", "burst")}
        self.first, behind, new = (Signal(_BURST, name=f"{channel}_{name}")
                                   for name in ("first", "behind", "coming"))
        self.there, second = Signal(name=f"{channel}_there"), Signal(name=f"{channel}_second")
        self.last = self.first.left == 0
        comes, ends = port["valid"] & port["ready"], step & self.last
        plain = (port["burst"] == BurstKind.INCR) & (port["size"] == 2)
        m.d.comb += [
            new.id.eq(port["id"]), new.address.eq(port["addr"][2:]), new.left.eq(port["len"]),
            new.refused.eq((port["size"] > 2) | ((port["len"] != 0) & ~plain)),
            Assert(~step | self.there), Assert(~(comes & second)), Assert(self.there | ~second)]
        with m.If(step):
            m.d.sync += [self.first.left.eq(self.first.left - 1),
                         self.first.address.eq(self.first.address + 1)]
        with m.If(~self.there | ends):
            m.d.sync += [self.there.eq(second | comes), second.eq(0),
                         self.first.eq(Mux(second, behind, new))]
        with m.Elif(comes):
            m.d.sync += [second.eq(1), behind.eq(new)]


def _any_burst(fast):
    unit = AxiBurst(id_bits=1, fast=fast, x_bytes=64, y_bytes=128)
    inputs = [getattr(unit, name) for name, member in unit.signature.members.items()
              if name.startswith("s_axi_") and str(member.flow) == "In"]
    inputs += [unit.request.ready, unit.response.valid, unit.response.payload]
    if fast:
        inputs.append(unit.cells.ready)

    def build(m):
        m.submodules.unit = unit
        asked, is_write = Signal(name="asked"), Signal(name="is_write")
        taken = unit.request.valid & unit.request.ready
        with m.If(unit.response.valid):
            m.d.sync += asked.eq(0)
        with m.If(taken):
            m.d.sync += [asked.eq(1), is_write.eq(unit.request.p.write)]
        m.d.comb += [Assume(~unit.response.valid | asked), Assert(~(taken & asked))]
        hold_payload(m, unit.request)
        answers = {write: unit.response.valid & asked & (is_write == write) for write in (0, 1)}
        _reads(m, unit, taken & ~unit.request.p.write, answers[0])
        _writes(m, unit, taken & unit.request.p.write, answers[1], fast)
    return Bench(inputs, build)


def _reads(m, unit, asks, answer):
    """Read beats: number, order, IDs, addresses and data."""
    step   = Signal(name="read_steps")
    bursts = _Bursts(m, unit, "ar", step)
    first, offered = bursts.first, Signal(name="r_offered")
    beat, taken = Signal(36, name="r_beat"), unit.s_axi_rvalid & unit.s_axi_rready
    error = first.refused | unit.response.p.error
    refuses = bursts.there & first.refused & (~offered | unit.s_axi_rready)
    m.d.comb += step.eq(answer | refuses)
    with m.If(unit.s_axi_rready):
        m.d.sync += offered.eq(0)
    with m.If(step):
        m.d.sync += [offered.eq(1), beat.eq(Cat(
            Mux(first.refused, 0, unit.response.p.data), first.id, bursts.last,
            Mux(error, AxiResponse.SLVERR.value, AxiResponse.OKAY.value)))]
    shown = Cat(unit.s_axi_rdata, unit.s_axi_rid, unit.s_axi_rlast, unit.s_axi_rresp)
    m.d.comb += [
        Assert(unit.s_axi_rvalid == offered), Assert(~offered | (shown == beat)),
        Assert(~step | ~offered | taken), Assert(~answer | ~first.refused),
        Assert(~asks | (bursts.there & ~first.refused & (
            unit.request.p.address[2:] == first.address))),
        Cover(taken & unit.s_axi_rlast & (beat[34:] == 0) & (first.address == 3)),
        Cover(taken & (beat[34:] != 0) & ~unit.s_axi_rlast)]


def _writes(m, unit, asks, answer, fast):
    """Write beats: each asks once or is refused; an answer a burst, with its errors."""
    comes  = unit.s_axi_wvalid & unit.s_axi_wready
    bursts = _Bursts(m, unit, "aw", comes)
    first, cells = bursts.first, unit.cells if fast else None
    held, wrong = Signal(name="beat_held"), Signal(name="burst_wrong")
    beat = Signal(data.StructLayout({"address": _ADDRESS - 2, "data": 32, "mask": 4, "id": 1,
                                     "last": 1, "refused": 1}), name="beat_model")
    sent = (cells.valid & cells.ready) if fast else 0
    done = Signal(name="b_due")  # the answer of a burst is due or offered
    goes = answer | sent
    refused_goes = Signal(name="refused_goes")
    m.d.comb += refused_goes.eq(held & beat.refused & (~beat.last | ~done | unit.s_axi_bready))
    leaves = goes | refused_goes
    error  = wrong | beat.refused | (answer & unit.response.p.error)
    resp, id_, taken = Signal(name="b_wrong"), Signal(name="b_id"), (
        unit.s_axi_bvalid & unit.s_axi_bready)
    with m.If(taken):
        m.d.sync += done.eq(0)
    with m.If(leaves):
        m.d.sync += [held.eq(0), wrong.eq(error & ~beat.last)]
        with m.If(beat.last):
            m.d.sync += [done.eq(1), resp.eq(error), id_.eq(beat.id)]
    with m.If(comes):
        m.d.sync += [held.eq(1), beat.address.eq(first.address),
                     beat.data.eq(unit.s_axi_wdata), beat.mask.eq(unit.s_axi_wstrb),
                     beat.id.eq(first.id), beat.last.eq(bursts.last),
                     beat.refused.eq(first.refused)]
    request = unit.request.p
    m.d.comb += [
        Assert(~comes | ~held | leaves),
        Assert(~asks | (held & ~beat.refused & (request.address[2:] == beat.address) & (
            request.data == beat.data) & (request.mask == beat.mask))),
        Assert(~(leaves & beat.last & done) | taken),
        Assert(unit.s_axi_bvalid == done),
        Assert(~done | ((unit.s_axi_bid == id_) & (Value.cast(unit.s_axi_bresp) == Mux(
            resp, AxiResponse.SLVERR, AxiResponse.OKAY)))),
        Cover(taken & resp), Cover(taken & ~resp & (id_ == 1))]
    if fast:
        hold_payload(m, cells)
        low, high = beat.mask[:2], beat.mask[2:]
        at = Mux(cells.p.y, beat.address[:-1], beat.address[:-2])
        m.d.comb += [
            Assert(~cells.valid | (held & ~beat.refused & (cells.p.data == beat.data) & (
                cells.p.word == at) & (cells.p.y == beat.address[-1]))),
            Assert(~cells.valid | (cells.p.word < Mux(cells.p.y, 32, 16))),
            Assert(~cells.valid | ((Mux(cells.p.halves[0], cells.p.bytes, 0) == low) & (
                Mux(cells.p.halves[1], cells.p.bytes, 0) == high))),
            Cover(cells.valid & cells.ready & cells.p.y & (cells.p.halves == 0b11))]


def _swap_error(original):
    return lambda error: original(~error)


def _first_refusal(original):
    """Fault: a slave takes a refused burst for a plain burst."""
    def bursts(self, m, channel, step):
        have, burst = original(self, m, channel, step)
        plain = Signal(burst.shape(), name=f"{channel}_plain")
        m.d.comb += [plain.eq(burst), plain.refused.eq(0)]
        return have, plain
    return bursts


PROPERTIES = (
    Property("bus: AXI4 bursts", "Any master's bursts, with and without the fast way: each beat "
             "asks the core once or is refused, at its address, with its data and strobes; each "
             "burst has its beats or its answer, in order, with its ID, its errors and its last "
             "mark; what waits is stable", _any_burst, 14,
             (Fault("OKAY and SLVERR are swapped", axi4, "_code", _swap_error),
              Fault("no burst is refused", AxiBurst, "_bursts", _first_refusal)), Method.PDR,
             cases=(1, 0)),
)
