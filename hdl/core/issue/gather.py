# SPDX-License-Identifier: Apache-2.0
"""Gather: the lane of each step, and the targets of the sums."""

from amaranth import Module, Mux, Signal, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.isa import ADDRESS_BITS, BANKS
from xymac.hdl.limits import check_ways

__all__ = ["Gather"]

_RELATIVE = signed(ADDRESS_BITS)


class Gather(wiring.Component):
    """Find the step that ends a sum: the last lane in a gather, else the last tap.

    A gather pass is a single sequence of steps. Every ``lanes`` consecutive steps form a sum; the
    last sum may be shorter. Latency 1 cycle, throughput 1 step a cycle, no backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    seat : In(1), issue accepts a loop sequencer output; gathers : In(1), its pass is a gather;
        first, last : In(1), it is the first or last output of the pass; z : In(signed), its Z
        address
    beats : In(3), beats of the current pass
    tag : In(1), the current step is the last step of its output; step : In(1), it is issued
    ends : Out(1), the current step is the last step of its sum; independent of ``step``
    active : Out(1), the current pass is a gather; lane : Out(range(lanes)), lane of the step
    target : Out(signed), Z address of the sum; count : Out(3), its number of vectors
    flush : In(1), discard the current sum
    """

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        super().__init__({
            "seat": In(1), "gathers": In(1), "first": In(1), "last": In(1), "z": In(_RELATIVE),
            "beats": In(unsigned(3)), "tag": In(1), "step": In(1), "ends": Out(1),
            "active": Out(1), "lane": Out(range(BANKS * ways)), "target": Out(_RELATIVE),
            "count": Out(unsigned(3)), "flush": In(1)})

    def elaborate(self, platform):
        m = Module()
        lanes = BANKS * self._ways
        full  = Signal()          # the current lane is the last lane
        whole = Signal()          # the last tap ends the sum; in a gather only the pass's last tap
        m.d.comb += [
            self.ends.eq(full | (self.tag & whole)),
            self.count.eq(Mux(self.active, self.lane[exact_log2(self._ways):] + 1, self.beats))]
        with m.If(self.step):
            more = self.active & ~self.ends
            m.d.sync += [self.lane.eq(Mux(more, self.lane + 1, 0)),
                         full.eq(more & (self.lane == lanes - 2))]
        with m.If(self.seat):
            m.d.sync += [self.active.eq(self.gathers), whole.eq(self.last | ~self.gathers)]
        fresh = Signal()  # known late, so selected after the addition
        m.d.comb += fresh.eq(self.seat & (self.first | ~self.gathers))
        with m.If(fresh | (self.step & self.ends)):
            m.d.sync += self.target.eq(Mux(fresh, self.z, self.target + BANKS))
        with m.If(self.flush):
            m.d.sync += [self.lane.eq(0), full.eq(0)]
        return m
