# SPDX-License-Identifier: Apache-2.0
"""MAC array: columns of four lanes with their X and Y memories."""

from functools import reduce
from operator import or_

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import DelayLine, delay, pick, times
from xymac.hdl.config import WAYS
from xymac.hdl.isa import ACC_BITS, BANKS, BIAS_BITS, FLOOR_MAX, Op
from xymac.hdl.limits import check_one_of, check_vendor, check_ways

from .hold import Save
from .lane import Command, Lane
from .reduction import Extremes, Range
from .scale import Mode, Record
from .step import Kind, Step
from .xmem import Write, XMemory

__all__ = ["Array", "Column"]


class Column(wiring.Component):
    """Multiplex the accumulators of a column's four lanes, which finish in turn, onto one output.

    Latency ``LATENCY`` cycles, a cycle less to ``held``; throughput 1 accumulator per cycle, no
    backpressure. At most one lane finishes per cycle. Takes no parameters.

    Members
    -------
    acc : In(four signed(48)); done : In(4), bit ``b``: ``acc[b]`` is final in the next cycle
    o : Out(signed(48)), valid : Out(1); coming : Out(1), ``valid`` in the next cycle
    held : Out(signed(40)), the low 40 bits of ``o``, a cycle earlier
    """

    LATENCY = 2

    acc:   In(data.ArrayLayout(signed(BIAS_BITS), BANKS))
    done:  In(BANKS)
    o:      Out(signed(BIAS_BITS))
    valid:  Out(1)
    coming: Out(1)
    held:   Out(signed(ACC_BITS))

    def elaborate(self, platform):
        m = Module()
        bank  = Signal(range(BANKS), reset_less=True)
        found = Signal(signed(BIAS_BITS), reset_less=True)
        m.d.sync += [
            bank.eq(Cat(self.done[1] | self.done[3], self.done[2] | self.done[3])),
            found.eq(pick(self.acc, bank)), self.o.eq(found), self.valid.eq(self.coming)]
        m.d.comb += [self.coming.eq(delay(m, self.done.any(), 2, name="done")),
                     self.held.eq(found)]
        return m


