# SPDX-License-Identifier: Apache-2.0
"""Registered multipliers: up to 18 bits, and 32 bits with an addend."""

from amaranth import Cat, ClockSignal, Const, Instance, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .arith import delay
from .carry import GatedAdd
from .limits import check_between, check_vendor

__all__ = ["Multiply", "WideMultiply"]


class Multiply(wiring.Component):
    """Multiply two signed numbers of up to 18 bits: ``o = a * b``.

    Latency 2 cycles (operand registers, product register), throughput 1 product a cycle, no
    backpressure.

    Parameters
    ----------
    bits : int, factor width, 2 .. 18 bits; TypeError for another type, ValueError outside
    vendor : None for portable logic, "ecp5" for a MULT18X18D with its internal registers;
        ValueError otherwise

    Members
    -------
    a, b : In(signed(bits))
    clear : In(1), all registers become 0
    o : Out(signed(2 * bits))
    """

    LATENCY = 2

    def __init__(self, *, bits=16, vendor=None):
        self._bits   = check_between("Bits", bits, 2, 18)
        self._vendor = check_vendor(vendor)
        super().__init__({"a": In(signed(bits)), "b": In(signed(bits)), "clear": In(1),
                          "o": Out(signed(2 * bits))})

    def elaborate(self, platform):
        m = Module()
        if self._vendor == "ecp5":
            m.submodules.mult = self._mult18x18d()
            return m
        a = Signal(signed(self._bits))
        b = Signal(signed(self._bits))
        m.d.sync += [a.eq(self.a), b.eq(self.b), self.o.eq(a * b)]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (a, b, self.o)]
        return m

    def _mult18x18d(self):
        product = Signal(36)
        ports = {f"i_{side}{bit}": operand[min(bit, self._bits - 1)]
                 for side, operand in (("A", self.a), ("B", self.b)) for bit in range(18)}
        ports |= {f"o_P{bit}": self.o[bit] if bit < len(self.o) else product[bit]
                  for bit in range(36)}
        registers = {f"p_REG_{name}_CLK": "CLK0" for name in ("INPUTA", "INPUTB", "OUTPUT")}
        return Instance("MULT18X18D", **registers, **ports, i_CLK0=ClockSignal(), i_CE0=Const(1),
                        i_RST0=self.clear, i_SIGNEDA=Const(1), i_SIGNEDB=Const(1),
                        i_SOURCEA=Const(0), i_SOURCEB=Const(0))


class WideMultiply(wiring.Component):
    """Multiply two signed 32-bit numbers and add a third number to their product.

    ``o = a * b + ((addend if going else 0) | seed)``.

    Four multipliers form the products of 16-bit halves; the low halves are unsigned. With these
    products ``o = (high << 32) + (middle << 16) + low``, added in three cycles with adders of up to
    35 bits. ``|a * b|`` is at most 2**62 and the added number at most 2**31 in magnitude, so ``o``
    cannot overflow. Latency ``LATENCY`` cycles, throughput 1 product a cycle, no backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``Multiply``; ValueError otherwise

    Members
    -------
    a, b : In(signed(32)); high : In(1), the low half of ``b`` counts as 0, of all products that are
        not in ``o`` yet
    addend : In(31), going : In(1), seed : In(signed(32)), ``Multiply.LATENCY`` cycles after the
        factors
    o : Out(signed(64))
    """

    LATENCY = Multiply.LATENCY + 3

    a:      In(signed(32))
    high:   In(1)
    b:      In(signed(32))
    addend: In(31)
    going:  In(1)
    seed:   In(signed(32))
    o:      Out(signed(64))

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        halves = [(Cat(side[:16], 0).as_signed(), side[16:].as_signed())
                  for side in (self.a, self.b)]
        products = []
        for number in range(4):
            m.submodules[f"multiply_{number}"] = unit = Multiply(bits=17, vendor=self._vendor)
            m.d.comb += [unit.a.eq(halves[0][number >> 1]), unit.b.eq(halves[1][number & 1])]
            if not number & 1:
                m.d.comb += unit.clear.eq(self.high)
            products.append(unit.o)
        low, middle = Signal(signed(34), name="low"), Signal(signed(34), name="middle")
        m.submodules.add = add = GatedAdd(width=len(low), vendor=self._vendor)
        m.d.comb += [add.term.eq(products[0][:33].as_signed()), add.acc.eq(self.addend),
                     add.going.eq(self.going.replicate(len(low))), add.seed.eq(self.seed)]
        centre, high = Signal(signed(35), name="centre"), Signal(signed(32), name="high")
        m.d.sync += [
            low.eq(add.o),
            middle.eq(products[1][:33].as_signed() + products[2][:33].as_signed()),
            centre.eq(middle + low[16:].as_signed()),
            high.eq(delay(m, products[3], 2, name="above") + centre[16:].as_signed())]
        m.d.comb += self.o.eq(Cat(delay(m, low[:16], 2, name="low"),
                                  delay(m, centre[:16], 1, name="centre"), high).as_signed())
        return m
