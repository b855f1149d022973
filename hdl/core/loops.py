# SPDX-License-Identifier: Apache-2.0
"""Loops: the output loop that steps next, and the parameter rows of the outermost loop."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import times
from xymac.hdl.isa import HELD
from xymac.hdl.limits import ROWS_MAX, check_between

__all__ = ["LEVELS", "Loops", "Records"]

LEVELS = 3  #: Output loops of a pass; level 0 is the outermost.


class Loops(wiring.Component):
    """Select the output loop that steps after each output.

    Every output has a period of four phases (0 .. 3). The innermost loop below its last index
    steps. All loops inside it restart: they are ``fresh``, and their counters are not read before
    they step.
    Latency: ``level`` is valid from phase 1 to the next phase 0; throughput 1 step in 4 cycles;
    honours backpressure through ``taken``. Takes no parameters.

    Members
    -------
    phase : In(2), 0 and ``clear`` while no pass runs; taken : In(1), the last cycle of phase 3
    clear : In(1), discard the pass
    ones : In(3), bit ``n``: loop ``n`` has a single index; loop 0 is the outermost
    one : In(1), in phase 3: after its step, ``level`` is at its last index
    level : Out(loop), steps after this output; done : Out(1), no loop steps
    fresh : Out(3), bit ``n``: loop ``n`` is at its first index; from phase 0 to phase 3
    source : Out(loop), supplies the address for the step; from phase 2 to phase 0
    renew : Out(1), in phase 2, ``level`` is at its first index
    held : Out(loop), stepped to this output; from phase 0 to phase 3
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
    """Track the Y row of the parameters, and the save entry, per outermost index.

    Latency 1 cycle from ``load`` or ``step``, 2 cycles to ``bad``, throughput 1 step in 4 cycles,
    no backpressure.

    Parameters
    ----------
    y_rows : int, rows of Y memory, from the parameters of a single output up to 4096
    bias_rows : int, rows of Y per bias, 1 .. 3

    TypeError unless an int, ValueError out of range.

    Members
    -------
    row : In(16), entry : In, both for the first index of the pass
    scaled, addend, once : In(1), parameters of the pass
    load, step : In(1), first index, next index; later : In(1), not the first index
    bias_row : Out(16), held : Out, row and entry of the current index
    count : Out(2), parameter sets (scale, addend) before the bias; bad : Out(1), the parameters end
        outside Y
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
        rows = Signal(range(3 * self._bias_rows + 1))  # rows of all parameters of the index
        end  = Signal(17, reset_less=True)  # first row behind them
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
