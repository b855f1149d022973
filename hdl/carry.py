# SPDX-License-Identifier: Apache-2.0
"""Adders with operand logic in the same carry cells."""

from amaranth import Cat, Const, Instance, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .limits import check_between, check_vendor

__all__ = ["FlipAdd", "GatedAdd", "SelectAdd", "SelectGreater"]

_WIDTH_MAX = 64
_CELL_BITS = 2  # sum bits per carry cell
_INPUTS    = 4  # inputs of each lookup table in the cell


def _add(m, number, others, second, vendor, *, inverted=False, carry=0):
    """Return ``number + second(*others) + carry``, or ``~number + ...`` if ``inverted``.

    All operands have equal width; ``second`` is a bitwise function. An ECP5 adder leaves two of the
    four inputs of each lookup table in a CCU2C unused; here ``second`` uses them. The table
    computes the sum bit without the carry. If this bit is 0, both operand bits are equal, and the
    carry out is the first operand's bit: the table must yield it from its first two inputs alone.
    """
    if vendor is None:
        return (~number if inverted else number) + second(*others) + carry
    table = Const(_table(second, inverted), 1 << _INPUTS)
    carry = Const(carry, 1)
    sums = Signal(len(number))
    for low in range(0, len(number), _CELL_BITS):
        ports = {f"i_{pin}{half}": port[low + half] if low + half < len(number) else Const(0)
                 for pin, port in zip("ABCD", (number, *others), strict=True)
                 for half in range(_CELL_BITS)}
        pair, above = Signal(_CELL_BITS, name=f"sum_{low}"), Signal(name=f"carry_{low}")
        m.submodules[f"cell_{low}"] = Instance(
            "CCU2C", p_INIT0=table, p_INIT1=table, p_INJECT1_0="NO", p_INJECT1_1="NO",
            i_CIN=carry, **ports, o_S0=pair[0], o_S1=pair[1], o_COUT=above)
        m.d.comb += sums[low:low + _CELL_BITS].eq(pair)
        carry = above
    return sums


def _table(second, inverted):
    """Lookup table content: the sum bit without carry, for every value of the four inputs."""
    bits = [[value >> place & 1 for place in range(_INPUTS)] for value in range(1 << _INPUTS)]
    return sum(((first ^ inverted ^ second(*others)) & 1) << value
               for value, (first, *others) in enumerate(bits))


def _gate(acc, going, seed):
    return (acc & going) | seed


def _select(high, low, select):
    return (high & select) | (low & ~select)


def _flip(other, flip, every):
    return (other ^ flip) & every


class GatedAdd(wiring.Component):
    """Accumulate: ``o = term + (acc & going | seed)``, wrapped to ``width`` bits.

    Latency 0 cycles, throughput 1 sum a cycle, no backpressure.

    Parameters
    ----------
    width : int, operand width, 1 .. 64 bits; TypeError for another type, ValueError outside
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    term : In(width), acc : In(width), going : In(width), seed : In(width)
    o : Out(width)
    """

    def __init__(self, *, width, vendor=None):
        self._width  = check_between("Width", width, 1, _WIDTH_MAX)
        self._vendor = check_vendor(vendor)
        super().__init__({"term": In(width), "acc": In(width), "going": In(width),
                          "seed": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(_add(m, self.term, (self.acc, self.going, self.seed), _gate,
                                   self._vendor))
        return m


class SelectAdd(wiring.Component):
    """Add a bitwise selection from two numbers: ``o = (high & select | low & ~select) + term``.

    With ``subtract``, ``term`` is taken off the selection. The sum wraps to ``width`` bits. Latency
    0 cycles, throughput 1 sum a cycle, no backpressure.

    Parameters
    ----------
    width : int, operand width, 1 .. 64 bits; TypeError for another type, ValueError outside
    subtract : int, 0 or 1; the same errors
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    term : In(width), high : In(width), low : In(width), select : In(width)
    o : Out(width)
    """

    def __init__(self, *, width, subtract=0, vendor=None):
        self._width    = check_between("Width", width, 1, _WIDTH_MAX)
        self._subtract = check_between("Subtract", subtract, 0, 1)
        self._vendor   = check_vendor(vendor)
        super().__init__({"term": In(width), "high": In(width), "low": In(width),
                          "select": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(_add(m, self.term, (self.high, self.low, self.select), _select,
                                   self._vendor, inverted=bool(self._subtract),
                                   carry=self._subtract))
        return m


class FlipAdd(wiring.Component):
    """Add a number with inverted bits where ``flip`` is 1: ``o = term + (other ^ flip)``.

    The sum wraps to ``width`` bits. Latency 0 cycles, throughput 1 sum a cycle, no backpressure.

    Parameters
    ----------
    width : int, operand width, 1 .. 64 bits; TypeError for another type, ValueError outside
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    term : In(width), other : In(width), flip : In(width)
    o : Out(width)
    """

    def __init__(self, *, width, vendor=None):
        self._width  = check_between("Width", width, 1, _WIDTH_MAX)
        self._vendor = check_vendor(vendor)
        super().__init__({"term": In(width), "other": In(width), "flip": In(width),
                          "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        every = Const(-1, self._width)
        m.d.comb += self.o.eq(_add(m, self.term, (self.other, self.flip, every), _flip,
                                   self._vendor))
        return m


class SelectGreater(wiring.Component):
    """Compare a selected signed number: ``o = (high if select else low) > term``.

    Latency 0 cycles, throughput 1 comparison a cycle, no backpressure.

    Parameters
    ----------
    width : int, operand width, 1 .. 63 bits; TypeError for another type, ValueError outside
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    term : In(signed(width)), high : In(signed(width)), low : In(signed(width)), select : In(1)
    o : Out(1)
    """

    def __init__(self, *, width, vendor=None):
        self._width  = check_between("Width", width, 1, _WIDTH_MAX - 1)
        self._vendor = check_vendor(vendor)
        number = signed(width)
        super().__init__({"term": In(number), "high": In(number), "low": In(number),
                          "select": In(1), "o": Out(1)})

    def elaborate(self, platform):
        m = Module()
        term, high, low = (Cat(value, value[-1]) for value in (self.term, self.high, self.low))
        less = _add(m, term, (high, low, self.select.replicate(self._width + 1)), _select,
                    self._vendor, inverted=True)  # selected - term - 1
        m.d.comb += self.o.eq(~less[self._width])
        return m
