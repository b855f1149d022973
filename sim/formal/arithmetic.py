# SPDX-License-Identifier: Apache-2.0
"""Adder, comparison, shift and rounding properties, for all operands."""

from amaranth import Const, Mux, Signal, signed, unsigned
from amaranth.hdl import Assert, Assume, Cover

from xymac.hdl import arith, carry, subtract
from xymac.hdl.carry import FlipAdd, GatedAdd, SelectAdd, SelectGreater
from xymac.hdl.core import funnel as funnel_module
from xymac.hdl.core.funnel import Funnel
from xymac.hdl.isa import RoundMode
from xymac.hdl.subtract import GatedSubtract, SwapSubtract

from .property import Bench, Fault, Property, hold

__all__ = ["PROPERTIES"]

_WIDTH = 41  # bits of a sum with its rounding bit


def _of_component(make, expected):
    """Bench function: output ``o`` of a stateless component equals ``expected(unit)``."""
    def bench():
        unit   = make()
        inputs = [getattr(unit, name) for name in unit.signature.members if name != "o"]

        def build(m):
            m.submodules.unit = unit
            m.d.comb += [Assert(unit.o == expected(unit)[:len(unit.o)]), Cover(unit.o != 0)]
        return Bench(inputs, build)
    return bench


def _flip_bit(bit):
    return lambda original: lambda *args, **keywords: original(*args, **keywords) ^ (1 << bit)


_TABLE = Fault("a bit of the lookup table is inverted", carry, "_table", _flip_bit(9))
_CARRY = Fault("a bit of the lookup table that yields the carry is inverted", carry, "_table",
               _flip_bit(1))


def _adder(name, text, kind, expected, *faults, width=_WIDTH, **options):
    return Property(f"adder: {name}", text, _of_component(
        lambda: kind(width=width, vendor="ecp5", **options), expected), 1, faults)


def _select(unit):
    return (unit.high & unit.select) | (unit.low & ~unit.select)


def _half_of_chain(original):
    """Fault: a carry chain with an inverted carry."""
    def chain(m, pins, propagate, generate):
        return original(m, pins, propagate, lambda one, other: generate(one, other) ^ 1)
    return chain


_CHAIN = Fault("the carry of the chain is inverted", subtract, "_subtract", _half_of_chain)

_ADDERS = (
    _adder("select", "SelectAdd in ECP5 cells adds a bitwise selection and a term", SelectAdd,
           lambda unit: _select(unit) + unit.term, _TABLE, _CARRY),
    _adder("select, subtract", "SelectAdd in ECP5 cells subtracts a term from a selection",
           SelectAdd, lambda unit: _select(unit) - unit.term, _TABLE, _CARRY, subtract=1),
    _adder("gate", "GatedAdd in ECP5 cells adds a gated accumulator, a seed and a term", GatedAdd,
           lambda unit: unit.term + ((unit.acc & unit.going) | unit.seed), _TABLE, _CARRY),
    _adder("flip", "FlipAdd in ECP5 cells adds a number with inverted bits", FlipAdd,
           lambda unit: unit.term + (unit.other ^ unit.flip), _TABLE, _CARRY),
    _adder("greater", "SelectGreater in ECP5 cells compares signed numbers", SelectGreater,
           lambda unit: Mux(unit.select, unit.high, unit.low) > unit.term, _TABLE, _CARRY),
    _adder("gated difference", "GatedSubtract in ECP5 cells subtracts where it goes",
           GatedSubtract, lambda unit: unit.term - Mux(unit.going, unit.acc + unit.less, 0),
           _CHAIN),
    _adder("swapped difference", "SwapSubtract in ECP5 cells subtracts in either direction",
           SwapSubtract, lambda unit: Mux(unit.swap, unit.second - unit.first,
                                          unit.first - unit.second), _CHAIN),
)


def _fits():
    value, width = Signal(signed(48)), 32

    def build(m):
        inside = (value >= -(1 << width - 1)) & (value < 1 << width - 1)
        m.d.comb += [Assert(arith.sign_uniform(value, width) == inside), Cover(inside),
                     Cover(~inside)]
    return Bench([value], build)


