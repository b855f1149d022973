"""Steps of a pass: the order in which their elements are read, and their products combined."""

from amaranth import Cat, Module, Mux
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .memory import Cells, follow

__all__ = ["Combine", "Steps"]

#: A product is combined with the sum of ``lane``.
Combine = data.StructLayout({"valid": 1, "lane": 2})


class Steps(wiring.Component):
    """Read an element of X and one of Y for each lane of a step, X a cycle ahead of Y at least.

    So a sum is read two cycles before it is written. Latency ``Cells.LATENCY + 1`` cycles from a
    read of Y to its product, throughput 1 element a cycle; a read waits for ``taken``, which is its
    backpressure. Takes no parameters.

    Members
    -------
    begin : In(1), a ``RUN`` starts; running : In(1), until it is done
    left : In(1), there are steps; lanes : In(1), X by lanes; beats : In(2), lanes less 1
    asks : Out(1), read the element of ``lane`` : Out(2) of Y, if ``of_y`` : Out(1), or of X;
        taken : In(1)
    advances : Out(1), the last element of a step is taken
    x_arrives : Out(1), an element of X is there
    sum_lane : Out(2), lane of the sum that is read; combine : Out(Combine)
    busy : Out(1), elements or products are on their way
    """

    begin:     In(1)
    running:   In(1)
    left:      In(1)
    lanes:     In(1)
    beats:     In(2)
    taken:     In(1)
    asks:      Out(1)
    of_y:      Out(1)
    lane:      Out(2)
    advances:  Out(1)
    x_arrives: Out(1)
    sum_lane:  Out(2)
    combine:   Out(Combine)
    busy:      Out(1)

    def elaborate(self, platform):
        m = Module()
        last = self.lane == self.beats
        m.d.comb += [self.asks.eq(self.running & self.left),
                     self.advances.eq(self.asks & self.taken & self.of_y & last)]
        with m.If(self.asks & self.taken):
            m.d.sync += self.of_y.eq(~self.of_y | (~self.lanes & ~last))
            with m.If(self.of_y):
                m.d.sync += self.lane.eq(Mux(last, 0, self.lane + 1))
        with m.If(self.begin):
            m.d.sync += [self.of_y.eq(0), self.lane.eq(0)]
        # An element: requested, being read, there; and as a product.
        asked  = Cat(self.asks & self.taken, self.of_y, self.lane)
        stages = follow(m, asked, Cells.LATENCY + 1, name="way")
        there, product = stages[Cells.LATENCY], stages[Cells.LATENCY + 1]
        m.d.comb += [
            self.x_arrives.eq(there[0] & ~there[1]), self.sum_lane.eq(there[2:]),
            self.combine.valid.eq(product[0] & product[1]), self.combine.lane.eq(product[2:]),
            self.busy.eq(Cat(stage[0] for stage in stages).any())]
        return m
