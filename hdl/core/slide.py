"""Where the steps of a slide are: in which column, and which ways have one."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.isa import BANKS

from .walker import Output

__all__ = ["Slide"]


class Slide(wiring.Component):
    """Follow the columns of the outputs of a slide.

    A sum begins with the last column of its output; those before it are only kept. A column that
    lies beyond the image, and one that another row of outputs has read, is that of no way. Latency
    0 cycles, throughput 1 step a cycle, no backpressure. Takes no parameters.

    Members
    -------
    output : In(Output), at hand; fresh : In(1), its first step is to come
    step : In(1), a step is issued; ends : In(1), it is the last of its output; flush : In(1)
    begin : Out(1), the sum begins with this step
    ways : Out(4), those that have a column, of a slide
    place : Out(4), where lanes keep the element of the step
    rows : Out(4), steps of a column, 0 of what is no slide
    """

    output: In(Output)
    fresh:  In(1)
    step:   In(1)
    ends:   In(1)
    flush:  In(1)
    begin:  Out(1)
    ways:   Out(BANKS)
    place:  Out(4)
    rows:   Out(4)

    def elaborate(self, platform):
        m = Module()
        output = self.output
        top    = Signal(init=1)  # the step is the first of its column
        before = Signal(BANKS)   # ways of the step before
        left, steps = Signal(16), Signal(16)  # of the column, before and behind the step
        more, coming = Signal(16), Signal(16)  # columns of the output behind this one
        kept = before & ~(self.fresh & output.begins).replicate(BANKS)
        m.d.comb += [
            self.ways.eq(Mux(top, Cat(~output.blank, kept), before)),
            coming.eq(Mux(self.fresh, output.rows - 1, Mux(top, more - 1, more))),
            steps.eq(Mux(top, output.cols, left) - 1),
            self.begin.eq(Mux(output.slide, top & (coming == 0), self.fresh)),
            self.rows.eq(Mux(output.slide, output.cols, 0))]
        with m.If(self.step & output.slide):
            m.d.sync += [top.eq(steps == 0), left.eq(steps), before.eq(self.ways),
                         more.eq(coming), self.place.eq(self.place + 1)]
        with m.If((self.step & self.ends) | self.flush):
            m.d.sync += top.eq(1)
        return m
