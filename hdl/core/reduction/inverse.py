# SPDX-License-Identifier: Apache-2.0
"""Inverse of a sum: normalise, round to 15 bits, and divide bit-serially."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import rounds_up
from xymac.hdl.isa import RoundMode

__all__ = ["SUM_BITS", "Inverse"]

SUM_BITS  = 32
_STEPS    = (8, 8, 8, 2, 2, 2, 1)  # left shift of each normaliser step, if these bits are empty
_DIVISOR  = 15                     # bits, plus a carry bit for rounding up to a power of two
_QUOTIENT = 15
_LARGEST  = (1 << _QUOTIENT) - 1


class Inverse(wiring.Component):
    """Shift a sum left until its top bit is set, round it to 15 bits, and divide 2**29 by it.

    A sum of 0 or less counts as 1: a negative sum is shifted as far as 1, and a divisor of 0 gives
    the largest quotient as well. A new sum aborts the current division. Latency ``LATENCY`` cycles
    from ``valid`` to ``places`` and ``inverse``, throughput 1 sum in ``LATENCY`` cycles, no
    backpressure. Takes no parameters.

    Members
    -------
    valid : In(1), total : In(32), rounding : In(RoundMode)
    flush : In(1), like ``valid`` with a sum of 1, which restores the reset results
    places : Out(5), index of the sum's top bit; inverse : Out(15)
    left : Out(5), cycles until the results; 0 when idle
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
        with m.If(self.left == 1):  # a division ends
            m.d.sync += [places.eq(~shifts), inverse.eq(quotient)]
        with m.If(begins):
            m.d.sync += [mode.eq(self.rounding), self.left.eq(self.LATENCY - 1), step.eq(1),
                         rounds.eq(0), divides.eq(0)]
        return m

    def _normalise(self, m, begins, step):
        """Shift out empty top bits, a step a cycle; returns the value and the total shift."""
        value  = Signal(SUM_BITS, reset_less=True)
        small  = Signal(reset_less=True)  # the sum counts as 1
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
        with m.If(begins | (step.any() & empty)):  # a 4:1 multiplexer with two select bits
            m.d.sync += value.eq(Mux(
                begins | last, Mux(begins | fine, self.total, value << 1),
                Mux(begins | fine, value << 2, value << 8)))
        return value, Cat(shifts)

    @staticmethod
    def _divide(m, value, mode, rounds, divides):
        """Round the value and divide by it, a bit a cycle; returns the quotient including the
        current bit."""
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
