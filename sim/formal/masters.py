# SPDX-License-Identifier: Apache-2.0
"""DMA bus master properties: no burst, beat or answer is lost."""

from amaranth import Cat, Mux, Signal
from amaranth.hdl import Assert, Assume, Cover

from xymac.hdl.dma.bus import Bus

from .follow import follow
from .property import Bench, Fault, Method, Property

__all__ = ["PROPERTIES"]

_MOST = 8   # bursts in flight in a direction


class _Flight:
    """The lengths of bursts in flight, the oldest first, and the oldest burst's beats."""

    def __init__(self, m, name, put, length, kind, beat, last):
        self.count = Signal(range(_MOST + 2), name=f"{name}_count")
        self.beats = Signal(4, name=f"{name}_beats")
        rows = [Signal(5, name=f"{name}_{place}") for place in range(_MOST)]
        self.length, self.kind = rows[0][:4], rows[0][4]
        self.last = self.beats == self.length
        goes  = beat & last
        after = self.count - goes
        m.d.sync += [self.count.eq(after + put), self.beats.eq(Mux(goes, 0, self.beats + beat))]
        for place, row in enumerate(rows):
            moved = rows[place + 1] if place + 1 < _MOST else 0
            m.d.sync += row.eq(Mux(put & (after == place), Cat(length, kind), Mux(
                goes, moved, row)))
        m.d.comb += Assert(self.count <= _MOST)


def _bus_inputs(unit):
    inputs = [getattr(unit, name) for name, member in unit.signature.members.items()
              if name.startswith("m_axi_") and str(member.flow) == "In"]
    return [*inputs, unit.asks.valid, unit.asks.payload, unit.answers.ready, unit.bursts.valid,
            unit.bursts.payload, unit.parts.valid, unit.parts.payload, unit.drop]


def _blocked(m, unit):
    """Whether the bus gives up: after the start, and after a drop, until nothing is in flight."""
    gives_up = Signal(name="giving_up", init=1)
    m.d.sync += gives_up.eq(unit.drop | (gives_up & ~unit.idle))
    return gives_up


def _fires(unit, channel):
    return (getattr(unit, f"m_axi_{channel}valid") & getattr(unit, f"m_axi_{channel}ready"))


def _stable(m, unit, channel, *fields):
    payload = Cat(getattr(unit, f"m_axi_{channel}{name}") for name in fields)
    waits, before = Signal(name=f"{channel}_waits"), Signal(len(payload), name=f"{channel}_before")
    valid = getattr(unit, f"m_axi_{channel}valid")
    m.d.sync += [waits.eq(valid & ~getattr(unit, f"m_axi_{channel}ready")), before.eq(payload)]
    m.d.comb += Assert(~waits | (valid & (payload == before)))


def _read_bursts():
    """Read bursts: each is sent once; its beats arrive, with its kind, unless they are given up."""
    unit, arm = Bus(width=32), Signal(name="arm")

    def build(m):
        m.submodules.unit = unit
        blocked = _blocked(m, unit)
        asked, beat = unit.asks.valid & unit.asks.ready, _fires(unit, "r")
        burst = unit.asks.p.burst
        flight = _Flight(m, "asked", asked, burst.beats, unit.asks.p.command, beat,
                         unit.m_axi_rlast)
        sent = Signal(range(_MOST + 2), name="sent")  # accepted by the bus, not yet answered
        m.d.sync += sent.eq(sent + _fires(unit, "ar") - (beat & unit.m_axi_rlast))
        m.d.comb += [
            unit.bus_reset.eq(0), Assume(~unit.m_axi_rvalid | (sent != 0)),
            Assume(~unit.m_axi_rvalid | (unit.m_axi_rlast == flight.last)),
            Assert(~(blocked & asked)), Assert(~unit.idle | (flight.count == 0)),
            Assert((unit.answers.valid & unit.answers.ready) == (beat & ~blocked)),
            Assert(~unit.answers.valid | ((unit.answers.p.command == flight.kind) & (
                unit.answers.p.data == unit.m_axi_rdata))),
            Assert(unit.command_failed == (beat & ~blocked & flight.kind & unit.m_axi_rresp[1])),
            Cover(beat & unit.m_axi_rlast & (flight.count == 3) & flight.kind & ~blocked),
            Cover(beat & blocked)]
        follow(m, asked, burst.address[4:6], _fires(unit, "ar"), unit.m_axi_araddr[4:6], most=1,
               arm=arm)
        _stable(m, unit, "ar", "addr", "len")
    return Bench([*_bus_inputs(unit), arm], build)


