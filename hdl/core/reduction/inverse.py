"""Inverse of a sum: normalise it, round it to 15 bits, and divide, a bit a cycle."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import rounds_up
from hdl.isa import RoundMode

__all__ = ["SUM_BITS", "Inverse"]

SUM_BITS  = 32
_STEPS    = (8, 8, 8, 2, 2, 2, 1)  # places by which a step of the normaliser shifts, or not
_DIVISOR  = 15                     # bits, and one more for what is rounded up to a power of two
_QUOTIENT = 15
_LARGEST  = (1 << _QUOTIENT) - 1


class Inverse(wiring.Component):
    """Shift a sum until its highest bit is set, round it to 15 bits, and divide 2**29 by that.

    A sum that is not positive counts as 1: one below 0 is shifted as far, and by a divisor of 0 the
    quotient is the largest as well. A new one takes the place of one that is being worked on.
    Latency ``LATENCY`` cycles from ``valid`` to ``places`` and ``inverse``, throughput one sum in
    as many, no backpressure. Takes no parameters.

    Members
    -------
    valid : In(1), total : In(32), rounding : In(RoundMode)
    flush : In(1), of a sum that counts as 1: both results are as after reset
    places : Out(5), of the highest bit of the sum; inverse : Out(15)
    left : Out(5), cycles until the results come; 0 if none do
    """

    LATENCY = 1 + len(_STEPS) + 1 + _QUOTIENT

    valid:    In(1)
    total:    In(SUM_BITS)
    rounding: In(RoundMode)
    flush:    In(1)
    places:   Out(5)
    inverse:  Out(_QUOTIENT)
    left:     Out(5)

    def elaborate(self, platform):
        m = Module()
        begins = self.valid | self.flush
        step   = Signal(len(_STEPS))
        rounds, divides = Signal(name="rounds"), Signal(name="divides")
        mode = Signal(RoundMode, reset_less=True)
        m.d.sync += [self.left.eq(self.left - (self.left != 0)), step.eq(step << 1),
                     rounds.eq(step[-1]), divides.eq((divides | rounds) & (self.left != 1))]
        places  = Signal(5, reset_less=True)
        inverse = Signal(_QUOTIENT, init=_LARGEST, reset_less=True)
        value, shifts = self._normalise(m, begins, step)
        quotient = self._divide(m, value, mode, rounds, divides)
        m.d.comb += [self.places.eq(places), self.inverse.eq(inverse)]
        with m.If(divides & (self.left == 1)):
            m.d.sync += [places.eq(~shifts), inverse.eq(quotient)]
        with m.If(begins):
            m.d.sync += [mode.eq(self.rounding), self.left.eq(self.LATENCY - 1), step.eq(1),
                         rounds.eq(0), divides.eq(0)]
        return m

    def _normalise(self, m, begins, step):
        """Shift by so many places where these are empty; returns the value and by how many."""
        value  = Signal(SUM_BITS, reset_less=True)
        small  = Signal(reset_less=True)  # counts as 1
        shifts = [Signal(bits, name=f"shifts{by}", reset_less=True)
                  for by, bits in ((1, 1), (2, 2), (8, 2))]
        last, fine, rough = step[6], step[3:6].any(), step[:3].any()
        empty = small | ((rough & ~value[-8:].any()) | (fine & ~value[-2:].any())
                         | (last & ~value[-1]))
        with m.If(begins):
            m.d.sync += [small.eq(self.total[-1] | self.flush),
                         *(count.eq(0) for count in shifts)]
        with m.Elif(empty):
            m.d.sync += [count.eq(count + now) for count, now
                         in zip(shifts, (last, fine, rough), strict=True)]
        with m.If(begins | (step.any() & empty)):  # a choice of four by two bits
            m.d.sync += value.eq(Mux(
                begins | last, Mux(begins | fine, self.total, value << 1),
                Mux(begins | fine, value << 2, value << 8)))
        return value, Cat(shifts)

    @staticmethod
    def _divide(m, value, mode, rounds, divides):
        """Round the value and divide by it, a bit a cycle; returns the quotient with the bit of
        this cycle."""
        divisor  = Signal(_DIVISOR + 1, reset_less=True)
        rest     = Signal(_DIVISOR + 2, reset_less=True)
        quotient = Signal(_QUOTIENT - 1, reset_less=True)
        less     = Signal(signed(_DIVISOR + 3))
        below = SUM_BITS - _DIVISOR
        up    = rounds_up(mode, value[below - 1], value[:below - 1].any(), value[below])
        fits  = ~less[-1]
        m.d.comb += less.eq(rest - divisor)
        m.d.sync += rest.eq(Mux(divides, Mux(fits, less, rest) << 1, 1 << _DIVISOR))
        with m.If(rounds):
            m.d.sync += divisor.eq(value[below:] + up)
        with m.If(divides):
            m.d.sync += quotient.eq(Cat(fits, quotient))
        return Cat(fits, quotient)
