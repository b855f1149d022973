"""Issue: join the addresses of X and Y into one step of the array a cycle."""

from amaranth import Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from .agu import Mapped
from .config import BANKS
from .isa import Encoded, Status
from .walker import Output

__all__ = ["Issue", "Kind", "Stall", "Step", "ToDrain"]


class Kind(enum.Enum, shape=3):
    """What one slot of the operand pipelines does."""

    NONE   = 0
    STEP   = 1  #: Multiply and accumulate.
    BIAS   = 2  #: Read a row of Y into the bias registers.
    HOST_X = 3  #: Read a cell of X for the host.
    HOST_Y = 4  #: Read a cell of Y for the host.


class Stall(enum.Enum, shape=3):
    """Why a cycle issued no step; the values are positions in ``isa.COUNTERS``."""

    IDLE  = 0  #: Nothing runs.
    NONE  = 1  #: A step was issued.
    X     = 2
    Y     = 3
    DRAIN = 4
    FETCH = 5
    HOST  = 6


#: One slot: addresses in the units of ``isa.Shape``, and how to read them.
Step = data.StructLayout({
    "kind": Kind, "x": unsigned(17), "y": unsigned(17), "x_lanes": 1, "y_lanes": 1,
    "x_wide": 1, "y_wide": 1, "first": 1, "last": 1, "biased": 1, "lane": unsigned(4)})
#: What the drain must know of an output: where it goes and whether it ends its pass.
ToDrain = data.StructLayout({
    "relative": Encoded["z"].shape["start"].shape, "slot": 1, "last": 1})