def _write_bursts():
    """Write bursts: each is sent once, with as many beats as it has; each part is sent once."""
    unit, arm = Bus(width=32), Signal(name="arm")

    def build(m):
        m.submodules.unit = unit
        blocked = _blocked(m, unit)
        taken, beat = unit.bursts.valid & unit.bursts.ready, _fires(unit, "w")
        flight = _Flight(m, "writes", taken, unit.bursts.p.beats, 0, beat,
                         unit.m_axi_wlast)
        open_, sent, whole = (Signal(range(_MOST + 2), name=name)
                              for name in ("open", "sent", "whole"))
        answered = _fires(unit, "b")
        m.d.sync += [open_.eq(open_ + taken - answered),
                     sent.eq(sent + _fires(unit, "aw") - answered),
                     whole.eq(whole + (beat & unit.m_axi_wlast) - answered)]
        part = unit.parts.valid & unit.parts.ready
        dropped = Signal(name="dropped")  # beats without strobes are not parts
        m.d.sync += dropped.eq(dropped | blocked & (flight.count != 0))
        m.d.comb += [
            unit.bus_reset.eq(0), Assume(~unit.m_axi_bvalid | ((sent != 0) & (whole != 0))),
            Assume(~unit.parts.valid | unit.parts.p.mask.all()),
            Assert(~(blocked & (taken | part))), Assert(open_ <= _MOST),
            Assert(unit.written == (open_ == 0)),
            Assert(~unit.idle | ((open_ == 0) & (flight.count == 0))),
            Assert(~beat | ((flight.count != 0) & (unit.m_axi_wlast == flight.last))),
            Assert(~beat | unit.m_axi_wstrb.all() | (dropped & ~unit.m_axi_wstrb.any())),
            Cover(beat & unit.m_axi_wlast & (flight.length == 2)),
            Cover(beat & ~unit.m_axi_wstrb.any() & unit.m_axi_wlast)]
        follow(m, part, unit.parts.p.data[:2], beat & unit.m_axi_wstrb[0], unit.m_axi_wdata[:2],
               most=1, arm=arm)
        _stable(m, unit, "aw", "addr", "len")
        _stable(m, unit, "w", "data", "strb", "last")
    return Bench([*_bus_inputs(unit), arm], build)


def _lost_part(original):
    """Fault: a bus drops a beat when its register is full."""
    def write(self, m, blocked, wrong):
        result = original(self, m, blocked, wrong)
        m.d.comb += self.parts.ready.eq(~blocked)
        return result
    return write


def _no_kind(original):
    def read(self, m, blocked):
        result = original(self, m, blocked)
        m.d.comb += self.answers.p.command.eq(self.asks.p.command)
        return result
    return read


PROPERTIES = (
    Property("master: read bursts", "Each read burst is sent once; each of its beats arrives once "
             "with its kind, or is given up; at most 8 are in flight, idle means none",
             _read_bursts, 16,
             (Fault("a beat has the kind of another burst", Bus, "_read", _no_kind),), Method.PDR),
    Property("master: write bursts", "Each write burst is sent once, with as many beats as it has "
             "and a last mark; each part is sent once, or beats without strobes after a drop; "
             "written and idle mean that every answer has come", _write_bursts, 14,
             (Fault("a beat is lost", Bus, "_write", _lost_part),), Method.PDR),
)
