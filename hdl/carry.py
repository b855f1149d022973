"""Additions with logic in front of them, in the carry cells themselves."""

from amaranth import Const, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .limits import check_between, check_vendor

__all__ = ["GatedAdd", "SelectAdd"]

_WIDTH_MAX = 64
_CELL_BITS = 2  # bits of a sum in a carry cell
_INPUTS    = 4  # of each of its look-up tables


def _add(m, number, others, second, vendor):
    """Return ``number + second(*others)``, all of one width; ``second`` works bit by bit.

    An adder of an ECP5 leaves two of the four inputs of each look-up table of a CCU2C unused. Such
    a table computes the sum bit without the carry. Where that is 0, both bits are alike, and the
    carry is the bit of the first number: the table of its first two inputs alone must give it.
    """
    if vendor is None:
        return number + second(*others)
    table = Const(_table(second), 1 << _INPUTS)
    carry = Const(0)
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


def _table(second):
    """Contents of the look-up table: the sum bit for every value of the four inputs."""
    bits = [[value >> place & 1 for place in range(_INPUTS)] for value in range(1 << _INPUTS)]
    return sum(((first ^ second(*others)) & 1) << value
               for value, (first, *others) in enumerate(bits))


def _gate(acc, going, seed):
    return (acc & going) | seed


def _select(high, low, select):
    return (high & select) | (low & ~select)


class GatedAdd(wiring.Component):
    """Accumulate: ``o = term + (acc & going | seed)``, wrapped to ``width`` bits.

    Latency 0 cycles, throughput 1 sum a cycle, no backpressure.

    Parameters
    ----------
    width : int, bits of every number, 1 .. 64; TypeError for what is no int, ValueError outside
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
    """Add one of two numbers, chosen bit by bit: ``o = term + (high & select | low & ~select)``.

    The sum is wrapped to ``width`` bits. Latency 0 cycles, throughput 1 sum a cycle, no
    backpressure.

    Parameters
    ----------
    width : int, bits of every number, 1 .. 64; TypeError for what is no int, ValueError outside
    vendor : None for portable logic, "ecp5" for its carry cells; ValueError otherwise

    Members
    -------
    term : In(width), high : In(width), low : In(width), select : In(width)
    o : Out(width)
    """

    def __init__(self, *, width, vendor=None):
        self._width  = check_between("Width", width, 1, _WIDTH_MAX)
        self._vendor = check_vendor(vendor)
        super().__init__({"term": In(width), "high": In(width), "low": In(width),
                          "select": In(width), "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(_add(m, self.term, (self.high, self.low, self.select), _select,
                                   self._vendor))
        return m
