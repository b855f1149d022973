# SPDX-License-Identifier: Apache-2.0
"""AXI4 master: bursts in flight, which a reset or a fault does not lose."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import WIDTHS
from xymac.hdl.limits import check_one_of

from .records import ADDRESS, BEATS_MAX, Burst

__all__ = ["Answer", "Ask", "Bus", "Part", "bus_members"]

_INCR  = 1  # AXI code of a burst with rising addresses
_MOST  = 8  # bursts in flight in each direction

#: A read burst; ``command``: it reads a command, else data of a transfer.
Ask = data.StructLayout({"burst": Burst, "command": 1})


def Part(width):
    """Written-beat layout."""
    return data.StructLayout({"data": width, "mask": width // 8})


def Answer(width):
    """Read-beat layout; ``command`` as in its ``Ask``."""
    return data.StructLayout({"data": width, "command": 1})


def bus_members(width):
    """AXI4 master members with ``width`` data bits, by their standard names."""
    address = {"id": 1, "addr": ADDRESS, "len": 8, "size": 3, "burst": 2}
    channels = {"aw": (Out, address), "w": (Out, {"data": width, "strb": width // 8, "last": 1}),
                "b": (In, {"id": 1, "resp": 2}), "ar": (Out, address),
                "r": (In, {"id": 1, "data": width, "resp": 2, "last": 1})}
    members = {}
    for channel, (flow, fields) in channels.items():
        members[f"m_axi_{channel}valid"] = flow(1)
        members[f"m_axi_{channel}ready"] = (In if flow is Out else Out)(1)
        members |= {f"m_axi_{channel}{name}": flow(shape) for name, shape in fields.items()}
    return members


class Bus(wiring.Component):
    """Send bursts, and count the beats and answers still to come.

    A read keeps its order; up to 8 bursts are in flight in each direction. A write burst sends its
    beats before the next burst starts. The counts, and bursts not accepted yet, survive a reset.
    After a reset, and from the cycle after ``drop`` on, nothing new starts; read beats are taken
    and dropped, and a write burst's missing beats are sent without strobes, until nothing is in
    flight. Latency 1 cycle from a stream to the bus and from an error to ``failed``, none from the
    bus to ``answers`` and ``command_failed``; throughput 1 beat a cycle, honours backpressure.

    Parameters
    ----------
    width : int, data bits: 32, 64 or 128; TypeError unless an int, ValueError otherwise

    Members
    -------
    asks : In(stream of Ask); answers : Out(stream of Answer)
    bursts : In(stream of Burst), writes; parts : In(stream of Part), their beats in order
    drop : In(1), give up everything in flight; idle : Out(1), nothing is in flight
    written : Out(1), every write burst has its answer
    failed : Out(1), a transfer had an error; command_failed : Out(1), a command read had an error
    bus_reset : In(1), the bus has forgotten everything in flight
    m_axi_* : AXI4 master
    """

    def __init__(self, *, width):
        self._width = check_one_of("Width", width, WIDTHS)
        super().__init__(bus_members(width) | {
            "asks": In(stream.Signature(Ask)), "answers": Out(stream.Signature(Answer(width))),
            "bursts": In(stream.Signature(Burst)), "parts": In(stream.Signature(Part(width))),
            "drop": In(1), "idle": Out(1), "written": Out(1), "failed": Out(1),
            "command_failed": Out(1), "bus_reset": In(1)})

    def elaborate(self, platform):
        m = Module()
        blocked = Signal(init=1)  # so the first cycle after a reset starts to drain
        reads, wrong = self._read(m, blocked)
        writes  = self._write(m, blocked, wrong)
        size = exact_log2(self._width // 8)
        m.d.comb += [self.idle.eq(~(reads | writes)), self.written.eq(~writes)]
        m.d.sync += blocked.eq(self.drop | (blocked & ~self.idle))
        for channel in ("ar", "aw"):
            m.d.comb += [getattr(self, f"m_axi_{channel}size").eq(size),
                         getattr(self, f"m_axi_{channel}burst").eq(_INCR)]
        return m

    def _count(self, m, name, more, fewer):
        """An event count that survives a reset."""
        count = Signal(range(_MOST + 1), name=name, reset_less=True)
        m.d.sync += count.eq(Mux(self.bus_reset, 0, count + more - fewer))
        return count

    def _address(self, m, channel, burst, accepted):
        """Register a burst until the bus takes it; returns whether the register is busy."""
        valid, ready = (getattr(self, f"m_axi_{channel}{name}") for name in ("valid", "ready"))
        held = Signal(Burst, name=f"{channel}_held", reset_less=True)
        busy = Signal(name=f"{channel}_busy", reset_less=True)
        with m.If(accepted):
            m.d.sync += held.eq(burst)
        m.d.sync += busy.eq(Mux(self.bus_reset, 0, accepted | (busy & ~ready)))
        m.d.comb += [valid.eq(busy), getattr(self, f"m_axi_{channel}addr").eq(held.address),
                     getattr(self, f"m_axi_{channel}len").eq(held.beats)]
        return busy

    def _read(self, m, blocked):
        """Send read bursts and pass on their beats; returns whether any is in flight, and
        whether a beat of data has an error.
        """
        taken, ended = Signal(name="asked"), Signal(name="answered")
        count = self._count(m, "reads", taken, ended)
        busy  = self._address(m, "ar", self.asks.p.burst, taken)
        kinds = Signal(_MOST, name="kinds")  # of the bursts in flight, the oldest lowest
        beats = self.m_axi_rvalid & self.m_axi_rready
        m.d.comb += [
            self.asks.ready.eq(~busy & (count != _MOST) & ~blocked),
            taken.eq(self.asks.valid & self.asks.ready),
            ended.eq(beats & self.m_axi_rlast),
            self.answers.p.data.eq(self.m_axi_rdata), self.answers.p.command.eq(kinds[0]),
            self.answers.valid.eq(self.m_axi_rvalid & ~blocked),
            self.m_axi_rready.eq(blocked | self.answers.ready),
            self.command_failed.eq(beats & ~blocked & kinds[0] & self.m_axi_rresp[1])]
        place = (count - ended)[:exact_log2(_MOST)]
        rest  = Mux(ended, kinds >> 1, kinds)
        m.d.sync += kinds.eq(rest)
        with m.If(taken):
            m.d.sync += kinds.eq(Cat(Mux(place == at, self.asks.p.command, rest[at])
                                     for at in range(_MOST)))
        return count != 0, beats & ~blocked & ~kinds[0] & self.m_axi_rresp[1]

    def _write(self, m, blocked, wrong):
        """Send write bursts and their beats; returns whether any is in flight.

        ``wrong``: a read has an error.
        """
        taken, answered = Signal(name="write_asked"), Signal(name="write_answered")
        count = self._count(m, "writes", taken, answered)
        busy  = self._address(m, "aw", self.bursts.p, taken)
        owes  = Signal(name="owes", reset_less=True)  # the burst misses parts
        left  = Signal(range(BEATS_MAX), name="left", reset_less=True)  # parts behind the next
        part  = Signal(Part(self._width), reset_less=True)
        full, last = Signal(reset_less=True), Signal(reset_less=True)
        puts = Signal()
        room = ~full | self.m_axi_wready
        m.d.comb += [
            self.bursts.ready.eq(~busy & ~owes & (count != _MOST) & ~blocked),
            taken.eq(self.bursts.valid & self.bursts.ready),
            self.parts.ready.eq(room & owes & ~blocked),
            puts.eq(room & owes & (blocked | self.parts.valid)),
            answered.eq(self.m_axi_bvalid), self.m_axi_bready.eq(1),
            self.m_axi_wvalid.eq(full), self.m_axi_wdata.eq(part.data),
            self.m_axi_wstrb.eq(part.mask), self.m_axi_wlast.eq(last)]
        with m.If(puts):
            m.d.sync += [part.data.eq(self.parts.p.data), last.eq(left == 0),
                         part.mask.eq(Mux(blocked, 0, self.parts.p.mask))]
        with m.If(~owes | puts):
            m.d.sync += left.eq(Mux(owes, left - 1, self.bursts.p.beats))
        m.d.sync += [
            self.failed.eq(wrong | (answered & self.m_axi_bresp[1] & ~blocked)),
            full.eq(Mux(self.bus_reset, 0, puts | (full & ~self.m_axi_wready))),
            owes.eq(Mux(self.bus_reset, 0, taken | (owes & ~(puts & (left == 0)))))]
        return (count != 0) | owes
