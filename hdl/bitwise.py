# SPDX-License-Identifier: Apache-2.0
"""Additions over two bitwise functions, in the carry cells themselves."""

from amaranth import Const, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .limits import check_between, check_one_of, check_vendor

__all__ = ["BitwiseAdd", "PassOrAdd"]

_WIDTH_MAX = 64
_CELL_BITS = 2  # bits of a sum in a carry cell
_INPUTS    = 4  # of each of its look-up tables
_GENERATE  = 0b1010  # table that carries its input A, and propagates nothing while D is 1


class BitwiseAdd(wiring.Component):
    """Add two bitwise functions over four numbers.

    ``o = first(a, b, c, d) + second(a, b, c, d) + carry``, wrapped to ``width`` bits. The functions
    use ``&``, ``|``, ``^`` and ``~`` alone. Each lookup table in a CCU2C computes a sum bit without
    the carry. If this bit is 0, both operand bits are equal, and the carry out is the bit of
    ``first``: the table must yield it from ``a`` and ``b`` alone, with ``c = d = 0``. Latency 0
    cycles, throughput 1 sum a cycle, no backpressure.

    Parameters
    ----------
    width : int, bits per number, 1 .. 64; TypeError unless an int, ValueError outside
    first, second : functions; TypeError for anything else, ValueError for functions beyond
        a carry cell
    carried : int, 0 leaves out ``carry``, which counts as 0 then, else 1; ValueError otherwise
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    a, b, c, d : In(width); carry : In(1)
    o : Out(width)
    """

    def __init__(self, *, width, first, second, carried=0, vendor=None):
        self._width   = check_between("Width", width, 1, _WIDTH_MAX)
        self._carried = check_one_of("Carried", carried, (0, 1))
        self._vendor  = check_vendor(vendor)
        self._first, self._second = first, second
        self._table = _table(first, second)
        super().__init__({**{name: In(width) for name in "abcd"}, "carry": In(1),
                          "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        inputs = self.a, self.b, self.c, self.d
        if self._vendor is None:
            carry = self.carry if self._carried else 0
            m.d.comb += self.o.eq(self._first(*inputs) + self._second(*inputs) + carry)
            return m
        halves = [(*(number[bit] for number in inputs), self._table, self.o[bit])
                  for bit in range(self._width)]
        if self._carried:
            halves.insert(0, (self.carry, Const(0), Const(0), Const(1), _GENERATE, Signal()))
        if len(halves) % _CELL_BITS:
            halves.append((*(Const(0),) * _INPUTS, 0, Signal()))
        carry = Const(0)
        for low in range(0, len(halves), _CELL_BITS):
            pair, above = halves[low:low + _CELL_BITS], Signal(name=f"carry_{low}")
            sums, ports = Signal(_CELL_BITS, name=f"sum_{low}"), {}
            for half, (*pins, table, _) in enumerate(pair):
                ports |= {f"i_{name}{half}": pin for name, pin in zip("ABCD", pins, strict=True)}
                ports |= {f"p_INIT{half}": Const(table, 1 << _INPUTS), f"p_INJECT1_{half}": "NO"}
            m.submodules[f"cell_{low}"] = Instance(
                "CCU2C", i_CIN=carry, **ports, o_S0=sums[0], o_S1=sums[1], o_COUT=above)
            m.d.comb += [bit.eq(total) for (*_, bit), total in zip(pair, sums, strict=True)]
            carry = above
        return m


def _table(first, second):
    """Lookup table content: the sum bit for every value of the four inputs."""
    for function in (first, second):
        if not callable(function):
            raise TypeError(f"A summand must be a function of four numbers, not {function!r}")
    values = [[value >> place & 1 for place in range(_INPUTS)] for value in range(1 << _INPUTS)]
    ones   = [(first(*bits) & 1, second(*bits) & 1) for bits in values]
    table  = sum((one ^ other) << value for value, (one, other) in enumerate(ones))
    for bits, (one, other) in zip(values, ones, strict=True):
        if one == other and one != table >> (bits[0] | bits[1] << 1) & 1:
            raise ValueError(f"A table without carry must be {one} for the inputs {bits[:2]}, "
                             f"as the equal operand bits for {bits}, not {1 - one}")
    return table


def PassOrAdd(*, width, carried=0, vendor=None):
    """A ``BitwiseAdd`` for ``a + b``; with ``c`` alone for ``b``, with ``c`` and ``d`` for ``a``.

    ``d`` must be 1 for the sum. With neither the result has no meaning.
    """
    return BitwiseAdd(
        width=width, carried=carried, vendor=vendor,
        first=lambda a, b, c, d: (a & d) | (b & ~d & (c | a)),
        second=lambda a, b, c, d: b & d & ~c)
