"""The output loops of a pass: where each output's taps start and what the border leaves of them."""

from amaranth import Cat, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.arith import times
from hdl.config import SLOTS
from hdl.isa import ADDRESS_BITS, HELD, AguMode, Encoded, Op, Scale
from hdl.limits import ROWS_MAX, check_between

from .border import Border
from .fetch.loader import Starts

__all__ = ["Output", "WalkSlots", "Walker"]

_RELATIVE = signed(ADDRESS_BITS)

#: The slot to walk, a copy for each of ``_PARTS`` and the rest: so many ends are far apart.
WalkSlots = data.ArrayLayout(range(SLOTS), 8)
_PARTS    = ("x", "y", "z", "rows", "cols", "outer", "taps")  # fields of a pass
_REST     = ("op", "bias", "bias_row", "entry", "wait", "hold", "resume", "scale", "addend", "once")


def _part(layout, *names):
    """The named members of a StructLayout alone."""
    return data.StructLayout({name: layout[name].shape for name in names})


_ACCESS   = _part(Encoded["z"].shape, "mode", "high", "outer")
_OPERAND  = data.StructLayout({
    "agu": _ACCESS, **{name: Encoded["x"].shape[name].shape for name in ("taps", "rows", "cols")}})
#: What the walker needs of a pass.
_Walked   = data.StructLayout({
    **{name: Encoded[name].shape for name in (*_PARTS, *_REST)},
    "x": _OPERAND, "y": _OPERAND, "z": _ACCESS})

#: One output of a pass. ``bias`` asks for its records first, ``records`` of them before the bias;
#: ``empty``: the border leaves no tap; ``entry`` is that of the sums that are held or resumed;
#: ``wait`` and ``resume``: what its pass waits for before this first output; ``hold`` of its pass;
#: ``gather``: so does its pass; ``slide``: likewise; ``begins``: the first output of a row;
#: ``blank``: its new column lies beyond the image.
Output = data.StructLayout({
    "x": _RELATIVE, "y": _RELATIVE, "z": _RELATIVE, "rows": unsigned(16), "cols": unsigned(16),
    "bias": 1, "bias_row": unsigned(16), "bias_bad": 1, "empty": 1, "slot": range(SLOTS),
    "first": 1, "last": 1, "wait": 1, "resume": 1, "hold": 1, "entry": range(HELD),
    "records": 2, "gather": 1, "slide": 1, "begins": 1, "blank": 1})


def _narrow(layout, value):
    """The members of ``value`` that ``layout`` has, in its order."""
    if not isinstance(layout, data.StructLayout):
        return Value.cast(value)
    return Cat(_narrow(field.shape, value[name]) for name, field in layout)


class _Stepper(wiring.Component):
    """Level addresses of one AGU over the three output loops; three cycles a step.

    The stride of ``level`` (a bit each) is added to that level's address all the time; three cycles
    later ``settle`` takes the sum, wrapped in modulo mode, for the levels whose bit is set. Latency
    3 cycles, throughput one step in 3 cycles, no backpressure. Takes no parameters.

    Members
    -------
    start : In(signed), strides : In(three signed(16)), modulo : In(1), high : In(17), of the pass
    load : In(1), all levels begin at ``start``; settle, level : In(3), outermost first
    address : Out(signed), of the innermost level
    """

    def __init__(self):
        super().__init__({
            "start": In(_RELATIVE), "strides": In(data.ArrayLayout(signed(16), 3)),
            "modulo": In(1), "high": In(unsigned(17)),
            "load": In(1), "settle": In(3), "level": In(3),
            "address": Out(_RELATIVE)})

    def elaborate(self, platform):
        m = Module()
        base    = [Signal(_RELATIVE, name=f"base{level}") for level in range(3)]
        moved, plain, below, above, wrapped = (Signal(_RELATIVE, name=name) for name in (
            "moved", "plain", "below", "above", "wrapped"))
        m.d.comb += self.address.eq(base[2])
        chosen = [Signal(_RELATIVE, name=f"chosen{n}") for n in range(2)]
        for level in range(3):
            with m.If(self.level[level]):
                m.d.sync += [chosen[0].eq(base[level]), chosen[1].eq(self.strides[level])]
        m.d.sync += [moved.eq(chosen[0] + chosen[1]), plain.eq(moved),
                     below.eq(moved + self.high + 1), above.eq(moved - self.high - 1)]
        m.d.comb += wrapped.eq(plain)
        with m.If(self.modulo):
            with m.If(plain < 0):
                m.d.comb += wrapped.eq(below)
            with m.Elif(above >= 0):
                m.d.comb += wrapped.eq(above)
        for level in range(3):
            with m.If(self.load):
                m.d.sync += base[level].eq(self.start)
            with m.Elif(self.settle[level]):
                m.d.sync += base[level].eq(wrapped)
        return m


