# SPDX-License-Identifier: Apache-2.0
"""Advance: the next value of a counter that can be loaded."""

from amaranth import Cat, Const, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.carry import SelectAdd
from xymac.hdl.limits import check_between, check_vendor

__all__ = ["Advance", "advance"]


class Advance(wiring.Component):
    """Count up, or down with ``down``, or load a value, in the carry cells of a single adder.

    ``o`` is ``value + more`` with ``load``, otherwise ``number`` and 1 more or less. It wraps to
    ``width`` bits. Latency 0 cycles, throughput 1 value a cycle, no backpressure.

    Parameters
    ----------
    width : int, 1 .. 64; down : int, 0 or 1; TypeError unless an int, ValueError outside
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    load : In(1), value : In(width), more : In(1), number : In(width)
    o : Out(width)
    """

    def __init__(self, *, width, down=0, vendor=None):
        self._down   = check_between("Down", down, 0, 1)
        self._vendor = check_vendor(vendor)
        self._width  = check_between("Width", width, 1, 64)
        super().__init__({"load": In(1), "value": In(width), "more": In(1), "number": In(width),
                          "o": Out(width)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.add = add = SelectAdd(width=self._width, vendor=self._vendor)
        rest = ~self.load if self._down else Const(0)
        m.d.comb += [
            add.term.eq(Cat(Mux(self.load, self.more, 1), rest.replicate(self._width - 1))),
            add.high.eq(self.value), add.low.eq(self.number),
            add.select.eq(self.load.replicate(self._width)), self.o.eq(add.o)]
        return m


def advance(m, name, load, value, number, *, more=0, down=0, vendor=None):
    """The next value of the counter ``number``; adds an ``Advance`` ``name`` to ``m``.

    Call it outside any ``m.If``, whose condition would gate the adder's inputs.
    """
    m.submodules[name] = unit = Advance(width=len(number), down=down, vendor=vendor)
    m.d.comb += [unit.load.eq(load), unit.value.eq(value), unit.more.eq(more),
                 unit.number.eq(number)]
    return unit.o