class Array(wiring.Component):
    """Run steps on all lanes and deliver the finished accumulators, column by column.

    A command chain runs down the four banks of each column; a second chain links the heads of the
    columns. A lane therefore runs ``bank + column`` cycles behind the first lane. Each column
    delivers the banks of an output in consecutive cycles, a cycle behind the column before it.
    Latency ``first_sum`` cycles from the last step of an output to its first accumulator in the
    first column; throughput 1 step per cycle, no backpressure.

    Parameters
    ----------
    ways : int, MACs per lane, and columns: 1, 2 or 4
    x_rows, y_rows : int, rows of X memory and Y memory, 2 .. 4096
    extremes, window, comparison : int, 0 omits the logic for ``Reduce.RANGE``, for ``Op.SLIDE``,
        and for ``Op.MAX`` and ``Op.MIN``
    dma : int, 1 for the members ``write_y`` and ``data_y``; 0 omits them
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    TypeError unless an int, ValueError out of range.

    Members
    -------
    step : In(Step), every cycle; ``held`` follows the last step of its accumulator by a cycle
    mode : In(Mode), with the step
    acc : Out(``ways`` signed(48)), valid : Out(``ways``), per column
    record : Out(``ways`` Record), with ``valid``: ``acc`` is a parameter word, not an accumulator
    arriving : Out(1), the first column delivers an accumulator in the next cycle
    range : Out(Range), ``ranged`` cycles after a step; constant 0 with fewer than 4 MACs per lane
        or without ``extremes``
    write : In(Write); data : In(``ways`` 16-bit words), sampled in column ``c`` after ``c`` cycles
    write_y, data_y : In, likewise, of Y, while ``write`` and ``data`` are of X
    x_found : Out(``ways`` 16-bit words), X vector read for the host; x_valid : Out(1)
    y_found : Out(16), Y word read for the host; y_valid : Out(1), ``answer`` cycles after its step;
        the next host read of Y must follow it
    """

    X_PIPE = 1  # registers between X memory and the first lane

    def __init__(self, *, ways, x_rows, y_rows, extremes=1, window=1, comparison=1, dma=0,
                 vendor=None):
        self._ways, self._vendor = check_ways(ways), check_vendor(vendor)
        self._dma = check_one_of("Dma", dma, (0, 1))
        self._extremes, self._window, self._comparison = (check_one_of(name, value, (0, 1)) for
            name, value in (("Extremes", extremes), ("Window", window), ("Comparison", comparison)))
        self._x = XMemory(ways=ways, rows=x_rows, vendor=vendor)
        self.ranged = XMemory.PLAIN + exact_log2(BANKS * ways)
        self._lanes = []
        for position in range(BANKS * ways):
            column, bank = divmod(position, BANKS)
            self._lanes.append(Lane(ways=ways, rows=y_rows, lane=bank * ways + column,
                                    window=window, vendor=vendor))
        self._command_delay = XMemory.LATENCY + self.X_PIPE - Lane.X_LAG
        self.first_sum = self._command_delay + self._lanes[0].latency + Column.LATENCY
        self.answer = self._command_delay + self._lanes[0].latency + BANKS + ways - 2
        apart = {"write_y": In(Write(ways)), "data_y": In(data.ArrayLayout(16, ways))}
        super().__init__((apart if dma else {}) | {
            "step": In(Step), "mode": In(Mode),
            "acc": Out(data.ArrayLayout(signed(BIAS_BITS), ways)), "valid": Out(ways),
            "record": Out(data.ArrayLayout(Record, ways)), "arriving": Out(1), "range": Out(Range),
            "write": In(Write(ways)), "data": In(data.ArrayLayout(16, ways)),
            "x_found": Out(data.ArrayLayout(16, ways)), "x_valid": Out(1),
            "y_found": Out(16), "y_valid": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.x = x = self._x
        lanes = self._lanes
        m.d.comb += [x.read.address.eq(self.step.x), x.read.wide.eq(self.step.x_wide),
                     x.read.zero.eq(self.step.x_zero), x.read.lanes.eq(self.step.x_lanes),
                     x.read.crossed.eq(self.step.x_crossed),
                     x.read.one.eq(self.step.kind == Kind.HOST_Y),
                     lanes[0].command.eq(self._command(m)),
                     lanes[0].write.eq(self.write_y if self._dma else self.write)]
        cells, moved = (self.data_y, self.write) if self._dma else (self.data, None)
        for position, lane in enumerate(lanes):
            column, bank = divmod(position, BANKS)
            m.submodules[f"lane_{bank * self._ways + column}"] = lane
            group = (lanes[position - BANKS].next_x if column else
                     delay(m, x.o[bank], self.X_PIPE + bank, name=f"group{bank}"))
            m.d.comb += [lane.x.eq(group), lane.data.eq(
                lanes[position - 1].next_data if bank else cells[column])]
            if position:
                before = lanes[position - (1 if bank else BANKS)]
                m.d.comb += [lane.command.eq(before.next_command),
                             lane.write.eq(before.next_write)]
        held = self._saves(m)
        for column in range(self._ways):
            top = lanes[BANKS * column]
            m.d.comb += [x.write[column].eq(moved if self._dma else top.write),
                         x.data[column].eq(self.data[column])]
            if self._dma:
                moved = delay(m, moved, 1, name=f"x_write{column}")
            m.submodules[f"column_{column}"] = unit = Column()
            for bank in range(BANKS):
                lane = lanes[BANKS * column + bank]
                m.d.comb += [unit.acc[bank].eq(lane.acc), unit.done[bank].eq(lane.done),
                             lane.save.eq(held[column].o.banks[bank]),
                             lane.entry.eq(held[column].o.entry), lane.saved.eq(held[column].o.sum)]
            m.d.comb += [self.acc[column].eq(unit.o), self.valid[column].eq(unit.valid),
                         held[column].acc.eq(unit.held)]
            if column == 0:
                m.d.comb += self.arriving.eq(unit.coming & ~self._record(m).any())
        self._found(m, x, lanes)
        if self._ways == max(WAYS) and self._extremes:
            self._range(m, x)
        return m

    def _range(self, m, x):
        """Connect the unit that finds the range of the elements read by steps."""
        m.submodules.extremes = extremes = Extremes(ways=self._ways)
        assert extremes.latency == self.ranged - XMemory.PLAIN
        ranges = (self.step.kind == Kind.STEP) & self.step.ranges
        m.d.comb += [extremes.elements.eq(x.elements), self.range.eq(extremes.o),
                     extremes.valid.eq(delay(m, ranges, XMemory.PLAIN, name="ranges")),
                     extremes.fresh.eq(delay(m, self.step.anew, XMemory.PLAIN, name="anew"))]

    def _saves(self, m):
        """Connect a save unit per column; the save command moves on from column to column."""
        how  = self.step.held
        # ``step.held`` follows its step by a cycle, and ``Column.held`` the lane's ``acc`` by one.
        line = DelayLine(how.shape(), self.first_sum - Column.LATENCY - 1, vendor=self._vendor)
        m.submodules.how = line
        m.d.comb += line.i.eq(how)
        told, units = line.o, []
        for column in range(self._ways):
            m.submodules[f"save_{column}"] = unit = Save(vendor=self._vendor)
            m.d.comb += unit.i.eq(told)
            told = unit.next_i
            units.append(unit)
        return units

    def _command(self, m):
        """Decode a step into the lane command; every part arrives when the first lane needs it."""
        command = Signal(Command(self._ways))
        fields  = {"fetch": self._fetch(m), "operands": self._operands(m),
                   "seeds": self._seeds(m), "sums": self._sums(m)}
        for name, part in fields.items():
            m.d.comb += command[name].eq(part)
        return command

    def _late(self, m, part, value):
        """Delay ``value`` until its command part is due, less the cycle in its decoder."""
        return delay(m, value, self._command_delay - 1 + self._lanes[0].lag[part], name=part)

    def _index(self):
        """Row of Y for the step; twice the row for 8-bit elements, plus 1 for the upper byte."""
        y = self.step.y
        return Mux(self.step.y_lanes, y >> exact_log2(self._ways), y)

    def _fetch(self, m):
        fetch = Signal(Command(self._ways)["fetch"].shape, name="decoded_fetch", reset_less=True)
        index = self._index()
        m.d.sync += fetch.row.eq(Mux(self.step.y_wide, index, index >> 1))
        return self._late(m, "fetch", fetch)

    def _operands(self, m):
        step, ways = self.step, self._ways
        part   = Signal(Command(ways)["operands"].shape, name="decoded_operands", reset_less=True)
        record = (step.kind == Kind.SCALE) | (step.kind == Kind.ADDEND)
        every  = Mux(step.slides & (step.kind == Kind.STEP), step.ways, (1 << ways) - 1)
        way    = step.y[:exact_log2(ways)]
        m.d.sync += [
            part.byte.eq(self._index()[0] & ~step.y_wide), part.wide.eq(step.y_wide),
            part.way.eq(Mux(record, 0, Mux(step.y_lanes, 1 << way, every))),
            part.x_lanes.eq(step.x_lanes), part.place.eq(step.place if self._window else 0),
            *(each.eq(step.place - times(Mux(step.x_lanes, step.rows, 0), 1 + n))
              for n, each in enumerate(part.before if ways > 1 and self._window else ())),
            part.bias.eq(step.kind == Kind.BIAS)]
        return self._late(m, "operands", part)

    def _seeds(self, m):
        step = self.step
        part = Signal(Command(self._ways)["seeds"].shape, name="decoded_seeds", reset_less=True)
        sums = step.first & (step.op == Op.MAC)
        m.d.sync += [part.biased.eq(sums & step.biased), part.resume.eq(sums & step.resume),
                     part.entry.eq(step.entry)]
        return self._late(m, "seeds", part)

    def _sums(self, m):
        """Decode the ``sums`` part last: its clear mask for ``floor`` is wide."""
        step  = self.step
        kinds = Kind.STEP, Kind.SCALE, Kind.ADDEND
        rival, smallest = Const(0), Const(0)
        if self._comparison:
            rival, smallest = ~step.first & (step.op != Op.MAC), step.op == Op.MIN
        told  = Cat(reduce(or_, (step.kind == kind for kind in kinds)), step.last, rival, smallest,
                    ~step.first & (step.op == Op.MAC), self.mode.floor)
        told  = self._late(m, "sums", told)
        part  = Signal(Command(self._ways)["sums"].shape, name="decoded_sums", reset_less=True)
        steps, last, rival, smallest, keeps = told[:5]
        floor = told[5:]
        m.d.sync += [
            part.step.eq(steps), part.last.eq(steps & last), part.rival.eq(rival),
            part.smallest.eq(smallest), part.going.eq(Cat(
                *(keeps & ~(steps & last & (floor > place)) for place in range(FLOOR_MAX)), keeps))]
        return part

    def _record(self, m):
        """Mark parameter words in each column; returns the first column's mark, a cycle early."""
        kinds  = Cat(self.step.kind == Kind.SCALE, self.step.kind == Kind.ADDEND)
        banks  = [delay(m, kinds, self.first_sum - 2, name="kinds")]
        banks += [delay(m, banks[0], bank, name=f"kinds{bank}") for bank in range(1, BANKS)]
        coming = delay(m, banks[0] | banks[1] | banks[2] | banks[3], 1, name="coming")
        mark   = delay(m, coming, 1, name="record0")
        for column in range(self._ways):
            m.d.comb += self.record[column].eq(mark)
            mark = delay(m, mark, 1, name=f"record{column + 1}")
        return coming

    def _found(self, m, x, lanes):
        """Answer host reads of X and Y.

        A Y word leaves its lane as a dot product: its MAC multiplies by 1, the others by 0. The
        column register samples this product and keeps it until every column could have sampled its
        own.
        """
        step  = self.step
        asked = Signal(exact_log2(BANKS * self._ways), name="asked")  # bank above column
        reads = step.kind == Kind.HOST_Y
        with m.If(reads):
            m.d.sync += asked.eq(step.lane)
        bank, column = asked[-exact_log2(BANKS):], asked[:exact_log2(self._ways)]
        marks = [delay(m, reads, self._command_delay + self._lanes[0].latency - 1, name="host_y")]
        for place in range(1, BANKS + self._ways):
            marks.append(delay(m, marks[-1], 1, name=f"host_y{place}"))
        answers = [Signal(16, name=f"answer{number}", reset_less=True)
                   for number in range(self._ways)]
        for number, answer in enumerate(answers):
            with m.If(pick(marks[number:number + BANKS], bank)):
                m.d.sync += answer.eq(pick(
                    [lane.low for lane in lanes[BANKS * number:BANKS * (number + 1)]], bank))
        m.d.comb += [
            self.x_found.eq(x.o[0]),
            self.x_valid.eq(delay(m, step.kind == Kind.HOST_X, XMemory.LATENCY, name="host_x")),
            self.y_found.eq(pick(answers, column)), self.y_valid.eq(marks[-1])]
