"""Loops: which output loop steps next, and the records of the outermost one."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import times
from hdl.isa import HELD
from hdl.limits import ROWS_MAX, check_between

__all__ = ["LEVELS", "Loops", "Records"]

LEVELS = 3  #: Output loops of a pass; level 0 is the outermost.


class Loops(wiring.Component):
    """Decide which of the output loops steps behind each output.

    A period of four phases (0 .. 3) belongs to every output. The innermost loop that is not at its
    last index steps. The loops inside begin again: their counters are ``fresh``, and are not read
    before they step. Latency: ``level`` is right from phase 1 of an output to phase 0 of the next
    one; throughput one step in 4 cycles; honours backpressure by ``taken``. Takes no parameters.

    Members
    -------
    phase : In(2), 0 and ``clear`` while no pass runs; taken : In(1), the last cycle of phase 3
    clear : In(1), forget the pass
    ones : In(3), a bit for each loop of the pass that has one index, outermost first
    one : In(1), in phase 3, ``level`` has its last index after its step
    level : Out(loop that steps behind this output); done : Out(1), none does
    fresh : Out(3), a bit for each loop that has its first index, from phase 0 to phase 3
    source : Out(loop whose address ``level`` steps), from phase 2 to phase 0
    renew : Out(1), in phase 2, ``level`` has its first index
    held : Out(loop that has stepped to this output), from phase 0 to phase 3
    """

    phase:  In(2)
    taken:  In(1)
    clear:  In(1)
    ones:   In(LEVELS)
    one:    In(1)
    level:  Out(range(LEVELS))
    done:   Out(1)
    fresh:  Out(LEVELS, init=(1 << LEVELS) - 1)
    source: Out(range(LEVELS))
    renew:  Out(1)
    held:   Out(range(LEVELS))

    def elaborate(self, platform):
        m = Module()
        outer, middle, inner = (self.level == loop for loop in range(LEVELS))
        counted = Signal(LEVELS, reset_less=True)  # the last index, unless fresh
        ends    = Signal(LEVELS)
        level, source = (Signal(range(LEVELS), name=name, reset_less=True)
                         for name in ("steps", "from"))
        done, renew = (Signal(name=name, reset_less=True) for name in ("none", "begins"))
        m.d.comb += [self.level.eq(level), self.done.eq(done), self.source.eq(source),
                     self.renew.eq(renew)]
        m.d.comb += ends.eq((self.fresh & self.ones) | (~self.fresh & counted))
        with m.If(self.phase == 0):
            m.d.sync += [level.eq(Mux(ends[2], ~ends[1], 2)), done.eq(ends.all())]
        with m.If(self.phase == 1):
            m.d.sync += [source.eq(self._source(inner, middle)),
                         renew.eq((self.fresh & (1 << level)).any())]
        with m.If(self.phase == 3):
            m.d.sync += [counted[loop].eq(Mux(steps, self.one, counted[loop]))
                         for loop, steps in enumerate((outer, middle, inner))]
        with m.If(self.taken):
            m.d.sync += [
                self.held.eq(Mux(self.done, 0, self.level)),
                self.fresh[0].eq(self.done | (self.fresh[0] & ~outer)),
                self.fresh[1].eq(self.done | outer | (self.fresh[1] & inner)),
                self.fresh[2].eq(self.done | ~inner)]
        with m.If(self.clear):
            m.d.sync += [self.held.eq(0), self.fresh.eq(self.fresh.init)]
        return m

    def _source(self, inner, middle):
        """The innermost loop, from ``level`` outwards, that has stepped."""
        stepped = ~self.fresh
        return Mux(inner & stepped[2], 2, (inner | middle) & stepped[1])


class Records(wiring.Component):
    """Where the records of an outermost index lie, and which entry its sums have.

    Latency 1 cycle from ``load`` or ``step``, 2 cycles to ``bad``, throughput one step in 4 cycles,
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
    load, step : In(1), its first index and the next one; later : In(1), an index after the first
    bias_row : Out(16), held : Out, of the index at hand
    count : Out(2), its records before the bias; bad : Out(1), they end behind Y
    """

    def __init__(self, *, y_rows, bias_rows):
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        self._y_rows    = check_between("Rows of Y", y_rows, 3 * bias_rows, ROWS_MAX)
        super().__init__({
            "row": In(16), "entry": In(range(HELD)), "scaled": In(1), "addend": In(1),
            "once": In(1), "load": In(1), "step": In(1), "later": In(1),
            "bias_row": Out(16), "held": Out(range(HELD)), "count": Out(2), "bad": Out(1)})

    def elaborate(self, platform):
        m = Module()
        rows = Signal(range(3 * self._bias_rows + 1))  # of all records of the index
        end  = Signal(17, reset_less=True)  # row behind them
        row  = Signal(16, reset_less=True)
        held = Signal(range(HELD), reset_less=True)
        m.d.comb += [self.count.eq(Mux(self.later & self.once, 0, self.scaled + self.addend)),
                     rows.eq(times(1 + self.count, self._bias_rows)),
                     self.bad.eq(end > self._y_rows), self.bias_row.eq(row), self.held.eq(held)]
        m.d.sync += end.eq(row + rows)
        with m.If(self.load | self.step):
            m.d.sync += [row.eq(Mux(self.load, self.row, end)),
                         held.eq(Mux(self.load, self.entry, held + 1))]
        return m
