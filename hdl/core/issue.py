"""Issue: join the addresses of X and Y into one step of the array a cycle."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import pick
from hdl.config import SLOTS
from hdl.isa import BANKS, Encoded, Memory, Op, Reduce, Status, reduce_of
from hdl.limits import check_between, check_ways

from .agu import Mapped
from .gather import Gather
from .hold import Hold
from .output import OutputStage
from .reduction import Heap
from .scale import Mode, ScaleUnit, mode_of
from .slide import Slide
from .step import HostRead, Kind, Stall, Step, ToDrain
from .walker import Output

__all__ = ["Issue"]


class Issue(wiring.Component):
    """Issue one step a cycle while both addresses are there and nothing forbids it.

    A new outermost index first reads its records: ``bias_rows`` slots each, at least ``BANKS``
    cycles after the last first step, whose bias the lanes still need. All but the last one, the
    bias, are then handed on by a slot that is first and last step at once. The last steps of two
    outputs, and these slots, are at least ``BANKS`` cycles apart, so that the drain takes one
    result a cycle a column. A pass with ``wait`` holds until the cycle after nothing is unwritten;
    its first records are read meanwhile, unless a ``live`` pass writes Y. A pass that resumes sums
    holds until the last one is held, ``|shift| + 4`` cycles after its last step; a pass that holds
    keeps its last steps nearly as far apart, and one that ranks or pops so far that the heap takes
    one element after the other. A pass that scales in another way than the one before holds
    ``SWITCH`` cycles, in which scaled sums are late; then ``mode`` changes. Host reads take a slot
    of their own. A faulting access issues nothing; ``fault`` stays until ``flush``. A gather, a
    spread, a cross and a share are issued as a MAC; of a gather the addresses of both
    operands are made of that of X and the lane. Latency 1 cycle from address to ``o``, throughput 1
    step a cycle; honours backpressure of the drain by ``room``.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4
    bias_rows : int, rows of Y that a bias takes, 1 .. 3

    TypeError for what is no int, ValueError outside.

    Members
    -------
    slots : In(``SLOTS`` Encoded), each from a cycle before its first output on
    i : In(stream of Output)
    x, y : In(streams of Agu addresses)
    host : In(stream of HostRead)
    drain : Out(stream of ToDrain), with the last step of each output, taken at once
    room : In(1), two more can be taken: its fall is heeded a cycle late
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

    #: What scaled sums take longer, so that none is overtaken.
    SWITCH = ScaleUnit.LATENCY - OutputStage.PRODUCT + 1

    def __init__(self, *, ways, bias_rows):
        self._ways      = check_ways(ways)
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        super().__init__({
            "slots": In(data.ArrayLayout(Encoded, SLOTS)),
            "i": In(stream.Signature(Output)),
            "x": In(stream.Signature(Mapped(1))),
            "y": In(stream.Signature(Mapped(1))),
            "host": In(stream.Signature(HostRead)),
            "drain": Out(stream.Signature(ToDrain, always_ready=True)), "room": In(1),
            "live": In(SLOTS), "unwritten": In(1), "mode": Out(Mode),
            "closed": In(1), "starved": In(Stall), "flush": In(1),
            "o": Out(Step), "stall": Out(Stall), "pass_issued": Out(1),
            "fault": Out(Status), "slot": Out(range(SLOTS))})

    def elaborate(self, platform):
        m = Module()
        self._current = Signal(Output)
        self._issued  = Signal(Step)     # all of it but what is held
        self._vacant  = Signal(init=1)   # no output at hand
        self._prepare = Signal()         # it waits, or its bias is to be read
        self._run     = Signal()         # nothing but its addresses is missing
        self._wait    = Signal()         # it begins a pass that waits for what is written
        self._switch  = Signal()         # it begins a pass that waits for another mode
        self._resume  = Signal()         # it begins a pass that waits for what is held
        self._hold    = Signal()         # its sums are held
        self._doomed  = Signal()         # it cannot run: no tap is left, or its bias lies beyond Y
        self._holding = Signal()         # a sum is on its way to its entry
        self._held_up = Signal()         # and the next one must not end yet
        self._fresh   = Signal(init=1)   # the next step is the first of its output
        self._slides  = slide = Slide()
        self._bias    = Signal(range(self._bias_rows + 1))  # rows left of the record at hand
        self._row     = Signal(unsigned(16))
        self._records = Signal(2)        # records left before the bias
        self._send    = Signal()         # one is read and to be handed on
        self._sent    = Signal()         # the first of them was
        self._host    = Signal(self.host.payload.shape())
        self._asked   = Signal()         # a host read is at hand
        self._no_last = Signal()         # a last step must not go
        self._stepping, self._biasing, self._last = Signal(), Signal(), Signal()
        self._sending   = Signal()
        self._taken     = Signal()         # the last step of an output of the walker is issued
        self._first_gap = Signal(range(BANKS))
        self._ranking   = max(Heap.POP, self._ways * Heap.CYCLES)  # from one output to the next
        self._last_gap  = Signal(range(self._ranking))
        self._since     = Signal(range(self.SWITCH + 1), init=self.SWITCH)  # the last step
        m.submodules.gather = self._gather = Gather(ways=self._ways)
        config = Signal(Encoded, reset_less=True)  # of the output at hand
        with m.If(self.i.ready):
            m.d.sync += config.eq(pick(self.slots, self.i.p.slot))
        self._decide(m, config)
        self._seat(m, config)
        self._pace(m, config)
        self._keep(m, config)
        m.submodules.slide = slide
        m.d.comb += [
            slide.output.eq(self._current), slide.fresh.eq(self._fresh), slide.flush.eq(self.flush),
            slide.step.eq(self._stepping), slide.ends.eq(self._gather.ends)]
        self._operands(m, config)
        self._explain(m)
        self._faults(m)
        return m

    def _decide(self, m, config):
        """What this cycle issues; registers hold everything that takes thought."""
        current, gather, offered = self._current, self._gather, self.i.p
        m.d.comb += [
            self._stepping.eq(self._run & ~self._asked & self.x.valid & self.y.valid
                              & ~(self.x.p.bad & ~self._current.blank) & ~self.y.p.bad
                              & ~(gather.ends & self._no_last)),
            self._last.eq(self._stepping & gather.ends),
            self._taken.eq(self._stepping & self.x.p.tag),
            self.x.ready.eq(self._stepping), self.y.ready.eq(self._stepping),
            self.drain.valid.eq(self._last),
            self.drain.p.relative.eq(gather.target), self.drain.p.slot.eq(current.slot),
            self.drain.p.beats.eq(gather.count), self.drain.p.hold.eq(self._hold),
            self.drain.p.last.eq(self.x.p.tag & current.last),
            self.pass_issued.eq(self._taken & current.last),
            self.i.ready.eq(self._vacant | self._taken),
            gather.seat.eq(self.i.ready & self.i.valid), gather.gathers.eq(offered.gather),
            gather.first.eq(offered.first), gather.last.eq(offered.last), gather.z.eq(offered.z),
            gather.beats.eq(config.beats), gather.tag.eq(self.x.p.tag),
            gather.step.eq(self._stepping), gather.flush.eq(self.flush),
            self.host.ready.eq(~self._asked),
        ]
        m.d.sync += self._asked.eq(self.host.valid & self.host.ready)
        with m.If(self.host.ready):
            m.d.sync += self._host.eq(self.host.p)

    def _seat(self, m, config):
        """Take the next output when the one at hand has issued its last step; prepare it."""
        offered = self.i.p
        bad     = offered.bias & offered.bias_bad
        differs = Signal(SLOTS)
        for bit, slot in zip(differs, self.slots, strict=True):
            m.d.sync += bit.eq(mode_of(slot) != self.mode.as_value())
        switches = offered.first & differs.bit_select(offered.slot, 1)
        idle     = offered.bias | offered.empty | offered.wait | offered.resume | switches
        with m.If(self.i.ready):
            m.d.sync += [
                self._vacant.eq(~self.i.valid), self._current.eq(offered),
                self._prepare.eq(self.i.valid & idle), self._run.eq(self.i.valid & ~idle),
                self._wait.eq(offered.wait), self._resume.eq(offered.resume),
                self._hold.eq(offered.hold), self._doomed.eq(offered.empty | bad),
                self._bias.eq(Mux(offered.bias, self._bias_rows, 0)),
                self._row.eq(offered.bias_row), self._switch.eq(switches), self._send.eq(0),
                self._sent.eq(0), self._records.eq(offered.records),
            ]
        with m.If(self._prepare & ~self.unwritten):
            m.d.sync += self._wait.eq(0)
        with m.If(self._prepare & ~self._holding):
            m.d.sync += self._resume.eq(0)
        waits = self._wait & self.unwritten
        with m.If(self._prepare & (self._since == self.SWITCH)):
            m.d.sync += [self._switch.eq(0), self.mode.eq(mode_of(config))]
        in_y, others = Signal(SLOTS), Signal(SLOTS)  # passes that write Y
        m.d.sync += in_y.eq(self.live & Cat(slot.z_memory == Memory.Y for slot in self.slots))
        m.d.comb += others.eq(in_y & ~(1 << self._current.slot))
        ready = (self._prepare & ~(waits & others.any()) & ~self._switch & ~self._doomed)
        read  = self._biasing & (self._bias == 1)
        with m.If(ready & ~self._send & (self._records == 0) & ((self._bias == 0) | read)
                  & ~waits & ~(self._resume & self._holding)):
            m.d.sync += [self._prepare.eq(0), self._run.eq(1)]
        m.d.comb += [
            self._biasing.eq(ready & (self._bias != 0) & ~self._send & (self._first_gap == 0)
                             & ~self._asked),
            self._sending.eq(self._prepare & self._send & (self._last_gap == 0) & ~self._asked)]
        with m.If(self._biasing):
            m.d.sync += [self._bias.eq(self._bias - 1), self._row.eq(self._row + 1),
                         self._send.eq(read & (self._records != 0))]
        with m.If(self._sending):
            m.d.sync += [self._send.eq(0), self._sent.eq(1), self._bias.eq(self._bias_rows),
                         self._records.eq(self._records - 1)]

    def _pace(self, m, config):
        """Keep last steps apart for the drain or the heap, and the next bias behind the last first
        step."""
        last_gap = self._last_gap
        heap     = config.ranks & (reduce_of(config) != Reduce.RANGE)
        apart    = Mux(heap, self._ranking - 1, BANKS - 1)
        last     = self._last | self._sending
        m.d.sync += [
            last_gap.eq(Mux(last, apart, Mux(last_gap == 0, 0, last_gap - 1))),
            self._no_last.eq(last | (last_gap > 1) | ~self.room | (self._held_up & self._hold)
                             # Of a gather the last output may come, and go, in a single cycle.
                             | (self.closed & (self._current.last | self._vacant
                                                   | self._gather.active))),
            self._first_gap.eq(Mux((self._stepping & self._slides.begin) | self._sending, BANKS - 1,
                                   Mux(self._first_gap == 0, 0, self._first_gap - 1))),
        ]
        with m.If(self._stepping):
            m.d.sync += self._fresh.eq(self._gather.ends)
        with m.If(last):
            m.d.sync += self._since.eq(0)
        with m.Elif(self._since != self.SWITCH):
            m.d.sync += self._since.eq(self._since + 1)

    def _keep(self, m, config):
        """Take the sums of an output to their entry."""
        m.submodules.hold = hold = Hold()
        m.d.comb += [
            hold.start.eq(self._last & self._hold), hold.shift.eq(config.shift),
            hold.rounding.eq(config.rounding), hold.acc_range.eq(config.acc_range),
            hold.entry.eq(self._current.entry),
            self._holding.eq(hold.busy), self._held_up.eq(hold.occupied)]
        m.d.comb += [self.o.eq(self._issued), self.o.held.eq(hold.o)]

    def _operands(self, m, config):
        """Register the slot: a step, a row of a record or what it held, a host read, or nothing."""
        slide = self._slides
        o, gather, bits = self._issued, self._gather, exact_log2(self._ways)
        m.d.sync += [
            o.kind.eq(Kind.NONE),
            o.x.eq(Mux(gather.active, self.x.p.address >> bits, self.x.p.address)),
            o.y.eq(Mux(gather.active, Cat(self.x.p.address[:bits], gather.lane,
                                          self.y.p.address[bits + len(gather.lane):]),
                       self.y.p.address)),
            o.x_lanes.eq(config.x_shape), o.y_lanes.eq(config.y_shape),
            o.x_crossed.eq(config.op == Op.CROSS),
            o.x_wide.eq(config.x_width), o.y_wide.eq(config.y_width),
            o.first.eq(slide.begin), o.slides.eq(self._current.slide), o.ways.eq(slide.ways),
            o.place.eq(slide.place), o.rows.eq(slide.rows), o.last.eq(gather.ends),
            o.resume.eq(config.resume), o.entry.eq(self._current.entry),
            o.op.eq(Mux(config.op.as_value()[2:].any(), Op.MAC, config.op)),
            o.ranges.eq(reduce_of(config) == Reduce.RANGE),
            o.anew.eq(self._fresh & self._current.first & config.fresh),
            o.biased.eq(config.bias), o.lane.eq(self._host.lane), o.x_zero.eq(config.x_zero),
        ]
        with m.If(self._asked):
            m.d.sync += [o.kind.eq(Mux(self._host.y, Kind.HOST_Y, Kind.HOST_X)),
                         o.x.eq(self._host.address), o.y.eq(self._host.address),
                         o.x_lanes.eq(0), o.x_crossed.eq(0), o.y_lanes.eq(1),
                         o.x_wide.eq(1), o.y_wide.eq(1), o.x_zero.eq(0)]
        with m.Elif(self._prepare):
            m.d.sync += [o.kind.eq(Mux(self._sending, Mux(self._sent, Kind.ADDEND, Kind.SCALE),
                                       Mux(self._biasing, Kind.BIAS, Kind.NONE))),
                         o.y.eq(self._row), o.y_lanes.eq(0), o.y_wide.eq(1),
                         o.first.eq(1), o.last.eq(1), o.op.eq(Op.MAC)]
        with m.Elif(self._stepping):
            m.d.sync += o.kind.eq(Kind.STEP)

    def _explain(self, m):
        """Name the one cause of a cycle without a step, a cycle late.

        What it would be without a step is judged apart from whether there is one.
        """
        stepped, cause = Signal(), Signal(Stall)
        m.d.comb += self.stall.eq(Mux(stepped, Stall.NONE, cause))
        m.d.sync += [stepped.eq(self._stepping), cause.eq(Stall.DRAIN)]
        with m.If(self._asked):
            m.d.sync += cause.eq(Stall.HOST)
        with m.Elif(self._vacant):
            m.d.sync += cause.eq(self.starved)
        with m.Elif(self._prepare):
            m.d.sync += cause.eq(Mux(self._wait | self._switch, Stall.DRAIN, Stall.Y))
        with m.Elif(~self.y.valid):
            m.d.sync += cause.eq(Stall.Y)
        with m.Elif(~self.x.valid):
            m.d.sync += cause.eq(Stall.X)

    def _faults(self, m):
        """Latch the first fault in program order; a pass that waits is judged when it may run.

        What is at fault never steps and stays in the way of all that follows, until ``flush``.
        """
        current, found = self._current, Signal(Status)
        with m.If(self._prepare & ~self._wait & ~self._switch & self._doomed):
            m.d.comb += found.eq(Mux(current.empty, Status.EMPTY, Status.Y_ACCESS))
        with m.Elif(self._run & self.x.valid & self.x.p.bad & ~current.blank):
            m.d.comb += found.eq(Status.X_ACCESS)
        with m.Elif(self._run & self.x.valid & self.y.valid & self.y.p.bad):
            m.d.comb += found.eq(Status.Y_ACCESS)
        with m.If(found != Status.OK):
            m.d.sync += [self.fault.eq(found), self.slot.eq(current.slot)]
        with m.If(self.flush):
            m.d.sync += [self.fault.eq(Status.OK), self._prepare.eq(0), self._run.eq(0),
                         self._vacant.eq(1), self._fresh.eq(1)]
