"""The output loops of a pass: where each output's taps start and what the border leaves of them."""

from amaranth import Cat, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.config import SLOTS
from hdl.isa import ADDRESS_BITS, HELD, AguMode, Encoded, Op, Scale

from .border import Border
from .fetch.loader import Starts
from .loops import Loops, Records
from .recall import Recall
from .stepper import Stepper

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
        self._records = Records(y_rows=y_rows, bias_rows=bias_rows)
        super().__init__({
            "coming": In(Encoded), "moved": In(Starts), "loading": In(SLOTS),
            "slot": In(WalkSlots), "launch": In(1), "flush": In(1),
            "busy": Out(1), "o": Out(stream.Signature(Output)),
            "taps": Out(data.ArrayLayout(data.ArrayLayout(signed(16), 3), 2)),
            "count": Out(unsigned(16))})

    def elaborate(self, platform):
        """Load, then emit, step, wrap and settle until every loop has ended.

        A register for every state, and one for every level that may step next, drive the other
        blocks directly.
        """
        m = Module()
        pass_, starts = self._recall(m)
        load, step, wrap, settle, emit, taken = (Signal(name=name) for name in (
            "load", "step", "wrap", "settle", "emit", "taken"))
        m.submodules.loops = loops = Loops()
        m.d.comb += [loops.counts.eq(pass_.outer), loops.load.eq(load), loops.step.eq(step),
                     taken.eq(emit & ~self.o.valid)]  # whether the last one goes now is too late
        m.d.sync += [load.eq(self.launch), wrap.eq(step), settle.eq(load | wrap),
                     emit.eq(settle | (emit & ~taken)), step.eq(taken & ~loops.done)]
        level = loops.levels[0]
        rows, cols = self._clip(m, pass_, level, step)
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.launch):
            m.d.sync += self.busy.eq(1)
        with m.If(taken):
            self._emit(m, pass_, loops, rows, cols)
            with m.If(loops.done):
                m.d.sync += self.busy.eq(0)
        self._place(m, pass_, starts, loops, (load, step, wrap), taken, rows, cols)
        self._begin(m, pass_, loops, load, step, taken)
        with m.If(self.flush):
            m.d.sync += [bit.eq(0) for bit in (load, step, wrap, settle, emit, self.busy,
                                               self.o.valid)]
        return m

    def _recall(self, m):
        """Keep the fields of every slot; returns those of the slot to walk, a cycle after launch.

        Every part has a memory of its own, addressed by its own copy of the slot.
        """
        pass_  = Signal(_Walked, reset_less=True)
        starts = Signal(Starts, reset_less=True)
        fields = {name: (_narrow(_Walked[name].shape, self.coming[name]), pass_[name], slot)
                  for name, slot in zip(_PARTS, self.slot, strict=False)}
        fields["rest"] = (Cat(self.coming[name] for name in _REST),
                          Cat(pass_[name] for name in _REST), self.slot[-1])
        for agu, (name, slot) in enumerate(zip("xyz", self.slot, strict=False)):
            fields[f"start_{name}"] = self.moved[agu], starts[agu], slot
        for name, (value, kept, slot) in fields.items():
            m.submodules[f"kept_{name}"] = recalled = Recall(len(Value.cast(value)))
            m.d.comb += [recalled.value.eq(value), recalled.loading.eq(self.loading),
                         recalled.slot.eq(slot)]
            m.d.sync += Value.cast(kept).eq(recalled.o)
        return pass_, starts

    def _clip(self, m, pass_, level, step):
        """What the border leaves of the rows and of the columns of taps."""
        borders = []
        for axis, (name, rewinds) in enumerate((("rows", level[0]), ("cols", ~level[2]))):
            m.submodules[name] = border = Border()
            back, on = (Signal(name=f"{state}_{name}") for state in ("back", "on"))
            m.d.sync += [back.eq(~self.busy | (step & rewinds)), on.eq(step & level[1 + axis])]
            m.d.comb += [border.reset.eq(back), border.step.eq(on),
                         border.axis.eq(pass_[name]), border.count.eq(pass_.taps[axis]),
                         border.x.eq(pass_.x[name]), border.y.eq(pass_.y[name])]
            borders.append(border)
        return borders

    def _place(self, m, pass_, starts, loops, states, taken, rows, cols):
        """The addresses of an output: of X and Y behind what the border skips."""
        load, step, wrap = states
        held, settles = Signal(3, name="held"), Signal(3, name="settles")
        with m.If(step):
            m.d.sync += held.eq(loops.levels[0])
        m.d.sync += [settles[n].eq(wrap & held[:n + 1].any()) for n in range(3)]
        skips = {}
        for name in ("skip_x", "skip_y"):
            skips[name[-1]] = skip = Signal(_RELATIVE, name=name)
            m.d.sync += skip.eq(getattr(rows, name) + getattr(cols, name))
        for name, start, level in zip("xyz", starts, loops.levels, strict=True):
            m.submodules[name] = unit = Stepper()
            agu = pass_.z if name == "z" else pass_[name].agu
            m.d.comb += [unit.start.eq(start), unit.strides.eq(agu.outer),
                         unit.modulo.eq(agu.mode == AguMode.MODULO), unit.high.eq(agu.high),
                         unit.load.eq(load), unit.settle.eq(settles), unit.level.eq(level)]
            with m.If(taken):
                m.d.sync += self.o.p[name].eq(unit.address + skips.get(name, 0))

    def _begin(self, m, pass_, loops, load, step, taken):
        """The marks and records of a first output: of a pass, or of an outermost index."""
        m.submodules.records = records = self._records
        first, bias = Signal(name="first"), Signal(name="bias")
        outermost = step & loops.levels[0][0]
        m.d.comb += [
            records.row.eq(pass_.bias_row), records.entry.eq(pass_.entry),
            records.scaled.eq(pass_.scale != Scale.NONE), records.addend.eq(pass_.addend),
            records.once.eq(pass_.once), records.clear.eq(self.launch), records.load.eq(load),
            records.step.eq(outermost)]
        with m.If(taken):
            m.d.sync += [
                self.o.p.bias.eq(bias), self.o.p.bias_row.eq(records.bias_row),
                self.o.p.bias_bad.eq(bias & records.bad), self.o.p.entry.eq(records.held),
                self.o.p.records.eq(Mux(bias, records.count, 0)), self.o.p.first.eq(first),
                self.o.p.wait.eq(first & pass_.wait), self.o.p.resume.eq(first & pass_.resume),
                first.eq(0), bias.eq(0)]
        with m.If(load):
            m.d.sync += first.eq(1)
        with m.If(load | outermost):
            m.d.sync += bias.eq(pass_.bias)

    def _emit(self, m, pass_, loops, rows, cols):
        """Offer the output. A slide has its columns in the outer loop of taps."""
        slide = pass_.op == Op.SLIDE
        m.d.sync += [
            self.o.valid.eq(1), self.count.eq(pass_.taps[2]),
            self.taps[0].eq(pass_.x.taps), self.taps[1].eq(pass_.y.taps),
            self.o.p.rows.eq(Mux(slide, Mux(loops.begins, pass_.taps[1], 1), rows.taps)),
            self.o.p.cols.eq(Mux(slide, rows.taps, cols.taps)),
            self.o.p.empty.eq(rows.empty | (cols.empty & ~slide)), self.o.p.slide.eq(slide),
            self.o.p.begins.eq(loops.begins), self.o.p.blank.eq(slide & cols.cut),
            self.o.p.slot.eq(self.slot[-1]), self.o.p.last.eq(loops.done),
            self.o.p.hold.eq(pass_.hold), self.o.p.gather.eq(pass_.op == Op.GATHER)]