class Walker(wiring.Component):
    """Produce the outputs of a pass in order.

    Latency ``CYCLES`` cycles from ``launch`` to the first output, throughput one output in as many;
    honours backpressure.

    Parameters
    ----------
    y_rows : int, rows of Y memory, that of an output's records at least, up to 4096
    bias_rows : int, rows of Y that a bias takes, 1 .. 3

    TypeError for what is no int, ValueError outside.

    Members
    -------
    coming : In(Encoded), moved : In(Starts), loading : In(``SLOTS``), a pass, where it starts, and
        the slot that takes both in this cycle, at the latest in the one before its launch
    slot : In(WalkSlots), which to walk, stable from ``launch`` to the end of ``busy``; handed on
        with every output
    launch : In(1), start; only while not ``busy``
    flush : In(1), stop
    busy : Out(1)
    o : Out(stream of Output)
    taps : Out(strides of the taps in X and in Y), count : Out(16), of the innermost, with ``o``
    """

    CYCLES = 4

    def __init__(self, *, y_rows, bias_rows):
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        self._y_rows    = check_between("Rows of Y", y_rows, 3 * bias_rows, ROWS_MAX)
        super().__init__({
            "coming": In(Encoded), "moved": In(Starts), "loading": In(SLOTS),
            "slot": In(WalkSlots), "launch": In(1), "flush": In(1),
            "busy": Out(1), "o": Out(stream.Signature(Output)),
            "taps": Out(data.ArrayLayout(data.ArrayLayout(signed(16), 3), 2)),
            "count": Out(unsigned(16))})

    def elaborate(self, platform):
        m = Module()
        self.pass_, starts = self._recall(m)
        steppers = [_Stepper() for _ in range(3)]
        for name, unit, start, agu in zip("xyz", steppers, starts, (
                self.pass_.x.agu, self.pass_.y.agu, self.pass_.z), strict=True):
            m.submodules[name] = unit
            m.d.comb += [unit.start.eq(start), unit.strides.eq(agu.outer),
                         unit.modulo.eq(agu.mode == AguMode.MODULO), unit.high.eq(agu.high)]
        m.submodules.rows = rows = Border()
        m.submodules.cols = cols = Border()
        for border, axis, index in ((rows, "rows", 0), (cols, "cols", 1)):
            m.d.comb += [border.axis.eq(self.pass_[axis]), border.count.eq(self.pass_.taps[index]),
                         border.x.eq(self.pass_.x[axis]), border.y.eq(self.pass_.y[axis])]
        self._control(m, steppers, rows, cols)
        return m

    def _recall(self, m):
        """Keep the fields of every slot; returns those of the slot to walk, a cycle after launch.

        A distributed memory of 4 bits takes less logic than the choice of one of four registers.
        """
        pass_ = Signal(_Walked, reset_less=True)
        starts = Signal(Starts, reset_less=True)
        fields = {name: (_narrow(_Walked[name].shape, self.coming[name]), pass_[name], slot)
                  for name, slot in zip(_PARTS, self.slot, strict=False)}
        fields["rest"] = (Cat(self.coming[name] for name in _REST),
                          Cat(pass_[name] for name in _REST), self.slot[-1])
        for agu, (name, slot) in enumerate(zip("xyz", self.slot, strict=False)):
            fields[f"start_{name}"] = self.moved[agu], starts[agu], slot
        one, two, three = self.loading[1:]
        for name, (value, kept, slot) in fields.items():
            m.submodules[f"kept_{name}"] = memory = Memory(
                shape=len(Value.cast(value)), depth=SLOTS, init=[],
                attrs={"ram_style": "distributed"})
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [reader.addr.eq(slot), writer.data.eq(value),
                         writer.addr.eq(Cat(one | three, two | three)),
                         writer.en.eq(self.loading.any())]
            m.d.sync += Value.cast(kept).eq(reader.data)
        return pass_, starts

    def _control(self, m, steppers, rows, cols):
        """Load, then emit, step, wrap and settle until every loop has ended.

        A register for every state, and one for every level that may step next, drive the other
        blocks directly.
        """
        self._left   = [Signal(16, name=f"left{level}") for level in range(3)]
        self._ending = [Signal(name=f"ending{level}") for level in range(3)]
        self._first = Signal()
        self._bias = Signal()
        self._bias_row = Signal(16)
        self._begins = Signal()  # the first output of a row
        self._entry = Signal(range(HELD))
        load, step, wrap, settle, emit, taken, done = (Signal(name=name) for name in (
            "load", "step", "wrap", "settle", "emit", "taken", "done"))
        # One bit for each level; right two cycles after load or step. A copy for every stepper,
        # which differ in what they hold at first, or synthesis would make them one.
        levels = [Signal(3, name=f"level_{name}", init=init) for name, init in zip(
            "xyz", (0b000, 0b111, 0b101), strict=True)]
        level  = levels[0]
        skip_x = Signal(_RELATIVE)
        skip_y = Signal(_RELATIVE)
        ending = self._ending
        m.d.comb += taken.eq(emit & ~self.o.valid)  # whether the last one goes now comes too late
        m.d.sync += [
            *(copy.eq(Cat(ending[2] & ending[1], ending[2] & ~ending[1], ~ending[2]))
              for copy in levels), done.eq(ending[0] & ending[1] & ending[2]),
            skip_x.eq(rows.skip_x + cols.skip_x), skip_y.eq(rows.skip_y + cols.skip_y),
            load.eq(self.launch), wrap.eq(step), settle.eq(load | wrap),
            emit.eq(settle | (emit & ~taken)), step.eq(taken & ~done),
        ]
        self._count_records(m)
        held, settles = Signal(3, name="held"), Signal(3, name="settles")
        m.d.sync += [settles[n].eq(wrap & held[:n + 1].any()) for n in range(3)]
        for unit, own in zip(steppers, levels, strict=True):
            m.d.comb += [unit.load.eq(load), unit.settle.eq(settles), unit.level.eq(own)]
        back = Signal(2)
        on = Signal(2)
        for axis, (border, rewinds) in enumerate(((rows, level[0]), (cols, ~level[2]))):
            m.d.sync += [back[axis].eq(~self.busy | (step & rewinds)),
                         on[axis].eq(step & level[1 + axis])]
            m.d.comb += [border.reset.eq(back[axis]), border.step.eq(on[axis])]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.launch):
            m.d.sync += [self.busy.eq(1), self._later.eq(0)]
        with m.If(load):
            self._load(m)
        with m.If(step):
            m.d.sync += held.eq(level)
            self._count(m)
        with m.If(taken):
            m.d.sync += [self.o.p.x.eq(steppers[0].address + skip_x),
                         self.o.p.y.eq(steppers[1].address + skip_y),
                         self.o.p.z.eq(steppers[2].address)]
            self._emit(m, rows, cols, done)
            with m.If(done):
                m.d.sync += self.busy.eq(0)
        with m.If(self.flush):
            m.d.sync += [bit.eq(0) for bit in (load, step, wrap, settle, emit, self.busy,
                                               self.o.valid)]

    def _count_records(self, m):
        """Records before the bias of the index at hand, the rows of all, and where they may begin
        at last."""
        self._rows = Signal(range(3 * self._bias_rows + 1))
        self._end = Signal(16)
        self._later   = Signal()  # an outermost index after the first
        self._records = Mux(self._later & self.pass_.once, 0,
                            (self.pass_.scale != Scale.NONE) + self.pass_.addend)
        m.d.sync += [self._rows.eq(times(1 + self._records, self._bias_rows)),
                     self._end.eq(self._y_rows - self._rows)]

    def _load(self, m):
        """Take the counts and the first bias of the pass."""
        m.d.sync += [self._first.eq(1), self._begins.eq(1), self._bias.eq(self.pass_.bias),
                     self._bias_row.eq(self.pass_.bias_row), self._entry.eq(self.pass_.entry)]
        for left, ending, count in zip(self._left, self._ending, self.pass_.outer, strict=True):
            m.d.sync += [left.eq(count), ending.eq(count == 1)]

    def _emit(self, m, rows, cols, done):
        """Offer the output; what comes next is no longer the first of the pass or of its bias.

        A slide has its columns in the outer loop of taps.
        """
        slide = self.pass_.op == Op.SLIDE
        m.d.sync += [
            self.o.valid.eq(1), self.count.eq(self.pass_.taps[2]),
            self.taps[0].eq(self.pass_.x.taps), self.taps[1].eq(self.pass_.y.taps),
            self.o.p.rows.eq(Mux(slide, Mux(self._begins, self.pass_.taps[1], 1), rows.taps)),
            self.o.p.cols.eq(Mux(slide, rows.taps, cols.taps)),
            self.o.p.empty.eq(rows.empty | (cols.empty & ~slide)), self.o.p.slide.eq(slide),
            self.o.p.begins.eq(self._begins), self.o.p.blank.eq(slide & cols.cut),
            self.o.p.bias.eq(self._bias), self.o.p.bias_row.eq(self._bias_row),
            self.o.p.bias_bad.eq(self._bias & (self._bias_row > self._end)),
            self.o.p.entry.eq(self._entry), self.o.p.slot.eq(self.slot[-1]),
            self.o.p.first.eq(self._first), self.o.p.last.eq(done),
            self.o.p.wait.eq(self._first & self.pass_.wait), self.o.p.hold.eq(self.pass_.hold),
            self.o.p.resume.eq(self._first & self.pass_.resume),
            self.o.p.records.eq(Mux(self._bias, self._records, 0)),
            self.o.p.gather.eq(self.pass_.op == Op.GATHER),
            self._first.eq(0), self._bias.eq(0),
        ]

    def _count(self, m):
        """Advance the loop counters; a new outermost index takes the next bias."""
        left, ending, outer = self._left, self._ending, self.pass_.outer
        m.d.sync += self._begins.eq(ending[2])
        with m.If(~ending[2]):
            m.d.sync += [left[2].eq(left[2] - 1), ending[2].eq(left[2] == 2)]
        with m.Else():
            m.d.sync += [left[2].eq(outer[2]), ending[2].eq(outer[2] == 1)]
            with m.If(~ending[1]):
                m.d.sync += [left[1].eq(left[1] - 1), ending[1].eq(left[1] == 2)]
            with m.Else():
                m.d.sync += [left[1].eq(outer[1]), ending[1].eq(outer[1] == 1),
                             left[0].eq(left[0] - 1), ending[0].eq(left[0] == 2),
                             self._bias.eq(self.pass_.bias), self._later.eq(1),
                             self._entry.eq(self._entry + 1),
                             self._bias_row.eq(self._bias_row + self._rows)]
