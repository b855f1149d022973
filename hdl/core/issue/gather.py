"""The lanes of a gather: whose turn it is, and where the sums go."""

from amaranth import Module, Mux, Signal, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.isa import ADDRESS_BITS, BANKS
from hdl.limits import check_ways

__all__ = ["Gather"]

_RELATIVE = signed(ADDRESS_BITS)


class Gather(wiring.Component):
    """Tell which step ends a sum: in a gather that of the last lane, else that of the last tap.

    A gather pass is one sequence of steps. Every ``lanes`` consecutive steps form one sum; the last
    sum may be shorter. Latency 1 cycle, throughput 1 step a cycle, no backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4; TypeError for what is no int, ValueError
        otherwise

    Members
    -------
    seat : In(1), an output of the loop sequencer is taken; gathers, first, last : In(1), its pass
        is a gather, begins and ends with it; z : In(signed), its address of Z
    beats : In(3), of the pass at hand
    tag : In(1), the step at hand is the last of an output of the loop sequencer; step : In(1), the
        step is issued
    ends : Out(1), it is the last of its sum: stands before ``step`` is known
    active : Out(1), the pass at hand is a gather; lane : Out, the step's
    target : Out(signed), where the sum goes; count : Out(3), how many groups of it
    flush : In(1)
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
        full  = Signal()          # the lane is the last one
        whole = Signal(init=1)    # the last tap ends the sum: of a gather only that of the pass
        m.d.comb += [
            self.ends.eq(full | (self.tag & whole)),
            self.count.eq(Mux(self.active, self.lane[exact_log2(self._ways):] + 1, self.beats))]
        with m.If(self.step):
            more = self.active & ~self.ends
            m.d.sync += [self.lane.eq(Mux(more, self.lane + 1, 0)),
                         full.eq(more & (self.lane == lanes - 2))]
        with m.If(self.seat):
            m.d.sync += [self.active.eq(self.gathers), whole.eq(self.last | ~self.gathers)]
        fresh = Signal()  # known late, so it comes behind the addition
        m.d.comb += fresh.eq(self.seat & (self.first | ~self.gathers))
        with m.If(fresh | (self.step & self.ends)):
            m.d.sync += self.target.eq(Mux(fresh, self.z, self.target + BANKS))
        with m.If(self.flush):
            m.d.sync += [self.lane.eq(0), full.eq(0), whole.eq(1), self.active.eq(0)]
        return m