def _compares():
    one, other = Signal(signed(_WIDTH)), Signal(signed(_WIDTH))

    def build(m):
        m.d.comb += [Assert(arith.less(one, other) == (one < other)), Cover(one < other)]
    return Bench([one, other], build)


def _rounds():
    """``value / 2**shift`` in all modes, with the exact quotients as the specification.

    Twice the distance to the floor decides: half and more rounds up, or the even neighbour.
    """
    value, shift, mode = Signal(signed(_WIDTH)), Signal(range(1, 32)), Signal(RoundMode)

    def build(m):
        floor = value >> shift
        lost  = Signal(unsigned(_WIDTH))
        m.d.comb += lost.eq(value.as_unsigned() & ((1 << shift) - 1)[:_WIDTH])
        unit, twice = Signal(unsigned(_WIDTH + 1)), Signal(unsigned(_WIDTH + 1))
        m.d.comb += [unit.eq(1 << shift), twice.eq(lost << 1)]
        half  = (value >> (shift - 1)[:5])[0]
        below = (lost & ((1 << (shift - 1)[:5]) - 1)[:_WIDTH]).any()
        up    = arith.rounds_up(mode, half, below, floor[0])
        nearest = (mode == RoundMode.UP) | (mode == RoundMode.TWICE)
        expected = Mux(nearest, twice >= unit, (mode == RoundMode.CONVERGENT) & (
            (twice > unit) | ((twice == unit) & floor[0])))
        m.d.comb += [Assume(shift != 0), Assert(up == expected), Cover(up & (twice == unit)),
                     Cover(~up & (twice == unit) & (mode == RoundMode.CONVERGENT))]
    return Bench([value, shift, mode], build)


def _even(original):
    return lambda mode, half, below, odd: original(mode, half, below, ~odd)


def _shifts():
    """A coarse and a fine shift with an OR over all lost bits; the inputs are held."""
    unit, kept = Funnel(value_bits=_WIDTH, kept=33, amount_bits=5), 33
    held, amount = Signal(signed(_WIDTH)), Signal(5)

    def build(m):
        m.submodules.unit = unit
        m.d.comb += [unit.value.eq(held), unit.amount.eq(amount)]
        time  = hold(m, held, amount)
        whole = held >> amount
        lost  = held.as_unsigned() & ((1 << amount) - 1)[:_WIDTH]
        found = Mux(unit.last, unit.o[1:], unit.o[:kept])
        m.d.comb += [
            Assert((time < Funnel.LATENCY) | (
                (found[:kept] == whole[:kept]) & (unit.sticky == lost.any())
                & (unit.beyond == ~arith.sign_uniform(whole, kept))
                & (unit.negative == held[-1]))),
            Cover((time == Funnel.LATENCY) & unit.last & unit.sticky & unit.beyond)]
    return Bench([held, amount], build)


def _forget_a_group(original):
    return lambda value, unit, count: [*original(value, unit, count)[:-1], Const(0, 1)]


PROPERTIES = (
    *_ADDERS,
    Property("range: signed bits", "A number fits a width if and only if its upper bits are equal",
             _fits, 1, (Fault("one bit too many is compared", arith, "sign_uniform",
                              lambda original: lambda value, width: original(value, width - 1)),)),
    Property("compare: signed", "The sign of a wide difference is the comparison",
             _compares, 1, (Fault("the operands are swapped", arith, "less",
                                  lambda original: lambda one, other: original(other, one)),)),
    Property("round: every mode, shifts of 1 to 31",
             "Down, up, convergent and twice round a 41-bit number as exact quotients do",
             _rounds, 1, (Fault("convergent rounds to odd", arith, "rounds_up", _even),)),
    Property("shift: 41 bits by 0 to 31", "The funnel shifter keeps, loses and exceeds as a shift "
             "in one step does", _shifts, 4, (
                 Fault("a group of lost bits is forgotten", funnel_module, "_fallen",
                       _forget_a_group),)),
)