class Issue(wiring.Component):
    """Issue one step a cycle while both addresses are there and nothing forbids it.

    A new outermost index first reads its bias: ``bias_rows`` slots, at least ``BANKS`` cycles after
    the last first step, whose bias the lanes still need. The last steps of two outputs are at
    least ``BANKS`` cycles apart, so that the drain takes one result a cycle a column. A pass with
    ``wait`` holds until nothing is in flight. Host reads take a slot of their own. A faulting
    access issues nothing; ``fault`` stays until ``flush``. Latency 1 cycle from address to ``o``.

    Members
    -------
    slots : In(two Encoded)
    i : In(stream of Output)
    x, y : In(streams of Agu addresses)
    host : In(stream of {memory, address, lane}), reads of one cell
    drain : Out(stream of ToDrain), offered with the last step of each output
    in_flight : In(1), an issued output is not written yet
    trace_busy : In(1), the last step of a pass must wait
    starved : In(Stall), the cause while there is no output to work on
    flush : In(1)
    o : Out(Step), every cycle
    stall : Out(Stall), why no step is issued this cycle
    pass_issued : Out(1), the last step of a pass was issued this cycle
    fault : Out(Status); slot : Out(1), the pass at fault
    """

    def __init__(self, *, bias_rows):
        self._bias_rows = bias_rows
        super().__init__({
            "slots": In(data.ArrayLayout(Encoded, 2)),
            "i": In(stream.Signature(Output)),
            "x": In(stream.Signature(Mapped(1))),
            "y": In(stream.Signature(Mapped(1))),
            "host": In(stream.Signature(data.StructLayout({
                "y": 1, "address": unsigned(17), "lane": unsigned(4)}))),
            "drain": Out(stream.Signature(ToDrain)),
            "in_flight": In(1), "trace_busy": In(1), "starved": In(Stall), "flush": In(1),
            "o": Out(Step), "stall": Out(Stall), "pass_issued": Out(1),
            "fault": Out(Status), "slot": Out(1)})

    def elaborate(self, platform):
        m = Module()
        current  = Signal(Output)
        active   = Signal()
        bias     = Signal(range(self._bias_rows + 1))
        bias_row = Signal(17)
        fresh    = Signal(init=1)  # the next step is the first of its output
        last_gap, first_gap = Signal(range(BANKS)), Signal(range(BANKS))
        config   = Signal(Encoded)
        holding  = Signal()  # the pass has not begun and waits for what is in flight
        held, open_, stepping, biasing, ending, blocked = (Signal(name=name) for name in (
            "held", "open", "stepping", "biasing", "ending", "blocked"))

        m.d.comb += [
            config.eq(self.slots[current.slot]),
            ending.eq(self.x.p.tag),
            held.eq(holding & self.in_flight),
            blocked.eq(ending & ((last_gap != 0) | ~self.drain.ready
                                 | (current.last & self.trace_busy))),
            self.host.ready.eq(1),
            open_.eq(active & ~held & ~self.host.valid & (self.fault == Status.OK)),
            biasing.eq(open_ & (bias != 0) & (first_gap == 0)),
            stepping.eq(open_ & (bias == 0) & ~current.empty & ~blocked & self.x.valid
                        & self.y.valid & ~self.x.p.bad & ~self.y.p.bad),
            self.x.ready.eq(stepping),
            self.y.ready.eq(stepping),
            self.drain.valid.eq(stepping & ending),
            self.drain.p.relative.eq(current.z),
            self.drain.p.slot.eq(current.slot),
            self.drain.p.last.eq(current.last),
            self.pass_issued.eq(stepping & ending & current.last),
            self.i.ready.eq((~active | (stepping & ending)) & (self.fault == Status.OK)),
        ]
        self._operands(m, current, config, stepping, biasing, bias_row, fresh)
        self._explain(m, active, held, bias, stepping)

        m.d.sync += [last_gap.eq(Mux(last_gap == 0, 0, last_gap - 1)),
                     first_gap.eq(Mux(first_gap == 0, 0, first_gap - 1))]
        with m.If(biasing):
            m.d.sync += [bias.eq(bias - 1), bias_row.eq(bias_row + 1)]
        with m.If(stepping):
            m.d.sync += [fresh.eq(ending), holding.eq(0)]
            with m.If(fresh):
                m.d.sync += first_gap.eq(BANKS - 1)
            with m.If(ending):
                m.d.sync += [active.eq(0), last_gap.eq(BANKS - 1)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [current.eq(self.i.p), active.eq(1),
                         holding.eq(self.i.p.first & self.slots[self.i.p.slot].wait),
                         bias_row.eq(self.i.p.bias_row),
                         bias.eq(Mux(self.i.p.bias, self._bias_rows, 0))]
        self._faults(m, current, active, bias, held)
        with m.If(self.flush):
            m.d.sync += fresh.eq(1)
        return m

    def _operands(self, m, current, config, stepping, biasing, bias_row, fresh):
        """Register the slot: a step, a bias row, a host read, or nothing."""
        m.d.sync += [
            self.o.kind.eq(Kind.NONE),
            self.o.x.eq(self.x.p.address), self.o.y.eq(self.y.p.address),
            self.o.x_lanes.eq(config.x_shape), self.o.y_lanes.eq(config.y_shape),
            self.o.x_wide.eq(config.x_width), self.o.y_wide.eq(config.y_width),
            self.o.first.eq(fresh), self.o.last.eq(self.x.p.tag), self.o.biased.eq(config.bias),
            self.o.lane.eq(self.host.p.lane),
        ]
        with m.If(self.host.valid):
            m.d.sync += [self.o.kind.eq(Mux(self.host.p.y, Kind.HOST_Y, Kind.HOST_X)),
                         self.o.x.eq(self.host.p.address), self.o.y.eq(self.host.p.address),
                         self.o.x_lanes.eq(0), self.o.y_lanes.eq(1),
                         self.o.x_wide.eq(1), self.o.y_wide.eq(1)]
        with m.Elif(biasing):
            m.d.sync += [self.o.kind.eq(Kind.BIAS), self.o.y.eq(bias_row),
                         self.o.y_lanes.eq(0), self.o.y_wide.eq(1)]
        with m.Elif(stepping):
            m.d.sync += self.o.kind.eq(Kind.STEP)

    def _explain(self, m, active, held, bias, stepping):
        """Name the one cause of a cycle without a step."""
        with m.If(stepping):
            m.d.comb += self.stall.eq(Stall.NONE)
        with m.Elif(self.host.valid):
            m.d.comb += self.stall.eq(Stall.HOST)
        with m.Elif(~active):
            m.d.comb += self.stall.eq(self.starved)
        with m.Elif(held):
            m.d.comb += self.stall.eq(Stall.DRAIN)
        with m.Elif((bias != 0) | ~self.y.valid):
            m.d.comb += self.stall.eq(Stall.Y)
        with m.Elif(~self.x.valid):
            m.d.comb += self.stall.eq(Stall.X)
        with m.Else():
            m.d.comb += self.stall.eq(Stall.DRAIN)

    def _faults(self, m, current, active, bias, held):
        """Latch the first fault in program order; a pass that waits is judged when it may run."""
        found = Signal(Status)
        with m.If(current.empty):
            m.d.comb += found.eq(Status.EMPTY)
        with m.Elif(current.bias_bad & (bias != 0)):
            m.d.comb += found.eq(Status.Y_ACCESS)
        with m.Elif((bias == 0) & self.x.valid & self.x.p.bad):
            m.d.comb += found.eq(Status.X_ACCESS)
        with m.Elif((bias == 0) & self.x.valid & self.y.valid & self.y.p.bad):
            m.d.comb += found.eq(Status.Y_ACCESS)
        with m.If(active & ~held & (self.fault == Status.OK) & (found != Status.OK)):
            m.d.sync += [self.fault.eq(found), self.slot.eq(current.slot)]
        with m.If(self.flush):
            m.d.sync += [self.fault.eq(Status.OK), active.eq(0), bias.eq(0)]
