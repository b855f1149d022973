"""Inverse of a sum: normalise it, round it to 15 bits, and divide, a bit a cycle."""

from functools import reduce
from itertools import pairwise
from operator import or_

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import rounds_up
from hdl.isa import RoundMode

__all__ = ["SUM_BITS", "Inverse"]

SUM_BITS = 32
_VALUE   = SUM_BITS - 1     # bits of a sum that is positive
_STEPS   = (16, 8, 4, 2, 1)  # places by which a step of the normaliser shifts, or not
_QUOTIENT = 16              # bits
_ONE     = 1 << 14          # 2**29 without the 15 places that the division shifts in
_LARGEST = (1 << 15) - 1


class Inverse(wiring.Component):
    """Bring the highest bit of a sum to bit 30, round to 15 bits, and divide 2**29 by that.

    A sum that is not positive counts as 1. A new one takes the place of one that is being worked
    on. Latency ``LATENCY`` cycles from ``valid`` to ``places`` and ``inverse``, throughput one sum
    in as many, no backpressure. Takes no parameters.

    Members
    -------
    valid : In(1), total : In(32), rounding : In(RoundMode)
    flush : In(1), both results are as after reset
    places : Out(5), of the highest bit of the sum; inverse : Out(15)
    left : Out(5), cycles until the results come; 0 if none do
    """

    LATENCY = 2 + len(_STEPS) + 1 + _QUOTIENT

    valid:    In(1)
    total:    In(SUM_BITS)
    rounding: In(RoundMode)
    flush:    In(1)
    places:   Out(5)
    inverse:  Out(15, init=_LARGEST)
    left:     Out(5)

    def elaborate(self, platform):
        m = Module()
        value = Signal(_VALUE)
        mode  = Signal(RoundMode)
        small = Signal()  # counts as 1
        step  = Signal(len(_STEPS))
        rounds, divides = Signal(name="rounds"), Signal(name="divides")
        m.d.sync += [self.left.eq(self.left - (self.left != 0)), step.eq(step << 1),
                     rounds.eq(step[-1]), divides.eq((divides | rounds) & (self.left != 1))]
        shifts = self._normalise(m, value, step)
        quotient = self._divide(m, Mux(small, 1 << _VALUE - 1, value), mode, divides)
        with m.If(divides & (self.left == 1)):
            m.d.sync += [self.places.eq(Mux(small, 0, ~shifts - 1)),
                         self.inverse.eq(Mux(quotient[-1], _LARGEST, quotient))]
        with m.If(self.valid):
            m.d.sync += [small.eq(self.total[-1] | (self.total == 0)), mode.eq(self.rounding),
                         self.left.eq(self.LATENCY - 1), step.eq(1), rounds.eq(0), divides.eq(0)]
        with m.If(self.flush):
            m.d.sync += [self.places.eq(0), self.inverse.eq(_LARGEST), self.left.eq(0), step.eq(0),
                         rounds.eq(0), divides.eq(0)]
        return m

    def _normalise(self, m, value, step):
        """Shift by half as many places as before where these are empty; returns by how many.

        Whether they are is known a cycle ahead, of the value as it is and of the shifted one.
        """
        empty     = Signal()
        shifts    = Signal(len(_STEPS))
        following = Signal(_VALUE)
        with m.If(step.any()):
            m.d.sync += shifts.eq(Cat(empty, shifts))
        for at, (count, after) in enumerate(pairwise(_STEPS)):
            with m.If(step[at]):
                m.d.sync += empty.eq(~Mux(empty, value[_VALUE - count - after:_VALUE - count],
                                          value[_VALUE - after:]).any())
        with m.If(self.valid):
            m.d.sync += empty.eq(~self.total[_VALUE - _STEPS[0]:-1].any())
            m.d.comb += following.eq(self.total)
        with m.Else():
            m.d.comb += following.eq(reduce(or_, (
                Mux(bit, value << count, 0) for bit, count in zip(step, _STEPS, strict=True))))
        with m.If(self.valid | (step.any() & empty)):
            m.d.sync += value.eq(following)
        return shifts

    @staticmethod
    def _divide(m, value, mode, divides):
        """Round the value and divide by it, a bit a cycle; returns the quotient."""
        divisor  = Signal(15)
        rest     = Signal(17)
        quotient = Signal(_QUOTIENT)
        less     = Signal(signed(18))
        up   = rounds_up(mode, value[15], value[:15].any(), value[16])
        fits = ~less[-1]
        m.d.comb += less.eq(rest - divisor)
        with m.If(divides):
            m.d.sync += [rest.eq(Mux(fits, less[:17], rest) << 1),
                         quotient.eq(quotient << 1 | fits)]
        with m.Else():
            m.d.sync += [divisor.eq(Mux(up & value[16:].all(), _LARGEST, value[16:] + up)),
                         rest.eq(_ONE)]
        return quotient
