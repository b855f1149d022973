# SPDX-License-Identifier: Apache-2.0
"""Bus, register and link properties."""

from amaranth import Const, Mux, Signal, Value
from amaranth.hdl import Assert, Assume, Cover

from xymac.hdl.axi import AxiLite
from xymac.hdl.config import TINY
from xymac.hdl.core.issue import pace
from xymac.hdl.core.issue.pace import Pace
from xymac.hdl.core.registers import Registers
from xymac.hdl.isa import BANKS, State
from xymac.hdl.link.cobs import CobsEncoder
from xymac.hdl.link.judge import Judge

from .property import Bench, Fault, Method, Property, hold

__all__ = ["PROPERTIES"]

_CHANNELS = {"aw": ("addr", "prot"), "w": ("data", "strb"), "ar": ("addr", "prot")}


def _bus():
    """AXI4-Lite with any master and any core: order, stability, and no transfer from nothing."""
    unit   = AxiLite()
    inputs = [unit.s_axi_bready, unit.s_axi_rready, unit.request.ready, unit.response.valid,
              unit.response.payload]
    inputs += [getattr(unit, f"s_axi_{channel}{field}") for channel, fields in _CHANNELS.items()
               for field in ("valid", *fields)]

    def count(m, name, more, less):
        number = Signal(4, name=name)
        m.d.sync += number.eq(number + more - less)
        return number

    def fires(channel):
        return (getattr(unit, f"s_axi_{channel}valid") & getattr(unit, f"s_axi_{channel}ready"))

    def build(m):
        m.submodules.unit = unit
        asked = unit.request.valid & unit.request.ready
        open_ = count(m, "open", asked, unit.response.valid)
        writes = count(m, "writes", fires("aw"), fires("b"))
        data   = count(m, "data", fires("w"), fires("b"))
        reads  = count(m, "reads", fires("ar"), fires("r"))
        held = {}
        for name, valid, ready, payload in (
                ("b", unit.s_axi_bvalid, unit.s_axi_bready,
                 Value.cast(unit.s_axi_bresp)),
                ("r", unit.s_axi_rvalid, unit.s_axi_rready, unit.s_axi_rdata),
                ("request", unit.request.valid, unit.request.ready,
                 unit.request.payload.as_value())):
            waits = Signal(name=f"waits_{name}")
            before = Signal(len(payload), name=f"payload_{name}")
            m.d.sync += [waits.eq(valid & ~ready), before.eq(payload)]
            held[name] = ~waits | (valid & (payload == before))
        m.d.comb += [
            Assume(~unit.response.valid | (open_ != 0)),
            *(Assert(rule) for rule in held.values()),
            Assert(~unit.s_axi_bvalid | ((writes != 0) & (data != 0))),
            Assert(~unit.s_axi_rvalid | (reads != 0)),
            Assert(open_ <= 2),
            Cover(fires("b") & (reads != 0)), Cover(fires("r") & (writes != 0))]
    return Bench(inputs, build)


def _strobes():
    """A register changes with its strobe alone, and commands are pulses."""
    unit   = Registers(constants=TINY.capabilities.words(), passes=TINY.passes)
    inputs = [unit.register, unit.register_write, unit.register_data, unit.state,
              unit.status, unit.field, unit.pass_, unit.count, unit.flags]

    def build(m):
        m.submodules.unit = unit
        wrote, first = Signal(4, name="wrote"), Signal.like(unit.first, name="was")
        busy = Signal()
        m.d.sync += [wrote.eq(unit.register_write), first.eq(unit.first),
                     busy.eq(unit.state == State.BUSY)]
        m.d.comb += [
            Assert(wrote[:2].any() | (unit.first == first)),
            Assert(wrote[0] | ~(unit.start | unit.clear | unit.stop)),
            Assert(~(busy & (unit.start | unit.clear))), Assert(busy | ~unit.stop),
            Cover(unit.start), Cover(unit.stop), Cover(unit.first == 5)]
    return Bench(inputs, build)


