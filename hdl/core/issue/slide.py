"""Where the steps of a slide are: in which column, and which ways have one."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.core.step import ToIssue
from hdl.isa import BANKS

__all__ = ["Slid", "Slide"]

#: A step of a slide: the sum begins with it; the ``ways`` that have a column; where lanes keep its
#: element; steps of a column, 0 of what is no slide.
Slid = data.StructLayout({"begin": 1, "ways": BANKS, "place": 4, "rows": 4})


class Slide(wiring.Component):
    """Follow the columns of the outputs of a slide.

    A sum begins with the last column of its output; those before it are only kept. A column that
    lies beyond the image, and one that another row of outputs has read, is that of no way. Latency
    0 cycles, throughput 1 step a cycle, no backpressure. Takes no parameters.

    Members
    -------
    output : In(ToIssue), at hand
    step : In(1), a step is issued; ends : In(1), it is the last of its output; flush : In(1)
    fresh : Out(1), the step is the first of its output
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
        top    = Signal(init=1)  # the step is the first of its column
        before = Signal(BANKS)   # ways of the step before
        left   = Signal.like(output.rows)     # steps of the column
        more   = Signal.like(output.columns)  # columns to come
        steps, coming = Signal.like(left, name="steps"), Signal.like(more, name="coming")
        final  = Signal()        # the next column is the last one
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
