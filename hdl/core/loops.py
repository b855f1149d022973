"""Loops: the counters of the output loops, and the records of the outermost one."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import times
from hdl.isa import HELD
from hdl.limits import ROWS_MAX, check_between

__all__ = ["Loops", "Records"]

_COPIES = 3  #: Of the level, for as many steppers.


class Loops(wiring.Component):
    """Count the output loops.

    Latency 2 cycles from ``load`` or ``step`` to ``levels`` and ``done``, 1 to ``begins``,
    throughput one step in 2 cycles, no backpressure. Takes no parameters.

    Members
    -------
    counts : In(three 16), of the pass; load, step : In(1)
    levels : Out(copies of 3), a bit for the level that steps next, outermost first; the copies
        differ in what they hold at first, or synthesis would make them one
    done : Out(1), every loop has its last index; begins : Out(1), the innermost has its first
    """

    counts: In(data.ArrayLayout(unsigned(16), 3))
    load:   In(1)
    step:   In(1)
    levels: Out(data.ArrayLayout(3, _COPIES), init=[0b000, 0b111, 0b101])
    done:   Out(1)
    begins: Out(1)

    def elaborate(self, platform):
        m = Module()
        left   = [Signal(16, name=f"left{level}") for level in range(3)]
        ending = [Signal(name=f"ending{level}") for level in range(3)]
        level  = self.levels[0]
        m.d.comb += [end.eq(count == 1) for end, count in zip(ending, left, strict=True)]
        m.d.sync += [
            *(copy.eq(Cat(ending[2] & ending[1], ending[2] & ~ending[1], ~ending[2]))
              for copy in self.levels), self.done.eq(ending[0] & ending[1] & ending[2])]
        moves = level[0], ~level[2], 1
        for index, (count, first, goes) in enumerate(zip(left, self.counts, moves, strict=True)):
            with m.If(self.load | (self.step & goes)):
                m.d.sync += count.eq(Mux(self.load | ~level[index], first, count - 1))
        with m.If(self.load | self.step):
            m.d.sync += self.begins.eq(self.load | ~level[2])
        return m


class Records(wiring.Component):
    """Where the records of an outermost index lie, and which entry its sums have.

    Latency 1 cycle from ``load`` or ``step``, 3 cycles to ``bad``, throughput one step in 4 cycles,
    no backpressure.

    Parameters
    ----------
    y_rows : int, rows of Y memory, that of an output's records at least, up to 4096
    bias_rows : int, rows of Y that a bias takes, 1 .. 3

    TypeError for what is no int, ValueError outside.

    Members
    -------
    row : In(16), entry : In, of the first index of the pass; scaled, addend, once : In(1), its
        records
    clear : In(1), a pass is launched; load, step : In(1), its first index and the next one
    bias_row : Out(16), held : Out, of the index at hand
    count : Out(2), its records before the bias; bad : Out(1), they end behind Y
    """

    def __init__(self, *, y_rows, bias_rows):
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        self._y_rows    = check_between("Rows of Y", y_rows, 3 * bias_rows, ROWS_MAX)
        super().__init__({
            "row": In(16), "entry": In(range(HELD)), "scaled": In(1), "addend": In(1),
            "once": In(1), "clear": In(1), "load": In(1), "step": In(1),
            "bias_row": Out(16), "held": Out(range(HELD)), "count": Out(2), "bad": Out(1)})

    def elaborate(self, platform):
        m = Module()
        rows = Signal(range(3 * self._bias_rows + 1))  # of all records of the index
        last = Signal(16)  # row of which they may begin
        later = Signal()   # an index after the first
        m.d.comb += [self.count.eq(Mux(later & self.once, 0, self.scaled + self.addend)),
                     self.bad.eq(self.bias_row > last)]
        m.d.sync += [rows.eq(times(1 + self.count, self._bias_rows)),
                     last.eq(self._y_rows - rows)]
        with m.If(self.clear | self.step):
            m.d.sync += later.eq(self.step)
        with m.If(self.load | self.step):
            m.d.sync += [self.bias_row.eq(Mux(self.load, self.row, self.bias_row + rows)),
                         self.held.eq(Mux(self.load, self.entry, self.held + 1))]
        return m