def _frames():
    """Nothing is executed without a CRC match, a session and a whole frame."""
    unit   = Judge()
    inputs = [unit.begin, unit.size, unit.head.as_value(), unit.valid, unit.broken, unit.refuse]

    def build(m):
        m.submodules.unit = unit
        phase = Signal(2)
        good, head = Signal(), Signal.like(unit.head.as_value(), name="head_before")
        m.d.sync += [phase.eq(Mux(phase != 0, phase - 1, Mux(unit.begin, 2, 0))),
                     head.eq(unit.head)]
        with m.If(phase == 2):
            m.d.sync += good.eq(unit.valid & ~unit.broken)
        m.d.comb += [
            Assume((phase == 0) | (unit.head.as_value() == head)),
            Assert(~unit.executes | (good & (phase == 1) & (unit.head.session == unit.session)
                                     & (unit.head.session != 0))),
            Assert((unit.drops + unit.answers + unit.executes <= 1) | (phase != 1)),
            Cover(unit.executes & (phase == 1)), Cover(unit.drops & (phase == 1))]
    return Bench(inputs, build)


def _zero_ends():
    """A frame has a single zero, its end."""
    unit   = CobsEncoder(depth=1)
    ready  = unit.o.ready
    memory = [Signal(8, name=f"byte{index}") for index in range(2)]
    inputs = [unit.length, ready, *memory]

    def build(m):
        m.submodules.unit = unit
        hold(m, unit.length, *memory)
        started, ended, begun = Signal(), Signal(), Signal()
        found = Signal(8, name="found")
        late  = Signal(8, name="late")
        sent  = unit.o.valid & ready
        with m.Switch(unit.address):
            for index, byte in enumerate(memory):
                with m.Case(index):
                    m.d.sync += found.eq(byte)
        m.d.sync += [late.eq(found), begun.eq(begun | unit.start)]
        m.d.comb += [unit.byte.eq(late), unit.start.eq(~unit.busy & ~started),
                     Assume(unit.length <= 1)]
        with m.If(unit.start):
            m.d.sync += started.eq(1)
        with m.If(sent & started & (unit.o.payload == 0)):
            m.d.sync += ended.eq(1)
        m.d.comb += [Assert(~(started & ended & unit.o.valid)),
                     Assert(~(started & ~unit.busy) | ended), Cover(ended & (unit.length == 1))]
    return Bench(inputs, build)


def _pace():
    """Last steps are at least a drain apart, if none is issued while it is forbidden."""
    unit   = Pace(ways=1)
    inputs = [unit.heap, unit.first, unit.last, unit.closed]

    def build(m):
        m.submodules.unit = unit
        since = Signal(4, init=15)
        m.d.sync += since.eq(Mux(unit.last, 1, Mux(since == 15, 15, since + 1)))
        m.d.comb += [Assume(~unit.last | ~unit.no_last),
                     Assert(~unit.last | (since >= BANKS)),
                     Cover(unit.last & (since == BANKS))]
    return Bench(inputs, build)


def _forget_ready(original):
    """A bus whose answers do not wait for their master."""
    def answer(self, m, taken, is_write):
        original(self, m, taken, is_write)
        return Const(0, 1), Const(0, 1)
    return answer


def _any_strobe(original):
    def field(self, register, name):
        return [(bit, strobe | Const(1, 1)) for bit, strobe in original(self, register, name)]
    return field


def _trust(original):
    def judge(self, m, whole, *rest):
        return original(self, m, Const(1, 1), *rest)
    return judge


def _late_end(original):
    """Fault: an encoder sends a zero for an empty group's count."""
    def elaborate(self, platform):
        m = original(self, platform)
        m.d.comb += self.o.payload.eq(0)
        return m
    return elaborate


PROPERTIES = (
    Property("bus: AXI4-Lite", "The bus keeps order, holds what waits, and answers what was asked",
             _bus, 12, (Fault("an answer does not wait for its master", AxiLite, "_answer",
                              _forget_ready),), Method.PDR),
    Property("registers: strobes", "A register changes with its byte strobe alone; commands are "
             "pulses that the state permits", _strobes, 6,
             (Fault("the strobe is ignored", Registers, "_field", _any_strobe),), Method.PDR),
    Property("link: CRC", "A frame is executed with a matching CRC and session alone", _frames, 8,
             (Fault("the CRC is ignored", Judge, "_judge", _trust),), Method.PDR),
    Property("link: one zero", "A frame of up to 1 byte ends with its only zero", _zero_ends, 26,
             (Fault("a payload is zero", CobsEncoder, "elaborate", _late_end),)),
    Property("pace: last steps", "Last steps lie at least four cycles apart", _pace, 8,
             (Fault("the gap is a cycle short", pace, "BANKS", lambda original: original - 1),),
             method=Method.INDUCTION),
)
