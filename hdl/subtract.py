# SPDX-License-Identifier: Apache-2.0
"""Subtractors with operand logic in the same carry cells."""

from amaranth import Cat, Const, Instance, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .limits import check_between, check_vendor

__all__ = ["GatedSubtract", "SwapSubtract"]

_WIDTH_MAX = 63
_CELL_BITS = 2  # difference bits per carry cell
_PINS      = 3  # inputs of each lookup table, without the constant


def _subtract(m, pins, propagate, generate):
    """Return the output of a carry chain over ``pins``, three numbers of equal width.

    The fourth input of each lookup table is 1. So the upper half of the table holds ``propagate``
    of the three bits. Its first four entries determine the carry; they hold ``generate`` of the
    first two bits.
    """
    bits  = [[value >> place & 1 for place in range(_PINS)] for value in range(1 << _PINS)]
    table = (sum(propagate(*row) << value for value, row in enumerate(bits)) << (1 << _PINS)
             | sum(generate(*row[:2]) << value for value, row in enumerate(bits[:4])))
    width, carry, parts = len(pins[0]), Const(0), []
    for low in range(0, width, _CELL_BITS):
        ports = {f"i_{pin}{half}": port[low + half] if low + half < width else Const(0)
                 for pin, port in zip("ABC", pins, strict=True) for half in range(_CELL_BITS)}
        pair, above = Signal(_CELL_BITS, name=f"pair_{low}"), Signal(name=f"carry_{low}")
        m.submodules[f"cell_{low}"] = Instance(
            "CCU2C", p_INIT0=Const(table, 16), p_INIT1=Const(table, 16), p_INJECT1_0="NO",
            p_INJECT1_1="NO", i_CIN=carry, **ports, i_D0=Const(1), i_D1=Const(1), o_S0=pair[0],
            o_S1=pair[1], o_COUT=above)
        parts.append(pair)
        carry = above
    return Cat(*parts)[:width]


class GatedSubtract(wiring.Component):
    """Gated subtraction: ``o = term - ((acc + less) if going else 0)``.

    The difference wraps to ``width`` bits. An additional bit below the lowest bit generates its
    carry. Latency 0 cycles, throughput 1 difference a cycle, no backpressure.

    Parameters
    ----------
    width : int, operand width, 1 .. 63 bits; TypeError for another type, ValueError outside
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    term : In(width), acc : In(width), less : In(1), going : In(1)
    o : Out(width)
    """

    def __init__(self, *, width, vendor=None):
        self._width  = check_between("Width", width, 1, _WIDTH_MAX)
        self._vendor = check_vendor(vendor)
        super().__init__({"term": In(width), "acc": In(width), "less": In(1), "going": In(1),
                          "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        if self._vendor is None:
            m.d.comb += self.o.eq(self.term - Mux(self.going, self.acc + self.less, 0))
            return m
        pins = (Cat(Const(1, 1), self.term), Cat(self.less, self.acc),
                self.going.replicate(self._width + 1))
        m.d.comb += self.o.eq(_subtract(m, pins, lambda term, acc, going: 1 ^ term ^ (acc & going),
                                        lambda term, acc: term)[1:])
        return m


class SwapSubtract(wiring.Component):
    """Subtract in either direction: ``o = second - first if swap else first - second``.

    The difference wraps to ``width`` bits. Latency 0 cycles, throughput 1 difference a cycle, no
    backpressure.

    Parameters
    ----------
    width : int, operand width, 1 .. 63 bits; TypeError for another type, ValueError outside
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    first : In(width), second : In(width), swap : In(1)
    o : Out(width)
    """

    def __init__(self, *, width, vendor=None):
        self._width  = check_between("Width", width, 1, _WIDTH_MAX)
        self._vendor = check_vendor(vendor)
        super().__init__({"first": In(width), "second": In(width), "swap": In(1),
                          "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        if self._vendor is None:
            m.d.comb += self.o.eq(Mux(self.swap, self.second - self.first,
                                      self.first - self.second))
            return m
        # One number is complemented. The bits below the lowest bit differ, which makes a carry.
        pins = (Cat(Const(0, 1), self.swap.replicate(self._width)), Cat(Const(1, 1), self.first),
                Cat(Const(0, 1), self.second))
        m.d.comb += self.o.eq(_subtract(m, pins, lambda swap, first, second: 1 ^ first ^ second,
                                        lambda swap, first: swap ^ first)[1:])
        return m
