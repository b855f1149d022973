"""What the compact core does with two numbers in one cycle."""

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import rounds_up
from hdl.isa import RoundMode

__all__ = ["WORD", "Alu", "Way"]

WORD = 64  #: Bits of a register.

#: What is wanted: the sum or, with ``less``, the difference; one more if a value that was shifted
#: right ``rounds`` up; with ``bits`` one of the next four, or else ``b``; or 16 bits reversed.
Way = data.StructLayout({"less": 1, "rounds": 1, "bits": 1, "field": 1, "and": 1, "or": 1, "xor": 1,
                         "reverse": 1, "narrow": 1})


class Alu(wiring.Component):
    """Add, subtract, round, and combine bit by bit: what ``way`` says of ``a`` and ``b``.

    Latency 0 cycles, throughput 1 result a cycle, no backpressure. Takes no parameters.

    Members
    -------
    a, b : In(signed(WORD)), 64 bits; way : In(Way)
    shifted : In(signed(WORD)), whose bits from 32 on are masked by ``a`` for a ``field``: 16 of
        them with a sign if ``narrow``, else 32; its lowest bit is the odd one of what is rounded
    half, below : In(1), rounding : In(RoundMode), see ``arith.rounds_up``
    sum : Out(signed(WORD)), or the difference; o : Out(signed(WORD)), what is wanted
    """

    a:        In(signed(WORD))
    b:        In(signed(WORD))
    way:      In(Way)
    shifted:  In(signed(WORD))
    half:     In(1)
    below:    In(1)
    rounding: In(RoundMode)
    sum:      Out(signed(WORD))
    o:        Out(signed(WORD))

    def elaborate(self, platform):
        m = Module()
        a, b, way = self.a, self.b, self.way
        carry, middle = Signal(), WORD // 2
        up = rounds_up(self.rounding, self.half, self.below, self.shifted[0])
        m.d.comb += carry.eq(way["less"] | (way["rounds"] & up))
        # The upper half is added with and without a carry; the lowest bit brings one in.
        turned, low = Signal(WORD), Signal(middle + 2)
        plain, carried = Signal(middle), Signal(middle + 1)
        m.d.comb += [turned.eq(b ^ way["less"].replicate(WORD)),
                     low.eq(Cat(Const(1, 1), a[:middle]) + Cat(carry, turned[:middle])),
                     plain.eq(a[middle:] + turned[middle:]),
                     carried.eq(Cat(Const(1, 1), a[middle:]) + Cat(Const(1, 1), turned[middle:])),
                     self.sum.eq(Cat(low[1:-1], Mux(low[-1], carried[1:], plain)))]
        bits  = Signal(WORD)
        field = Mux(way["narrow"], self.shifted[32:48].as_signed(),
                    self.shifted[32:64].as_unsigned())
        with m.If(way["field"]):
            m.d.comb += bits.eq(a & field)
        with m.Elif(way["and"]):
            m.d.comb += bits.eq(a & b)
        with m.Elif(way["or"]):
            m.d.comb += bits.eq(a | b)
        with m.Elif(way["xor"]):
            m.d.comb += bits.eq(a ^ b)
        with m.Else():
            m.d.comb += bits.eq(b)
        with m.If(way["bits"]):
            m.d.comb += self.o.eq(bits)
        with m.Elif(way["reverse"]):
            m.d.comb += self.o.eq(Cat(a[15 - bit] for bit in range(16)))
        with m.Else():
            m.d.comb += self.o.eq(self.sum)
        return m
