# SPDX-License-Identifier: Apache-2.0
"""Issue: turn the taps of outputs into steps of the MAC array, a step a cycle."""

from amaranth import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.config import SLOTS
from xymac.hdl.core.agu import Tap
from xymac.hdl.core.hold import Hold
from xymac.hdl.core.scale import Mode
from xymac.hdl.core.step import HostRead, Stall, Step, ToDrain, ToIssue
from xymac.hdl.isa import Encoded, Reduce, Status, reduce_of
from xymac.hdl.limits import check_between, check_vendor, check_ways

from .gather import Gather
from .operands import Operands
from .pace import Pace
from .seat import Seat
from .slide import Slide

__all__ = ["Issue"]


class Issue(wiring.Component):
    """Issue a step in every cycle with a tap and no hazard.

    Records: each new outermost index first reads its records, a row a cycle, ``bias_rows`` rows
    per record. Reading starts at least ``BANKS`` cycles after the previous first step, because the
    lanes still use its bias. Every record except the bias is then sent on in a slot marked as both
    first and last step.

    Spacing: last steps and these slots are at least ``BANKS`` cycles apart, so the drain takes 1
    result a cycle per column. ``RANK`` and ``POP`` passes use a larger distance, the time the heap
    needs for an element. Host reads use slots of their own.

    Hazards: a pass with ``wait`` starts in the cycle after all issued outputs are written. Its
    first records are read meanwhile, or from this cycle on if another ``live`` pass writes Y. With
    ``resume``, a pass starts ``Hold.BUSY + 2`` cycles after the last step of earlier saved sums. A
    pass with another ``Scale`` mode waits ``SWITCH`` cycles for late scaled sums; then ``mode``
    changes. A faulting access issues nothing; ``issue_fault`` stays until ``flush``.

    Gather, spread, cross and share steps are issued as MAC steps; a gather derives both operand
    addresses from the X address and the lane. Latency 1 cycle from tap to ``step``, throughput 1
    step a cycle; honours backpressure of taps and outputs.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4
    bias_rows : int, Y rows of a bias, 1 .. 3
    vendor : None or "ecp5", see ``carry.SelectAdd``

    TypeError unless an int, ValueError outside the range.

    Members
    -------
    coming : In(Encoded), loading : In(``SLOTS``), a pass and the slot that stores it, see ``Seat``
    i : In(stream of ToIssue)
    taps : In(stream of Tap)
    host : In(stream of HostRead)
    drain : Out(stream of ToDrain), with the last step of each output, always ready
    live : In(``SLOTS``), passes launched and not written
    unwritten : In(1), an issued output is not written yet
    mode : Out(Mode), for ``step`` and the three steps behind it
    closed : In(1), the last step of a pass must not issue in the next cycle
    starved : In(Stall), the stall cause while issue has no output
    flush : In(1), discard the current output and the fault
    step : Out(Step), a slot every cycle
    stall : Out(Stall), the cause if the previous cycle issued no step
    pass_issued : Out(1), this cycle issues the last step of a pass; issued_slot : Out(slot), the
        current pass
    issue_fault : Out(Status), the first fault; issue_slot : Out(slot), its pass
    """

    SWITCH = Pace.SWITCH

    def __init__(self, *, ways, bias_rows, vendor=None):
        self._ways      = check_ways(ways)
        self._vendor    = check_vendor(vendor)
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS),
            "i": In(stream.Signature(ToIssue)),
            "taps": In(stream.Signature(Tap)),
            "host": In(stream.Signature(HostRead)),
            "drain": Out(stream.Signature(ToDrain, always_ready=True)),
            "live": In(SLOTS), "unwritten": In(1), "mode": Out(Mode),
            "closed": In(1), "starved": In(Stall), "flush": In(1),
            "step": Out(Step), "stall": Out(Stall), "pass_issued": Out(1),
            "issued_slot": Out(range(SLOTS)), "issue_fault": Out(Status),
            "issue_slot": Out(range(SLOTS))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.seat = seat = Seat(bias_rows=self._bias_rows, vendor=self._vendor)
        m.submodules.pace = pace = Pace(ways=self._ways)
        m.submodules.gather = gather = Gather(ways=self._ways)
        m.submodules.slide = slide = Slide()
        m.submodules.hold = hold = Hold()
        m.submodules.operands = operands = Operands(ways=self._ways)
        stepping, last, taken, asked = (Signal(name=name) for name in (
            "stepping", "last", "taken", "asked"))
        host = Signal(HostRead)  # valid if asked
        tap  = self.taps.p
        wiring.connect(m, wiring.flipped(self.i), seat.i)
        m.d.comb += [
            stepping.eq(seat.run & ~asked & self.taps.valid
                        & ~(tap.x.bad & ~seat.current.blank) & ~tap.y.bad
                        & ~(gather.ends & pace.no_last)),
            last.eq(stepping & gather.ends), taken.eq(stepping & tap.last),
            self.taps.ready.eq(stepping), self.host.ready.eq(~asked)]
        m.d.sync += asked.eq(self.host.valid & self.host.ready)
        with m.If(self.host.ready):
            m.d.sync += host.eq(self.host.p)
        self._prepare(m, seat, pace, hold, taken, asked)
        self._follow(m, seat, gather, slide, stepping)
        self._drain(m, seat, gather, hold, last, taken)
        self._pace(m, seat, pace, gather, last | seat.send,
                   (stepping & slide.o.begin) | seat.send)
        m.d.comb += [
            operands.config.eq(seat.config), operands.entry.eq(seat.current.entry),
            operands.x.eq(tap.x.address), operands.y.eq(tap.y.address),
            operands.gathers.eq(gather.active), operands.lane.eq(gather.lane),
            operands.slid.eq(slide.o), operands.slides.eq(seat.current.slide),
            operands.last.eq(gather.ends), operands.anew.eq(slide.fresh & seat.current.first),
            operands.step.eq(stepping), operands.asked.eq(asked), operands.host.eq(host),
            operands.prepare.eq(seat.prepare), operands.read.eq(seat.read),
            operands.send.eq(seat.send), operands.sent.eq(seat.sent), operands.row.eq(seat.row),
            self.step.eq(operands.o), self.step.held.eq(hold.o)]
        self._explain(m, seat, asked, stepping)
        self._faults(m, seat)
        return m

    def _prepare(self, m, seat, pace, hold, taken, asked):
        """Connect the seat to the conditions for an output to run."""
        m.d.comb += [
            seat.coming.eq(self.coming), seat.loading.eq(self.loading),
            seat.live.eq(self.live), seat.taken.eq(taken), seat.flush.eq(self.flush),
            seat.busy.eq(asked), seat.no_read.eq(pace.no_read), seat.no_send.eq(pace.no_send),
            seat.unwritten.eq(self.unwritten), seat.holding.eq(hold.busy),
            seat.settled.eq(pace.settled), self.mode.eq(seat.mode)]

    def _follow(self, m, seat, gather, slide, stepping):
        """Connect gather and slide to the accepted outputs and issued steps."""
        offered = self.i.p
        m.d.comb += [
            gather.seat.eq(self.i.ready & self.i.valid), gather.gathers.eq(offered.gather),
            gather.first.eq(offered.first), gather.last.eq(offered.last), gather.z.eq(offered.z),
            gather.beats.eq(seat.config.beats), gather.tag.eq(self.taps.p.last),
            gather.step.eq(stepping), gather.flush.eq(self.flush),
            slide.output.eq(seat.current), slide.step.eq(stepping), slide.ends.eq(gather.ends),
            slide.flush.eq(self.flush)]

    def _drain(self, m, seat, gather, hold, last, taken):
        """Announce the sums of a last step to the drain, or save them in their entry."""
        current, config = seat.current, seat.config
        m.d.comb += [
            self.drain.valid.eq(last), self.drain.p.relative.eq(gather.target),
            self.drain.p.slot.eq(current.slot), self.drain.p.beats.eq(gather.count),
            self.drain.p.hold.eq(current.hold),
            self.drain.p.last.eq(self.taps.p.last & current.last),
            self.pass_issued.eq(taken & current.last), self.issued_slot.eq(current.slot),
            hold.start.eq(last & current.hold), hold.shift.eq(config.shift),
            hold.rounding.eq(config.rounding), hold.acc_range.eq(config.acc_range),
            hold.entry.eq(current.entry)]

    def _pace(self, m, seat, pace, gather, last, first):
        """Connect the pace to the issued slots and to the other limits on last steps."""
        current = seat.current
        m.d.comb += [
            pace.heap.eq(seat.config.ranks & (reduce_of(seat.config) != Reduce.RANGE)),
            pace.last.eq(last), pace.first.eq(first),
            # The last output of a gather may arrive and finish in a single cycle.
            pace.closed.eq(self.closed & (current.last | seat.vacant | gather.active))]

    def _explain(self, m, seat, asked, stepping):
        """Report the cause of a cycle without a step, a cycle late.

        The cause and the presence of a step are registered separately, for timing.
        """
        stepped, cause = Signal(name="stepped"), Signal(Stall, name="cause")
        m.d.comb += self.stall.eq(Mux(stepped, Stall.NONE, cause))
        m.d.sync += [stepped.eq(stepping), cause.eq(Stall.DRAIN)]
        with m.If(asked):
            m.d.sync += cause.eq(Stall.HOST)
        with m.Elif(seat.vacant):
            m.d.sync += cause.eq(self.starved)
        with m.Elif(seat.prepare):
            m.d.sync += cause.eq(Mux(seat.waits, Stall.DRAIN, Stall.Y))
        with m.Elif(~self.taps.valid):  # the addresses of X come with those of Y
            m.d.sync += cause.eq(Stall.Y)

    def _faults(self, m, seat):
        """Latch the first fault in program order; a waiting pass is checked once it may run.

        The faulting output issues no step and blocks all later outputs until ``flush``.
        """
        current, found = seat.current, Signal(Status, name="found")
        tap = self.taps
        with m.If(seat.prepare & ~seat.waits & seat.doomed):
            m.d.comb += found.eq(Mux(current.empty, Status.EMPTY, Status.Y_ACCESS))
        with m.Elif(seat.run & tap.valid & tap.p.x.bad & ~current.blank):
            m.d.comb += found.eq(Status.X_ACCESS)
        with m.Elif(seat.run & tap.valid & tap.p.y.bad):
            m.d.comb += found.eq(Status.Y_ACCESS)
        with m.If(found != Status.OK):
            m.d.sync += [self.issue_fault.eq(found), self.issue_slot.eq(current.slot)]
        with m.If(self.flush):
            m.d.sync += self.issue_fault.eq(Status.OK)
