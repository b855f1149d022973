"""Stepper: the addresses of one operand over the output loops."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.isa import ADDRESS_BITS

__all__ = ["Stepper"]

_RELATIVE = signed(ADDRESS_BITS)


class Stepper(wiring.Component):
    """Level addresses of one AGU over the three output loops; three cycles a step.

    The stride of ``level`` (a bit each) is added to that level's address all the time; three cycles
    later ``settle`` takes the sum, wrapped in modulo mode, for the levels whose bit is set. Latency
    3 cycles, throughput one step in 3 cycles, no backpressure. Takes no parameters.

    Members
    -------
    start : In(signed), strides : In(three signed(16)), modulo : In(1), high : In(17), of the pass
    load : In(1), all levels begin at ``start``; settle, level : In(3), outermost first
    address : Out(signed), of the innermost level
    """

    start:   In(_RELATIVE)
    strides: In(data.ArrayLayout(signed(16), 3))
    modulo:  In(1)
    high:    In(unsigned(17))
    load:    In(1)
    settle:  In(3)
    level:   In(3)
    address: Out(_RELATIVE)

    def elaborate(self, platform):
        m = Module()
        base = [Signal(_RELATIVE, name=f"base{level}") for level in range(3)]
        chosen, moved, plain, other = (Signal(_RELATIVE, name=name) for name in (
            "chosen", "moved", "plain", "other"))
        stride = Signal(signed(16))
        m.d.comb += self.address.eq(base[2])
        # One enable and one choice a register: a choice that may keep it takes more logic.
        with m.If(self.level.any()):
            m.d.sync += [
                chosen.eq(Mux(self.level[2], base[2], Mux(self.level[1], base[1], base[0]))),
                stride.eq(Mux(self.level[2], self.strides[2],
                              Mux(self.level[1], self.strides[1], self.strides[0])))]
        # moved + high + 1 or, by the complement, moved - high - 1: the carry is the sign.
        negative = moved[-1]
        towards  = Cat(self.high, 0, 0, 0) ^ (~negative).replicate(ADDRESS_BITS)
        m.d.sync += [moved.eq(chosen + stride), plain.eq(moved),
                     other.eq((Cat(negative, moved) + Cat(negative, towards)) >> 1)]
        wraps = self.modulo & (plain[-1] | ~other[-1])
        for level in range(3):
            with m.If(self.load | self.settle[level]):
                m.d.sync += base[level].eq(Mux(self.load, self.start, Mux(wraps, other, plain)))
        return m
