# SPDX-License-Identifier: Apache-2.0
"""Loop sequencer: first tap addresses and valid taps of every output."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.bitwise import BitwiseAdd
from xymac.hdl.config import SLOTS
from xymac.hdl.isa import ADDRESS_BITS, HELD, Encoded, Op, Scale
from xymac.hdl.limits import check_vendor

from .fetch.loader import Starts
from .loops import LEVELS, Loops, Records
from .padding_clip import PaddingClip, Skip
from .recall import Recall
from .stepper import Stepper

__all__ = ["LoopNest", "LoopSlots", "Output"]

_RELATIVE = signed(ADDRESS_BITS)
_PHASES   = 4  # cycles of an output

#: Number of the current slot, in three copies: for the addresses, the padding and the rest.
LoopSlots = data.ArrayLayout(range(SLOTS), 3)

#: Pass fields for the loop sequencer itself.
_Marks    = data.StructLayout({
    "bias": 1, "scaled": 1, "addend": 1, "once": 1, "entry": range(HELD),
    "hold": 1, "wait": 1, "resume": 1, "gather": 1, "slide": 1, "ones": LEVELS})

#: An output of a pass. ``bias``: load ``records`` per-channel parameter sets (scale, addend) and
#: the bias first; ``empty``: padding removes every tap; ``entry``: index of the saved
#: or restored accumulators; ``wait``, ``resume``: of the pass, at its first output only; ``hold``,
#: ``gather``, ``slide``: of the pass; ``begins``: first output of a row; ``blank``: the new column
#: lies outside the image; ``count``: innermost tap count.
Output = data.StructLayout({
    "x": _RELATIVE, "y": _RELATIVE, "z": _RELATIVE, "rows": unsigned(16), "cols": unsigned(16),
    "bias": 1, "bias_row": unsigned(16), "bias_bad": 1, "empty": 1, "slot": range(SLOTS),
    "first": 1, "last": 1, "wait": 1, "resume": 1, "hold": 1, "entry": range(HELD),
    "records": 2, "gather": 1, "slide": 1, "begins": 1, "blank": 1, "count": unsigned(16)})


class LoopNest(wiring.Component):
    """Produce the outputs of a pass in loop order.

    An output takes four phases, 0 to 3. Phase 3 waits until the previous output is taken.
    Latency ``CYCLES`` cycles from ``launch`` to the first output, throughput 1 output in ``CYCLES``
    cycles; honours backpressure.

    Parameters
    ----------
    y_rows : int, rows of Y memory, from the parameters of a single output up to 4096
    bias_rows : int, rows of Y per bias, 1 .. 3
    vendor : None or "ecp5", see ``bitwise.BitwiseAdd``; ValueError otherwise

    TypeError unless an int, ValueError out of range.

    Members
    -------
    coming : In(Encoded), moved : In(Starts), loading : In(``SLOTS``), a pass, its start addresses
        and the slot that stores both, before the launch. ``coming`` must be stable in the last
        ``STANDS`` cycles of ``loading``, ``moved`` in all of these but the first
    loop_slots : In(LoopSlots), the current slot, stable from ``launch`` until ``walking`` falls;
        every output carries it
    launch : In(1), start; only while not ``walking``
    flush : In(1), stop
    walking : Out(1)
    o : Out(stream of Output)
    """

    CYCLES = _PHASES
    STANDS = 4

    def __init__(self, *, y_rows, bias_rows, vendor=None):
        self._records = Records(y_rows=y_rows, bias_rows=bias_rows)
        self._vendor  = check_vendor(vendor)
        super().__init__({
            "coming": In(Encoded), "moved": In(Starts), "loading": In(SLOTS),
            "loop_slots": In(LoopSlots), "launch": In(1), "flush": In(1),
            "walking": Out(1), "o": Out(stream.Signature(Output))})

    def elaborate(self, platform):
        m = Module()
        phase = Signal(range(_PHASES))
        first = Signal(init=1)  # first output of a pass, set before its launch
        middle = Signal()       # phase 1 or 2; these never wait
        go     = Signal()
        taken  = Signal()
        m.d.comb += [go.eq((phase != _PHASES - 1) | ~self.o.valid),
                     taken.eq((phase == _PHASES - 1) & ~self.o.valid)]
        m.submodules.loops = loops = Loops()
        self._control(m, phase, middle, first, taken, loops.done)
        marks = self._recall(m)
        m.d.comb += [loops.phase.eq(phase), loops.taken.eq(taken), loops.clear.eq(self.flush),
                     loops.ones.eq(marks.ones)]
        for name, unit in (("clip", PaddingClip(vendor=self._vendor)),
                           ("stepper", Stepper(vendor=self._vendor))):
            m.submodules[name] = unit
            m.d.comb += [unit.coming.eq(self.coming), unit.loading.eq(self.loading),
                         unit.phase.eq(phase), unit.go.eq(go), unit.first.eq(first)]
        padding, stepper = m.submodules.clip, m.submodules.stepper
        skip = self._skip(m, phase, go, loops, padding)
        m.d.comb += [
            padding.slot.eq(self.loop_slots[1]), padding.fresh.eq(loops.fresh[1:]),
            padding.columns.eq(loops.level == LEVELS - 1), padding.middle.eq(middle),
            stepper.moved.eq(self.moved), stepper.slot.eq(self.loop_slots[0]),
            stepper.skip.eq(skip), stepper.level.eq(loops.level), stepper.source.eq(loops.source),
            stepper.renew.eq(loops.renew), stepper.held.eq(loops.held), loops.one.eq(stepper.one)]
        begins = loops.fresh[LEVELS - 1]
        self._offer(m, taken, {
            **self._place(m, middle, stepper.address), **self._clip(marks.slide, begins, padding),
            **self._record(m, phase, first, padding.count, marks, loops),
            "slot": self.loop_slots[-1], "count": padding.count, "first": first,
            "last": loops.done, "begins": begins,
            "wait": first & marks.wait, "resume": first & marks.resume,
            **{name: marks[name] for name in ("hold", "gather", "slide")}})
        return m

    def _offer(self, m, taken, fields):
        """Register ``fields`` as the output on offer."""
        output = Signal(Output, reset_less=True)
        m.d.comb += self.o.p.eq(output)
        with m.If(taken):
            m.d.sync += [output[name].eq(value) for name, value in fields.items()]

    def _control(self, m, phase, middle, first, taken, done):
        """Step through the phases; phase 0 lasts until a launch."""
        begin = (phase == 0) & (self.launch | self.walking)
        with m.If(begin | middle | taken):
            m.d.sync += phase.eq(phase + 1)
        m.d.sync += middle.eq(begin | (phase == 1))
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.launch):
            m.d.sync += self.walking.eq(1)
        with m.If(taken):
            m.d.sync += [self.o.valid.eq(1), first.eq(done)]
            with m.If(done):
                m.d.sync += self.walking.eq(0)
        with m.If(self.flush):
            m.d.sync += [phase.eq(0), middle.eq(0), first.eq(1), self.walking.eq(0),
                         self.o.valid.eq(0)]

    def _recall(self, m):
        """Store the marks of every slot."""
        coming = self.coming
        m.submodules.marks = marks = Recall(_Marks)
        m.d.comb += [
            *(marks.value[name].eq(coming[name]) for name in (
                "bias", "addend", "once", "entry", "hold", "wait", "resume")),
            marks.value.scaled.eq(coming.scale != Scale.NONE),
            marks.value.gather.eq(coming.op == Op.GATHER),
            marks.value.slide.eq(coming.op == Op.SLIDE),
            marks.value.ones.eq(Cat(count == 1 for count in coming.outer)),
            marks.loading.eq(self.loading), marks.slot.eq(self.loop_slots[-1])]
        return marks.o

    def _skip(self, m, phase, go, loops, padding):
        """Address distance skipped by padding: for X in phase 2, for Y in phase 3, for Z none."""
        skip = Signal(_RELATIVE, reset_less=True)
        m.submodules.skip = add = BitwiseAdd(
            width=ADDRESS_BITS, vendor=self._vendor,
            first=lambda a, b, c, d: ~a & b, second=lambda a, b, c, d: ~c & d)
        for name, fresh, adds, left, rest, gate in (
                ("rows", loops.fresh[1], loops.fresh[2], padding.rows_left, add.a, add.b),
                ("cols", loops.fresh[2], 1, padding.cols_left, add.c, add.d)):
            m.submodules[f"skip_{name}"] = unit = Skip(vendor=self._vendor)
            clips = (phase != 0) & (fresh | left)
            m.d.comb += [
                unit.x.eq(self.coming.x[name]), unit.y.eq(self.coming.y[name]),
                unit.loading.eq(self.loading), unit.slot.eq(self.loop_slots[1]),
                unit.phase.eq(phase), unit.fresh.eq(fresh),
                unit.adds.eq(adds), rest.eq(unit.rest), gate.eq(clips.replicate(ADDRESS_BITS))]
        with m.If(go):
            m.d.sync += skip.eq(add.o)
        return skip

    def _place(self, m, middle, address):
        """Addresses of X, Y and Z in phase 3; they arrive in the order Z, X, Y."""
        last, older = (Signal(_RELATIVE, name=name, reset_less=True) for name in ("last", "older"))
        with m.If(middle):
            m.d.sync += [last.eq(address), older.eq(last)]
        return {"x": last, "y": address, "z": older}

    def _clip(self, slide, begins, padding):
        """Valid taps after padding; a slide runs its outer tap loop over columns."""
        return {"rows": Mux(slide, Mux(begins, padding.wide, 1), padding.rows),
                "cols": Mux(slide, padding.rows, padding.cols),
                "empty": padding.rows_empty | (padding.cols_empty & ~slide),
                "blank": slide & padding.cut}

    def _record(self, m, phase, first, row, marks, loops):
        """Per-channel parameters, for the first output of each outermost index."""
        m.submodules.records = records = self._records
        begins = loops.fresh[1:].all()
        bias   = begins & marks.bias
        m.d.comb += [
            records.row.eq(row), records.entry.eq(marks.entry),
            records.scaled.eq(marks.scaled), records.addend.eq(marks.addend),
            records.once.eq(marks.once), records.later.eq(~loops.fresh[0]),
            records.load.eq((phase == 0) & first), records.step.eq((phase == 0) & begins)]
        return {"bias": bias, "bias_row": records.bias_row, "bias_bad": bias & records.bad,
                "entry": records.held, "records": Mux(bias, records.count, 0)}
