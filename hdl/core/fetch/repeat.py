# SPDX-License-Identifier: Apache-2.0
"""Repeat: the next pass number, and the address moves of the current loop."""

from amaranth import Module, Signal, Value, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.carry import GatedAdd
from xymac.hdl.isa import Encoded
from xymac.hdl.limits import check_passes, check_vendor

from .loader import Moves

__all__ = ["Repeat"]

_ITERATIONS = Encoded["repeat"].shape


class Repeat(wiring.Component):
    """Count through a program, and branch back at the end of a loop.

    ``number`` is valid two cycles after ``judged`` for a pass at a loop end, else one cycle after.
    Latency 2 cycles, throughput 1 pass in 2 cycles, in 3 behind a loop end, no backpressure.

    Parameters
    ----------
    passes : int, capacity of program memory, a power of two from 2 to 256; TypeError unless an
        int, ValueError otherwise
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    Members
    -------
    start : In(1), begin at ``first``; first : In(pass number)
    pass_ : In(Encoded), from the cycle before ``judged``; judged : In(1), its check is complete;
        good : In(1), it is valid
    number : Out(pass number), the next pass; again : Out(1), it is not in the first iteration;
        moves : Out(Moves), its moves if so
    loops : Out(1), ``pass_`` ends a loop; over : Out(1), no pass follows it; astray : Out(1), its
        loop begins before the first pass of the memory
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
        # Both are used from the second iteration; ``again`` masks their old values.
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
        """Sum of a step and the total; the first iteration uses 0 for the total."""
        width = len(Value.cast(total))
        m.submodules[name] = add = GatedAdd(width=width, vendor=self._vendor)
        m.d.comb += [add.term.eq(step), add.acc.eq(total),
                     add.going.eq(self.again.replicate(width))]
        return add.o
