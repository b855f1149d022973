# SPDX-License-Identifier: Apache-2.0
"""Compact core arithmetic: adder, logic, multiplier and condition flags."""

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import rounds_up
from xymac.hdl.isa import RoundMode

__all__ = ["WORD", "Alu", "Conditions", "Product", "Way"]

WORD = 64  #: Bits of a register.

#: Control bits that select the result. Default: sum; ``less``: difference; ``rounds``: add 1 if the
#: shifted value rounds up. ``bits``: the logic operation ``field``, ``and``, ``or`` or ``xor``, or
#: ``b`` without any. ``reverse``: the low 16 bits reversed. ``narrow``: see ``Alu``.
Way = data.StructLayout({"less": 1, "rounds": 1, "bits": 1, "field": 1, "and": 1, "or": 1, "xor": 1,
                         "reverse": 1, "narrow": 1})


class Alu(wiring.Component):
    """Add, subtract, round or combine ``a`` and ``b`` bitwise, as ``way`` selects.

    Latency 0 cycles, throughput 1 result a cycle, no backpressure. Takes no parameters.

    Members
    -------
    a, b : In(signed(WORD)), 64 bits; way : In(Way)
    shifted : In(signed(WORD)), output of ``Shifter``; bit 0 is the odd bit for rounding. ``field``
        gives ``a & shifted[32:64]``, with ``narrow`` ``a & shifted[32:48]``, sign-extended
    half, below : In(1), rounding : In(RoundMode), see ``arith.rounds_up``
    sum : Out(signed(WORD)), sum or difference; o : Out(signed(WORD)), the selected result
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
        carry, middle = Signal(name="carry"), WORD // 2
        up = rounds_up(self.rounding, self.half, self.below, self.shifted[0])
        m.d.comb += carry.eq(way["less"] | (way["rounds"] & up))
        # Carry select: the upper half is added with and without a carry. Bit 0 injects the carry.
        turned, low = Signal(WORD, name="turned"), Signal(middle + 2, name="low")
        plain, carried = Signal(middle, name="plain"), Signal(middle + 1, name="carried")
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


class Product(wiring.Component):
    """Multiply 32 bits by 32 bits: two registers, or an X element by a Y element.

    Latency 1 cycle, throughput 1 product a cycle, no backpressure. Takes no parameters.

    Members
    -------
    a, b : In(signed(WORD)), only their lower halves count; multiplies : In(1), store ``a * b``
    x : In(signed(16)), x_arrives : In(1), latch ``x - x_zero``; x_zero : In(signed(16))
    y : In(signed(16)); runs : In(1), store the product of the latched difference and ``y``
    o : Out(signed(WORD))
    """

    a:          In(signed(WORD))
    b:          In(signed(WORD))
    multiplies: In(1)
    x:          In(signed(16))
    x_arrives:  In(1)
    x_zero:     In(signed(16))
    y:          In(signed(16))
    runs:       In(1)
    o:          Out(signed(WORD))

    def elaborate(self, platform):
        m = Module()
        element = Signal(signed(16))
        with m.If(self.x_arrives):
            m.d.sync += element.eq(self.x - self.x_zero)
        one = Mux(self.runs, element, self.a[:32].as_signed())
        two = Mux(self.runs, self.y, self.b[:32].as_signed())
        with m.If(self.runs | self.multiplies):
            m.d.sync += self.o.eq(one[:32].as_signed() * two[:32].as_signed())
        return m


class Conditions(wiring.Component):
    """Store a result's sign flag and zero flag for a branch.

    Latency 2 cycles; a branch reads the flags 2 cycles later at the earliest. Throughput 1 result a
    cycle, no backpressure. Takes no parameters.

    Members
    -------
    result : In(signed(WORD)), new : In(1)
    negative, zero : Out(1)
    """

    result:   In(signed(WORD))
    new:      In(1)
    negative: Out(1)
    zero:     Out(1)

    def elaborate(self, platform):
        m = Module()
        last, fresh = Signal(WORD, name="last"), Signal(name="fresh")
        m.d.sync += [last.eq(self.result), fresh.eq(self.new)]
        with m.If(fresh):
            m.d.sync += [self.negative.eq(last[-1]), self.zero.eq(last == 0)]
        return m
