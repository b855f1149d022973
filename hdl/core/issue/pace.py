# SPDX-License-Identifier: Apache-2.0
"""Pace: the minimum distance to the next last step, bias read or mode change."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.core.output import OutputStage
from xymac.hdl.core.reduction import Heap
from xymac.hdl.core.scale import ScaleUnit
from xymac.hdl.isa import BANKS
from xymac.hdl.limits import check_ways

__all__ = ["Pace"]


class Pace(wiring.Component):
    """Space last steps for the drain or the heap, and delay a bias read after a first step.

    The lanes use a bias for ``BANKS`` cycles from the first step of its sum, and the drain takes a
    bank a cycle. Latency 1 cycle, throughput 1 step a cycle, no backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    heap : In(1), the current pass has ``RANK`` or ``POP``
    first, last : In(1), the first or last step of a sum is issued; a slot with a sent record is
        both
    closed : In(1), another block forbids a last step in the next cycle
    no_last : Out(1), no last step may issue; no_read : Out(1), no bias row may be read; no_send :
        Out(1), no record may be sent
    settled : Out(1), the mode may change
    """

    #: Cycles from the last step of a mode to the next mode: the extra latency of scaled sums, so
    #: no later sum overtakes them.
    SWITCH = ScaleUnit.LATENCY - OutputStage.PRODUCT + 1

    def __init__(self, *, ways):
        self._apart = max(Heap.POP, check_ways(ways) * Heap.CYCLES)  # cycles between last steps
        super().__init__({
            "heap": In(1), "first": In(1), "last": In(1), "closed": In(1), "no_last": Out(1),
            "no_read": Out(1), "no_send": Out(1), "settled": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        firsts   = [Signal(name=f"first{cycles}") for cycles in range(1, BANKS - 1)]
        last_gap = Signal(range(self._apart))
        since    = Signal(range(self.SWITCH + 1))
        apart    = Mux(self.heap, self._apart - 1, BANKS - 1)
        near     = self.last | (last_gap > 1)
        for first, before in zip(firsts, [self.first, *firsts], strict=False):
            m.d.sync += first.eq(before)
        m.d.sync += [
            last_gap.eq(Mux(self.last, apart, Mux(last_gap == 0, 0, last_gap - 1))),
            self.no_last.eq(near | self.closed), self.no_send.eq(near),
            self.no_read.eq(self.first | Cat(firsts).any()),
            since.eq(Mux(self.last, 0, since + 1)),
            self.settled.eq(~self.last & (self.settled | (since == self.SWITCH - 1)))]
        return m
