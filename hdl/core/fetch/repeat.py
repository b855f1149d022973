"""Repeat: which pass comes next, and how far its accesses have moved."""

from amaranth import Module, Signal, Value, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.carry import GatedAdd
from hdl.isa import Encoded
from hdl.limits import check_passes, check_vendor

from .loader import Moves

__all__ = ["Repeat"]

_ITERATIONS = Encoded["repeat"].shape


class Repeat(wiring.Component):
    """Count through a program: on, or back where a pass says so.

    What a pass at the end of a loop leads to stands two cycles after it was judged, else one.
    Latency 2 cycles, throughput a pass in 2 cycles, no backpressure.

    Parameters
    ----------
    passes : int, of the program memory, a power of two from 2 to 256; TypeError for what is no int,
        ValueError otherwise
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    Members
    -------
    start : In(1), with ``first`` : In(pass number)
    pass_ : In(Encoded), from a cycle before ``judged`` on; judged : In(1), the verdict is there;
        good : In(1), it may run
    number : Out(pass number), the next; again : Out(1), not the first iteration; moves :
        Out(Moves), then
    loops : Out(1), the pass ends a loop; over : Out(1), nothing follows it; astray : Out(1), for it
        leads to before the first pass
    """

    def __init__(self, *, passes, vendor=None):
        self._vendor = check_vendor(vendor)
        number = unsigned(exact_log2(check_passes(passes)) + 1)
        super().__init__({
            "start": In(1), "first": In(number), "pass_": In(Encoded), "judged": In(1),
            "good": In(1), "number": Out(number), "moves": Out(Moves), "again": Out(1),
            "loops": Out(1), "over": Out(1), "astray": Out(1)})

    def elaborate(self, platform):
        m = Module()
        pass_, number = self.pass_, self.number
        # What was counted and moved before counts from the second iteration on.
        iteration = Signal(_ITERATIONS, reset_less=True)
        moves = Signal(Moves, reset_less=True)
        back = Signal.like(number, name="back")
        more, beyond, repeats, ends = (Signal(name=name) for name in (
            "more", "beyond", "repeats", "ends"))
        m.d.sync += [self.loops.eq(pass_.repeat != 0), more.eq(iteration != pass_.repeat),
                     beyond.eq(pass_.back > number), back.eq(number - pass_.back)]
        goes = self.loops & (more | ~self.again)
        m.d.comb += [self.moves.eq(moves), self.astray.eq(goes & beyond)]
        with m.If(goes):
            m.d.comb += self.over.eq(beyond)
        with m.Else():
            m.d.comb += self.over.eq(pass_.last)
        m.d.sync += [repeats.eq(self.good & goes & ~beyond),
                     ends.eq(self.good & self.loops & ~goes)]
        sums = [self._add(m, "iteration", 1, iteration)]
        sums += [self._add(m, f"move{index}", step, moves[index])
                 for index, step in enumerate(pass_.advance)]
        with m.If(repeats):
            m.d.sync += [number.eq(back), iteration.eq(sums[0]), self.again.eq(1),
                         *(move.eq(total) for move, total in zip(moves, sums[1:], strict=True))]
        with m.If(ends):
            m.d.sync += self.again.eq(0)
        with m.If(self.judged):
            m.d.sync += number.eq(number + 1)
        with m.If(self.start):
            m.d.sync += [number.eq(self.first), self.again.eq(0)]
        return m

    def _add(self, m, name, step, total):
        """A step more than the total, which is 0 in the first iteration."""
        width = len(Value.cast(total))
        m.submodules[name] = add = GatedAdd(width=width, vendor=self._vendor)
        m.d.comb += [add.term.eq(step), add.acc.eq(total),
                     add.going.eq(self.again.replicate(width))]
        return add.o
