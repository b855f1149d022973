"""Fields of a pass for the output stages: selected once, adjusted by scalars, handed down."""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay, pick
from hdl.config import SLOTS
from hdl.entries import PLACE_BITS
from hdl.isa import (
    ACC_BITS,
    ELEMENT_BITS,
    SHIFT_MAX,
    SHIFT_MIN,
    AccumulatorRange,
    Adjust,
    Encoded,
    Op,
    Place,
    RoundMode,
    Scale,
    Table,
    Width,
    table_of,
)
from hdl.limits import check_slots

from .fields import STAGES, OutputConfig
from .reduction import Scalars

__all__ = ["Adjuster"]

_HELD = ACC_BITS - ELEMENT_BITS  # a shift by so much more tells by 18 bits whether 40 are enough

#: What the stages use of a pass, in its own form.
_Fields = data.StructLayout(
    {name: Encoded[name].shape for name in (
        "shift", "rounding", "clip", "zero", "table_shift", "table_rounding", "adjust", "anchored",
        "inverted", "x_width", "z_width")}
    | {"place": Place, "wide": 1, "held": 1, "scaled": 1, "shared": 1, "looks": 1})
#: What goes on to later stages; ``amount`` is the left shift of an element that is looked up.
_Carried = data.StructLayout({
    "high": signed(ELEMENT_BITS), "span": unsigned(ELEMENT_BITS), "bottom": signed(ELEMENT_BITS),
    "fixed": 1, "short": 1, "looks": 1, "amount": 4, "place": Place, "z_width": Width,
    "table_rounding": RoundMode})


