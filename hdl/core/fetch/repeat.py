"""Repeat: which pass comes next, and how far its accesses have moved."""

from amaranth import Module, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.isa import Encoded
from hdl.limits import check_passes

from .loader import Moves

__all__ = ["Repeat"]


class Repeat(wiring.Component):
    """Count through a program: on, or back where a pass says so.

    What a pass at the end of a loop leads to stands two cycles after it was judged, else one.
    Latency 2 cycles, throughput a pass in 2 cycles, no backpressure.

    Parameters
    ----------
    passes : int, of the program memory, a power of two from 2 to 256; TypeError for what is no int,
        ValueError otherwise

    Members
    -------
    start : In(1), with ``first`` : In(pass number)
    pass_ : In(Encoded), from a cycle before ``judged`` on; judged : In(1), the verdict is there;
        good : In(1), it may run
    number : Out(pass number), the next; moves : Out(Moves), again : Out(1), not the first iteration
    loops : Out(1), the pass ends a loop; over : Out(1), nothing follows it; astray : Out(1), for it
        leads to before the first pass
    """

    def __init__(self, *, passes):
        number = unsigned(exact_log2(check_passes(passes)) + 1)
        super().__init__({
            "start": In(1), "first": In(number), "pass_": In(Encoded), "judged": In(1),
            "good": In(1), "number": Out(number), "moves": Out(Moves), "again": Out(1),
            "loops": Out(1), "over": Out(1), "astray": Out(1)})

    def elaborate(self, platform):
        m = Module()
        pass_, number = self.pass_, self.number
        iteration = Signal(16)
        moved = Signal(Moves)
        back = Signal.like(number)
        more = Signal()
        beyond = Signal()
        repeats = Signal()
        ends = Signal()
        m.d.sync += [self.loops.eq(pass_.repeat != 0), more.eq(iteration != pass_.repeat),
                     beyond.eq(pass_.back > number), back.eq(number - pass_.back)]
        for after, before, step in zip(moved, self.moves, pass_.advance, strict=True):
            m.d.sync += after.eq(before + step)
        goes = self.loops & more
        m.d.comb += [self.again.eq(iteration != 0), self.astray.eq(goes & beyond)]
        with m.If(goes):
            m.d.comb += self.over.eq(beyond)
        with m.Else():
            m.d.comb += self.over.eq(pass_.last)
        m.d.sync += [repeats.eq(self.good & goes & ~beyond),
                     ends.eq(self.good & self.loops & ~more)]
        with m.If(repeats):
            m.d.sync += [number.eq(back), self.moves.eq(moved), iteration.eq(iteration + 1)]
        with m.If(ends):
            m.d.sync += [self.moves.eq(0), iteration.eq(0)]
        with m.If(self.judged):
            m.d.sync += number.eq(number + 1)
        with m.If(self.start):
            m.d.sync += [number.eq(self.first), self.moves.eq(0), iteration.eq(0)]
        return m
