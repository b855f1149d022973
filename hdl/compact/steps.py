# SPDX-License-Identifier: Apache-2.0
"""Pass steps: read order of the elements, and accumulation of the products."""

from amaranth import Cat, Module, Mux
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .memory import Cells, follow

__all__ = ["Combine", "Steps"]

#: A valid product goes into the accumulator of ``lane``.
Combine = data.StructLayout({"valid": 1, "lane": 2})


class Steps(wiring.Component):
    """Read an X element and a Y element for each lane of a step, X at least a cycle before Y.

    An accumulator is read two cycles before it is written. Latency ``Cells.LATENCY + 1`` cycles
    from a Y read to its product, throughput 1 element a cycle. Backpressure: a read waits for
    ``taken``. Takes no parameters.

    Members
    -------
    begin : In(1), a ``RUN`` starts; running : In(1), high until it ends
    left : In(1), steps remain; beats : In(2), number of lanes minus 1
    lanes : In(1), X has an element for each lane; else the lanes share a single X element
    asks : Out(1), read the element for ``lane`` : Out(2) from Y with ``of_y`` : Out(1), else from X
    taken : In(1), read accepted; advances : Out(1), the last read of a step is accepted
    x_arrives : Out(1), an X element is valid
    sum_lane : Out(2), lane of the accumulator to read; combine : Out(Combine)
    busy : Out(1), elements or products are in flight
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
        # Stages of an element: requested, being read, valid, product.
        asked  = Cat(self.asks & self.taken, self.of_y, self.lane)
        stages = follow(m, asked, Cells.LATENCY + 1, name="way")
        there, product = stages[Cells.LATENCY], stages[Cells.LATENCY + 1]
        m.d.comb += [
            self.x_arrives.eq(there[0] & ~there[1]), self.sum_lane.eq(there[2:]),
            self.combine.valid.eq(product[0] & product[1]), self.combine.lane.eq(product[2:]),
            self.busy.eq(Cat(stage[0] for stage in stages).any())]
        return m
