"""Issue: make the taps of outputs steps of the array, one a cycle."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.config import SLOTS
from hdl.core.agu import Tap
from hdl.core.hold import Hold
from hdl.core.scale import Mode
from hdl.core.step import HostRead, Stall, Step, ToDrain, ToIssue
from hdl.isa import Encoded, Reduce, Status, reduce_of
from hdl.limits import check_between, check_vendor, check_ways

from .gather import Gather
from .operands import Operands
from .pace import Pace
from .seat import Seat
from .slide import Slide

__all__ = ["Issue"]


class Issue(wiring.Component):
    """Issue one step a cycle while a tap is there and nothing forbids it.

    A new outermost index first reads its records: ``bias_rows`` slots each, at least ``BANKS``
    cycles after the last first step, whose bias the lanes still need. All but the last one, the
    bias, are then handed on by a slot that is first and last step at once. The last steps of two
    outputs, and these slots, are at least ``BANKS`` cycles apart, so that the drain takes one
    result a cycle a column. A pass with ``wait`` holds until the cycle after nothing is unwritten;
    its first records are read meanwhile, unless a ``live`` pass writes Y. A pass that resumes sums
    begins ``Hold.BUSY + 2`` cycles after the last step of the sums before it that are held. A pass
    that ranks or pops keeps its last steps so far apart that the heap takes one element after the
    other. A pass that scales in another way than the one before holds
    ``SWITCH`` cycles, in which scaled sums are late; then ``mode`` changes. Host reads take a slot
    of their own. A faulting access issues nothing; ``fault`` stays until ``flush``. A gather, a
    spread, a cross and a share are issued as a MAC; of a gather the addresses of both
    operands are made of that of X and the lane. Latency 1 cycle from tap to ``o``, throughput 1
    step a cycle; honours backpressure of taps and outputs.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4
    bias_rows : int, rows of Y that a bias takes, 1 .. 3
    vendor : None or "ecp5", see ``carry.SelectAdd``

    TypeError for what is no int, ValueError outside.

    Members
    -------
    slots : In(``SLOTS`` Encoded), each from a cycle before its first output on
    i : In(stream of ToIssue)
    taps : In(stream of Tap)
    host : In(stream of HostRead)
    drain : Out(stream of ToDrain), with the last step of each output, taken at once
    live : In(``SLOTS``), passes that are launched and not written
    unwritten : In(1), an issued output is not written yet
    mode : Out(Mode), of the step at ``o`` and the three behind it
    closed : In(1), the last step of a pass must not come in the next cycle
    starved : In(Stall), the cause while there is no output to work on
    flush : In(1)
    o : Out(Step), every cycle
    stall : Out(Stall), why no step was issued in the cycle before
    pass_issued : Out(1), the last step of a pass was issued this cycle
    fault : Out(Status); slot : Out(slot of the pass at fault)
    """

    SWITCH = Pace.SWITCH

    def __init__(self, *, ways, bias_rows, vendor=None):
        self._ways      = check_ways(ways)
        self._vendor    = check_vendor(vendor)
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        super().__init__({
            "slots": In(data.ArrayLayout(Encoded, SLOTS)),
            "i": In(stream.Signature(ToIssue)),
            "taps": In(stream.Signature(Tap)),
            "host": In(stream.Signature(HostRead)),
            "drain": Out(stream.Signature(ToDrain, always_ready=True)),
            "live": In(SLOTS), "unwritten": In(1), "mode": Out(Mode),
            "closed": In(1), "starved": In(Stall), "flush": In(1),
            "o": Out(Step), "stall": Out(Stall), "pass_issued": Out(1),
            "fault": Out(Status), "slot": Out(range(SLOTS))})

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
        host = Signal(HostRead)  # at hand if asked
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
            self.o.eq(operands.o), self.o.held.eq(hold.o)]
        self._explain(m, seat, asked, stepping)
        self._faults(m, seat)
        return m

    def _prepare(self, m, seat, pace, hold, taken, asked):
        """Tell the seat what holds an output back."""
        m.d.comb += [
            seat.slots.eq(self.slots), seat.live.eq(self.live), seat.taken.eq(taken),
            seat.flush.eq(self.flush), seat.busy.eq(asked), seat.no_read.eq(pace.no_read),
            seat.no_send.eq(pace.no_send), seat.unwritten.eq(self.unwritten),
            seat.holding.eq(hold.busy), seat.settled.eq(pace.settled), self.mode.eq(seat.mode)]

    def _follow(self, m, seat, gather, slide, stepping):
        """Let gather and slide follow the outputs and their steps."""
        offered = self.i.p
        m.d.comb += [
            gather.seat.eq(self.i.ready & self.i.valid), gather.gathers.eq(offered.gather),
            gather.first.eq(offered.first), gather.last.eq(offered.last), gather.z.eq(offered.z),
            gather.beats.eq(seat.config.beats), gather.tag.eq(self.taps.p.last),
            gather.step.eq(stepping), gather.flush.eq(self.flush),
            slide.output.eq(seat.current), slide.step.eq(stepping), slide.ends.eq(gather.ends),
            slide.flush.eq(self.flush)]

    def _drain(self, m, seat, gather, hold, last, taken):
        """Announce the sums that a last step finishes, or take them to their entry."""
        current, config = seat.current, seat.config
        m.d.comb += [
            self.drain.valid.eq(last), self.drain.p.relative.eq(gather.target),
            self.drain.p.slot.eq(current.slot), self.drain.p.beats.eq(gather.count),
            self.drain.p.hold.eq(current.hold),
            self.drain.p.last.eq(self.taps.p.last & current.last),
            self.pass_issued.eq(taken & current.last),
            hold.start.eq(last & current.hold), hold.shift.eq(config.shift),
            hold.rounding.eq(config.rounding), hold.acc_range.eq(config.acc_range),
            hold.entry.eq(current.entry)]

    def _pace(self, m, seat, pace, gather, last, first):
        """Tell the pace what is issued, and what else a last step waits for."""
        current = seat.current
        m.d.comb += [
            pace.heap.eq(seat.config.ranks & (reduce_of(seat.config) != Reduce.RANGE)),
            pace.last.eq(last), pace.first.eq(first),
            # Of a gather the last output may come, and go, in a single cycle.
            pace.closed.eq(self.closed & (current.last | seat.vacant | gather.active))]

    def _explain(self, m, seat, asked, stepping):
        """Name the one cause of a cycle without a step, a cycle late.

        What it would be without a step is judged apart from whether there is one.
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
        """Latch the first fault in program order; a pass that waits is judged when it may run.

        What is at fault never steps and stays in the way of all that follows, until ``flush``.
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
            m.d.sync += [self.fault.eq(found), self.slot.eq(current.slot)]
        with m.If(self.flush):
            m.d.sync += self.fault.eq(Status.OK)