class Adjuster(wiring.Component):
    """Select the fields of the pass whose sums arrive, and hand them down the first column.

    Passes arrive in the order of their slots, so the next one is selected before its first sum. A
    mark goes down the stages with the ``first`` sum of each output; each stage then takes the
    fields that it uses from a stage at most ``BANKS`` cycles before it, and what later stages use
    goes on. Outputs that overtake others do so behind the last of these stages.
    Scalars must stand ``AHEAD`` cycles before the first sum that they change. Latency to a stage as
    in ``STAGES``, throughput 1 sum a cycle, no backpressure.

    Parameters
    ----------
    slots : int, passes that are held, 2 or 4; TypeError for what is no int, ValueError otherwise

    Members
    -------
    passes : In(``SLOTS`` Encoded), places : In(``SLOTS`` Place), of their tables; scalars :
        In(Scalars)
    restart : In(1), a program starts: the next pass is that of the first slot
    first : In(1), the first of the ``BANKS`` sums of an output is at the first column; last :
        In(1), the output is the last of its pass; short : In(1), it takes the short way
    keep : In(1), the sum is written
    o : Out(OutputConfig), of the first column
    """

    AHEAD = 1

    def __init__(self, *, slots):
        self._slots = check_slots(slots)
        super().__init__({"passes": In(data.ArrayLayout(Encoded, SLOTS)),
                          "places": In(data.ArrayLayout(Place, SLOTS)), "scalars": In(Scalars),
                          "restart": In(1), "first": In(1), "last": In(1), "short": In(1),
                          "keep": In(1), "o": Out(OutputConfig)})

    def elaborate(self, platform):
        m = Module()
        marks = [self.first]
        while len(marks) < max(STAGES.values()):
            marks.append(delay(m, marks[-1], 1, name=f"first{len(marks)}"))

        def latch(stage, value, name):
            """The value of the output that comes to ``stage``, from then to the next output."""
            held = Signal.like(value, name=f"{name}_{stage}", reset_less=True)
            with m.If(marks[stage - 1]):
                m.d.sync += held.eq(value)
            return held

        fields = self._select(m, marks)
        self._shift(m, fields, latch)
        self._look_up(m, self._hand_on(m, fields, latch), latch)
        return m

    def _select(self, m, marks):
        """Fields of the pass that comes next, from a cycle before its first sum to two after the
        first sum of its last output."""
        slot, chosen = Signal(exact_log2(self._slots), name="slot"), Signal(_Fields, name="chosen")
        leaves = delay(m, self.first & self.last, 1, name="leaves")
        with m.If(self.restart):
            m.d.sync += slot.eq(0)
        with m.Elif(leaves):
            m.d.sync += slot.eq(slot + 1)
        pass_ = pick(list(self.passes)[:self._slots], slot)
        place = pick(list(self.places)[:self._slots], slot)
        for name in _Fields.members:
            if name in Encoded.members:
                m.d.comb += chosen[name].eq(pass_[name])
        held = pass_.hold & (pass_.acc_range == AccumulatorRange.BITS40)
        m.d.comb += [
            chosen.place.eq(place), chosen.wide.eq(pass_.acc_range == AccumulatorRange.BITS40),
            chosen.held.eq(held), chosen.shared.eq(pass_.op == Op.SHARE),
            chosen.scaled.eq((pass_.scale != Scale.NONE) | chosen.shared),
            chosen.looks.eq((table_of(pass_) != Table.NONE) & ~pass_.inverted)]
        return delay(m, chosen, 1, name="fields")

    def _shift(self, m, fields, latch):
        """Stages 1 to 6: the anchor, the shift and its rounding, what counts as overflow."""
        scalars, o = self.scalars, self.o
        wide   = scalars.wide_range[fields.x_width.as_value()]
        more   = Signal(signed(7))
        shift  = Signal(signed(8))
        within = Signal(range(SHIFT_MAX - SHIFT_MIN + 1))
        with m.If(fields.held):
            m.d.comb += more.eq(_HELD)
        with m.Elif(fields.adjust == Adjust.PLACES):
            m.d.comb += more.eq(scalars.places)
        with m.Elif(fields.adjust == Adjust.SHIFT):
            m.d.comb += more.eq(Mux(wide, -1, 0))
        m.d.sync += [
            shift.eq(fields.shift + more),
            within.eq(Mux(shift > SHIFT_MAX, SHIFT_MAX, Mux(shift < SHIFT_MIN, SHIFT_MIN, shift))
                      - SHIFT_MIN)]
        anchor = scalars.anchor[fields.x_width.as_value()]
        halve  = fields.anchored & wide
        m.d.comb += [
            o.subtract.wide.eq(latch(1, fields.wide, "wide")),
            o.subtract.keep.eq(delay(m, self.keep, 1, name="keep")),
            o.subtract.scaled.eq(latch(1, fields.scaled, "scaled")),
            o.shift.less.eq(latch(2, ~Mux(fields.anchored, anchor, 0), "less")),
            o.shift.scaled.eq(latch(2, fields.scaled, "scaled")),
            o.shift.post.eq(latch(2, fields.scaled & ~fields.shared, "post")),
            o.shift.halve.eq(latch(2, halve, "halve")),
            o.shift.amount.eq(latch(2, within + halve, "amount")),
            o.round.rounding.eq(latch(5, latch(3, fields.rounding, "rounding"), "rounding")),
            o.flag.held.eq(delay(m, delay(m, self.keep, 5, name="kept")
                                 & latch(5, latch(3, fields.held, "held"), "held"), 1,
                                 name="flag"))]

    def _hand_on(self, m, fields, latch):
        """Stages 3 to 8: limits and zero; returns at stage 7 what the table look-up needs. An
        inverted pass puts the inverse in the place of its elements."""
        scalars, o, early = self.scalars, self.o, Signal(_Carried, name="early")
        halves = scalars.wide_range[fields.x_width.as_value()] & (fields.adjust == Adjust.TABLE)
        less   = halves & (fields.table_shift != 0)
        low, high = fields.clip
        for name in ("z_width", "looks", "table_rounding", "place"):
            m.d.comb += early[name].eq(fields[name])
        m.d.comb += [
            early.high.eq(high), early.span.eq(high - low), early.fixed.eq(fields.inverted),
            early.bottom.eq(Mux(fields.inverted, scalars.inverse, low + fields.zero)),
            early.short.eq(self.short),
            early.amount.eq(Mux(fields.looks, ~(fields.table_shift - less),
                                Mux(fields.z_width == Width.BITS16, 0, 8)))]
        third   = latch(3, early, "carried")
        sixth   = latch(6, third, "carried")
        m.d.comb += [
            o.flag.short.eq(sixth.short), o.flag.high.eq(sixth.high),
            o.compare.span.eq(latch(7, sixth.span, "span")),
            o.clip.bottom.eq(latch(8, sixth.bottom, "bottom")),
            o.clip.fixed.eq(latch(8, sixth.fixed, "fixed"))]
        return sixth

    def _look_up(self, m, fields, latch):
        """Stages 9 to 20: how far an element is shifted, where its table lies, how to round."""
        o     = self.o
        fields = latch(9, fields, "carried")
        place = fields.place
        index = latch(11, (place.last - place.zero)[:PLACE_BITS + 1], "top")
        bound = latch(12, (place.last - Cat(Const(0, 1), place.half))[:PLACE_BITS], "span")
        half  = latch(13, latch(12, place.half, "half"), "half")
        late  = Cat(fields.table_rounding.as_value(), fields.z_width.as_value(), fields.looks)
        for stage in (12, 15):
            late = latch(stage, late, "late")
        last  = latch(19, late, "late")
        round_ = late[:2]
        m.d.comb += [
            o.fine.amount.eq(fields.amount[:2]),
            o.coarse.amount.eq(latch(10, fields.amount[2:], "coarse")),
            o.coarse.wide.eq(latch(10, fields.z_width.as_value(), "z_width")),
            o.coarse.short.eq(latch(10, fields.short, "short")),
            o.index.eq(index), o.bound.eq(bound), o.place.eq(half),
            o.read.looks.eq(latch(16, late[3], "looks")),
            o.weigh.eq(latch(18, round_, "weigh")), o.take.looks.eq(last[3]),
            o.narrow.eq(latch(20, last[:3], "narrow"))]
