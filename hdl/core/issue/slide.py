# SPDX-License-Identifier: Apache-2.0
"""Slide: the column of each step, and the MACs with a valid column."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.core.step import ToIssue
from xymac.hdl.isa import BANKS

__all__ = ["Slid", "Slide"]

#: A slide step. ``begin``: the first step of the sum; ``ways``: MACs with a valid column;
#: ``place``: index of its element in the lanes; ``rows``: steps per column, 0 without a slide.
Slid = data.StructLayout({"begin": 1, "ways": BANKS, "place": 4, "rows": 4})


class Slide(wiring.Component):
    """Track the columns of slide outputs.

    A sum begins with the last column of its output; earlier columns only fill the lanes. No MAC
    uses a column beyond the image, nor a column from another output row. Latency 0 cycles,
    throughput 1 step a cycle, no backpressure. Takes no parameters.

    Members
    -------
    output : In(ToIssue), the current output
    step : In(1), a step is issued; ends : In(1), it is the last step of its output; flush : In(1)
    fresh : Out(1), the step is the first step of its output
    o : Out(Slid)
    """

    output: In(ToIssue)
    step:   In(1)
    ends:   In(1)
    flush:  In(1)
    fresh:  Out(1, init=1)
    o:      Out(Slid)

    def elaborate(self, platform):
        m = Module()
        output = self.output
        top    = Signal(init=1)  # the first step of a column
        before = Signal(BANKS)   # ``ways`` of the previous step
        left   = Signal.like(output.rows)     # remaining steps of the column
        more   = Signal.like(output.columns)  # remaining columns
        steps, coming = Signal.like(left, name="steps"), Signal.like(more, name="coming")
        final  = Signal()        # the next column is the last column
        place  = Signal(4)
        kept = before & ~(self.fresh & output.begins).replicate(BANKS)
        m.d.comb += [
            self.o.ways.eq(Mux(top, Cat(~output.blank, kept), before)),
            coming.eq(Mux(self.fresh, output.columns, more) - top),
            steps.eq(Mux(top, output.rows, left) - 1),
            self.o.begin.eq(Mux(output.slide, top & Mux(self.fresh, output.columns == 1, final),
                                self.fresh)),
            self.o.rows.eq(Mux(output.slide, output.rows, 0)), self.o.place.eq(place)]
        with m.If(self.step & output.slide):
            m.d.sync += [top.eq(steps == 0), left.eq(steps), before.eq(self.o.ways),
                         more.eq(coming), final.eq(coming == 1), place.eq(place + 1)]
        with m.If(self.step):
            m.d.sync += self.fresh.eq(0)
        with m.If((self.step & self.ends) | self.flush):
            m.d.sync += [top.eq(1), self.fresh.eq(1)]
        return m
