"""The steps by which lanes take a finished sum to one of their entries."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay
from hdl.isa import HELD, AccumulatorRange, Encoded, RoundMode

__all__ = ["Held", "HeldStep", "Hold"]


class Held(enum.Enum, shape=3):
    """What the lanes do with a finished sum that they hold, a slot each."""

    NONE  = 0
    LOAD  = 1  #: Take the sum, wrapped to the accumulator.
    RIGHT = 2  #: Halve it; what falls off is kept for rounding.
    LEFT  = 3  #: Double it.
    UP    = 4  #: Round halves up.
    EVEN  = 5  #: Round halves to even.
    LIMIT = 6  #: See whether 32 bits are too few for it.
    STORE = 7  #: Put it into its entry, saturated to 32 bits or wrapped to the accumulator.


#: What the lanes do in a slot; ``narrow``: sums are limited to 32 bits, ``even``: symmetrically.
HeldStep = data.StructLayout({"op": Held, "narrow": 1, "even": 1, "entry": range(HELD)})


class Hold(wiring.Component):
    """Load a sum, shift it bit by bit, round it, limit it and store it, a step of ``Held`` a cycle.

    Latency 2 cycles from ``start`` to the first step, ``|shift| + 5`` to the last one, one less
    without rounding. Throughput one sum in a cycle less than the latter, backpressure is
    ``occupied``. Takes no parameters.

    Members
    -------
    start : In(1), the last step of an output whose sums are held; not while ``occupied``
    shift, rounding, acc_range, entry : In, of its pass, with ``start``
    o : Out(HeldStep)
    busy : Out(1), nothing may resume what is held; occupied : Out(1), more than two steps to come
    """

    start:     In(1)
    shift:     In(Encoded["shift"].shape)
    rounding:  In(RoundMode)
    acc_range: In(AccumulatorRange)
    entry:     In(range(HELD))
    o:         Out(HeldStep)
    busy:      Out(1)
    occupied:  Out(1)

    def elaborate(self, platform):
        m = Module()
        op, after = self.o.op, Signal(Held)
        task  = data.StructLayout({
            "left": 6, "more": 1, "right": 1, "rounded": Held, "narrow": 1, "even": 1,
            "entry": range(HELD)})
        fresh, going_on, now = Signal(task), Signal(task), Signal(task)
        started, entry, shift, rounding, acc_range = (
            delay(m, value, 1, name=name) for name, value in (
                ("started", self.start), ("entry", self.entry), ("shift", self.shift),
                ("rounding", self.rounding), ("acc_range", self.acc_range)))
        m.d.sync += [
            fresh.left.eq(Mux(shift < 0, -shift, shift)),
            fresh.more.eq(shift != 0), fresh.right.eq(shift >= 0), fresh.entry.eq(entry),
            fresh.rounded.eq(Mux(rounding == RoundMode.FLOOR, Held.LIMIT,
                                 Mux(rounding == RoundMode.UP, Held.UP, Held.EVEN))),
            fresh.narrow.eq(acc_range != AccumulatorRange.BITS40),
            fresh.even.eq(acc_range == AccumulatorRange.SYMMETRIC32), going_on.eq(now)]
        m.d.comb += [
            now.eq(Mux(op == Held.LOAD, fresh, going_on)),
            self.o.narrow.eq(now.narrow), self.o.even.eq(now.even), self.o.entry.eq(now.entry),
            after.eq(Mux(now.more, Mux(now.right, Held.RIGHT, Held.LEFT), now.rounded))]
        with m.Switch(op):
            with m.Case(Held.LOAD, Held.RIGHT, Held.LEFT):
                m.d.sync += op.eq(after)
                with m.If(now.more):
                    m.d.sync += [going_on.left.eq(now.left - 1), going_on.more.eq(now.left != 1)]
            with m.Case(Held.UP, Held.EVEN):
                m.d.sync += op.eq(Held.LIMIT)
            with m.Case(Held.LIMIT):
                m.d.sync += op.eq(Held.STORE)
            with m.Case(Held.STORE):
                m.d.sync += op.eq(Held.NONE)
        with m.If(started):
            m.d.sync += op.eq(Held.LOAD)
        ending = (op == Held.LIMIT) | (op == Held.STORE)
        # A step that comes two cycles behind the last one reads what that has stored.
        m.d.comb += [self.busy.eq(((op != Held.NONE) & (op != Held.STORE)) | started),
                     self.occupied.eq(((op != Held.NONE) & ~ending) | started)]
        return m
