# SPDX-License-Identifier: Apache-2.0
"""Extremes: maximum and minimum X element read by a step, with a comparison tree."""

from amaranth import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay, less
from xymac.hdl.isa import BANKS
from xymac.hdl.limits import check_ways

__all__ = ["Extremes", "Range"]

#: Extremes of a ``RANGE`` step; ``fresh`` marks the first step of a range.
Range = data.StructLayout({
    "valid": 1, "fresh": 1, "maximum": signed(16), "minimum": signed(16)})


class Extremes(wiring.Component):
    """Find the maximum and the minimum element over all banks.

    Latency ``latency`` cycles, a cycle per tree level; throughput 1 row a cycle, no backpressure.

    Parameters
    ----------
    ways : int, lane columns: 1, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    elements : In(``BANKS * ways`` of signed(16)); valid, fresh : In(1)
    o : Out(Range)
    """

    def __init__(self, *, ways):
        self._lanes  = BANKS * check_ways(ways)
        self.latency = exact_log2(self._lanes)
        super().__init__({"elements": In(data.ArrayLayout(signed(16), self._lanes)),
                          "valid": In(1), "fresh": In(1), "o": Out(Range)})

    def elaborate(self, platform):
        m = Module()
        for name in ("maximum", "minimum"):
            values = list(self.elements)
            while len(values) > 1:
                winners = []
                for one, other in zip(values[::2], values[1::2], strict=True):
                    first = less(other, one) if name == "maximum" else less(one, other)
                    winner = Signal(signed(16), name=f"{name}{len(values) // 2}_{len(winners)}",
                                    reset_less=True)
                    m.d.sync += winner.eq(Mux(first, one, other))
                    winners.append(winner)
                values = winners
            m.d.comb += self.o[name].eq(values[0])
        m.d.comb += [self.o.valid.eq(delay(m, self.valid, self.latency, name="valid")),
                     self.o.fresh.eq(delay(m, self.fresh, self.latency, name="fresh"))]
        return m
