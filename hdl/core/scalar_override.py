# SPDX-License-Identifier: Apache-2.0
"""Scalar override: pass fields for the output stages, adjusted by scalars."""

from amaranth import Cat, Const, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay, pick
from xymac.hdl.config import SLOTS
from xymac.hdl.entries import PLACE_BITS
from xymac.hdl.isa import (
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
from xymac.hdl.limits import check_slots

from .fields import STAGES, OutputConfig
from .reduction import Scalars

__all__ = ["Kept", "ScalarOverride"]

_HELD = ACC_BITS - ELEMENT_BITS  # extra shift that turns the 18-bit range check into a 40-bit check


class _Extra(enum.Enum, shape=2):
    """The term that is added to the shift of a pass."""

    NONE   = 0
    HELD   = 1  #: ``_HELD``
    PLACES = 2  #: the scalar ``places``
    RANGE  = 3  #: -1 if the range is wide


#: Pass fields, named as in ``OutputConfig``, in a word for stages 1 to 6 and three words for later
#: stages. ``shift`` counts from ``SHIFT_MIN``; ``less``, the element shift is 1 less if the range
#: is wide.
_WORDS = (
    data.StructLayout({
        "shift": signed(8), "extra": _Extra, "less": 1, "x_width": Width, "anchored": 1,
        "scaled": 1, "post": 1, "wide": 1, "rounding": RoundMode, "fixed": 1, "looks": 1,
        "table_shift": unsigned(4), "table_rounding": RoundMode, "z_width": Width}),
    data.StructLayout({"span": unsigned(ELEMENT_BITS), "top": signed(PLACE_BITS + 1)}),
    data.StructLayout({"high": signed(ELEMENT_BITS), "half": unsigned(PLACE_BITS - 1)}),
    data.StructLayout({"bottom": signed(ELEMENT_BITS), "span": unsigned(PLACE_BITS)}))
_BITS = max(layout.size for layout in _WORDS)
#: Fields of the first word for later stages; ``amount`` is the left shift of an element.
_Carried = data.StructLayout({
    "rounding": RoundMode, "held": 1, "fixed": 1, "short": 1, "looks": 1, "amount": 4,
    "z_width": Width, "table_rounding": RoundMode})


class Kept(wiring.Component):
    """Store four words of every slot in distributed memory.

    While ``loading`` is set, the component writes 1 word per cycle, in turn and a cycle late. So
    ``words`` must be stable in the last ``STAND`` cycles of ``loading`` and in the cycle after.
    Latency 0 cycles from ``slot`` to ``o``, throughput 1 word per cycle, no backpressure. Takes no
    parameters.

    Members
    -------
    words : In(words); loading : In(``SLOTS``), the slot that stores them, if any
    slot : In(slot), number : In(2), word index; o : Out(word)
    """

    STAND = 4

    words:   In(data.ArrayLayout(_BITS, len(_WORDS)))
    loading: In(SLOTS)
    slot:    In(range(SLOTS))
    number:  In(range(len(_WORDS)))
    o:       Out(_BITS)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=_BITS, depth=SLOTS * len(_WORDS), init=[], attrs={"ram_style": "distributed"})
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        turn = Signal(range(len(_WORDS)), name="turn")
        loading = delay(m, self.loading, 2, name="loading")
        one, two, three = loading[1:]
        m.d.sync += turn.eq(turn + 1)
        m.d.comb += [
            reader.addr.eq(Cat(self.number, self.slot)), self.o.eq(reader.data),
            writer.addr.eq(Cat(delay(m, turn, 1, name="turn"), one | three, two | three)),
            writer.data.eq(delay(m, pick(self.words, turn), 1, name="word")),
            writer.en.eq(loading.any())]
        return m


class ScalarOverride(wiring.Component):
    """Read the fields of the pass whose accumulators arrive, and pass them down the first column.

    Passes arrive in slot order. So the first word of the next pass is read before its first
    accumulator, and the other words in the ``BANKS - 1`` cycles from there on. The first
    accumulator of an output sends a mark down the stages. At each marked stage, registers load the
    fields used there and further down, from a stage at most ``BANKS`` cycles earlier. Outputs
    overtake each other only behind the last of these stages. Scalars must be stable ``AHEAD``
    cycles before the first accumulator that they change. Latency to a stage as in ``STAGES``,
    throughput 1 accumulator per cycle, no backpressure.

    Parameters
    ----------
    slots : int, passes in flight, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    coming : In(Encoded), table : In(Place), loading : In(``SLOTS``), a pass, its table location and
        the slot that stores both, see ``Kept``
    scalars : In(Scalars)
    restart : In(1), a program starts: the next pass is in slot 0
    soon : In(1), the first of an output's ``BANKS`` accumulators is at the first column in the
        next cycle
    last : In(1), the output is the last of its pass; short : In(1), the output takes the bypass
    keep : In(1), the result is written or saved
    o : Out(OutputConfig), for the first column
    """

    AHEAD = 1

    def __init__(self, *, slots):
        self._slots = check_slots(slots)
        super().__init__({"coming": In(Encoded), "table": In(Place), "loading": In(SLOTS),
                          "scalars": In(Scalars), "restart": In(1), "soon": In(1),
                          "last": In(1), "short": In(1), "keep": In(1), "o": Out(OutputConfig)})

    def elaborate(self, platform):
        m = Module()
        marks = [delay(m, self.soon, 1, name="first")]
        while len(marks) < max(STAGES.values()):
            marks.append(delay(m, marks[-1], 1, name=f"first{len(marks)}"))

        def latch(stage, value, name):
            """Register ``value`` for an output as it reaches ``stage``, until the next output."""
            held = Signal.like(value, name=f"{name}_{stage}", reset_less=True)
            with m.If(marks[stage - 1]):
                m.d.sync += held.eq(value)
            return held

        word, before = self._read(m, marks)
        words = [data.View(layout, latch(number, word[:layout.size], "word"))
                 for number, layout in enumerate(_WORDS) if number]
        fields = Signal(_WORDS[0], name="fields", reset_less=True)
        with m.If(before):
            m.d.sync += fields.eq(word)
        self._shift(m, fields, latch)
        early = self._hand_on(m, fields, latch)
        self._clip(m, words, early, latch)
        self._look_up(m, latch(7, early, "carried"), words, latch)
        return m

    def _read(self, m, marks):
        """The word being read, and whether it is the first word.

        The first word is read from three cycles after an output's first accumulator to the cycle
        before the next output's.
        """
        m.submodules.kept = kept = Kept()
        slot, leaves = Signal(exact_log2(self._slots), name="slot"), Signal(name="leaves")
        m.d.sync += leaves.eq(delay(m, marks[0] & self.last, 1, name="leaves"))
        with m.If(self.restart):
            m.d.sync += slot.eq(0)
        with m.Elif(leaves):
            m.d.sync += slot.eq(slot + 1)
        number = Signal(range(len(_WORDS)), name="number")  # 1, 2, 3 from a first accumulator on
        m.d.sync += number.eq(Cat(self.soon | marks[1], marks[0] | marks[1]))
        m.d.comb += [kept.loading.eq(self.loading), kept.slot.eq(slot), kept.number.eq(number)]
        for word, fields in zip(kept.words, self._pack(m), strict=True):
            m.d.comb += word.eq(Value.cast(fields))
        return kept.o, ~number.any()

    def _pack(self, m):
        """Pack the loaded pass into words."""
        pass_, table = self.coming, self.table
        shift, *others = words = [Signal(layout, name=f"packed{number}")
                                  for number, layout in enumerate(_WORDS)]
        wide   = pass_.acc_range == AccumulatorRange.BITS40
        shared = pass_.op == Op.SHARE
        scaled = (pass_.scale != Scale.NONE) | shared
        low, high = pass_.clip
        for name in ("x_width", "rounding", "table_shift", "table_rounding", "z_width"):
            m.d.comb += shift[name].eq(pass_[name])
        m.d.comb += [
            shift.shift.eq(pass_.shift - SHIFT_MIN),
            shift.extra.eq(Mux(pass_.hold & wide, _Extra.HELD, Mux(
                pass_.adjust == Adjust.PLACES, _Extra.PLACES, Mux(
                    pass_.adjust == Adjust.SHIFT, _Extra.RANGE, _Extra.NONE)))),
            shift.less.eq((pass_.adjust == Adjust.TABLE) & (pass_.table_shift != 0)),
            shift.anchored.eq(pass_.anchored & ~scaled), shift.scaled.eq(scaled),
            shift.post.eq(scaled & ~shared), shift.wide.eq(wide), shift.fixed.eq(pass_.inverted),
            shift.looks.eq((table_of(pass_) != Table.NONE) & ~pass_.inverted),
            others[0].span.eq(high - low), others[0].top.eq(table.last - table.zero),
            others[1].high.eq(high), others[1].half.eq(table.half),
            others[2].bottom.eq(low + pass_.zero),
            others[2].span.eq(table.last - Cat(Const(0, 1), table.half))]
        return words

    def _shift(self, m, fields, latch):
        """Stage 2: anchor, shift and accumulator range."""
        scalars, o = self.scalars, self.o
        range_ = Mux(fields.x_width.as_value(), scalars.wide_range[1], scalars.wide_range[0])
        more   = Signal(signed(7), name="more")
        amount = Signal(signed(9), name="amount")
        within = Signal(range(SHIFT_MAX - SHIFT_MIN + 1), name="within")
        with m.Switch(fields.extra):
            with m.Case(_Extra.HELD):
                m.d.comb += more.eq(_HELD)
            with m.Case(_Extra.PLACES):
                m.d.comb += more.eq(scalars.places)
            with m.Case(_Extra.RANGE):
                m.d.comb += more.eq(Mux(range_, -1, 0))
        most = SHIFT_MAX - SHIFT_MIN
        m.d.sync += amount.eq(fields.shift + more)
        m.d.comb += within.eq(Mux(amount < 0, 0, Mux(amount > most, most, amount)))
        anchor = Mux(fields.x_width.as_value(), scalars.anchor[1], scalars.anchor[0])
        halve  = fields.anchored & range_
        m.d.comb += [
            o.shift.wide.eq(latch(2, fields.wide, "wide")),
            o.shift.keep.eq(delay(m, self.keep, 2, name="keep")),
            o.shift.less.eq(latch(2, ~Mux(fields.anchored, anchor, 0), "less")),
            o.shift.scaled.eq(latch(2, fields.scaled, "scaled")),
            o.shift.post.eq(latch(2, fields.post, "post")),
            o.shift.halve.eq(latch(2, halve, "halve")),
            o.shift.amount.eq(latch(2, within + halve, "amount"))]

    def _hand_on(self, m, fields, latch):
        """Stages 3 to 6: rounding, overflow of saved values; returns the fields at stage 3."""
        scalars, o, early = self.scalars, self.o, Signal(_Carried, name="early")
        range_ = Mux(fields.x_width.as_value(), scalars.wide_range[1], scalars.wide_range[0])
        less   = range_ & fields.less
        for name in ("rounding", "fixed", "looks", "z_width", "table_rounding"):
            m.d.comb += early[name].eq(fields[name])
        m.d.comb += [
            early.held.eq(fields.extra == _Extra.HELD), early.short.eq(self.short),
            early.amount.eq(Mux(fields.looks, ~(fields.table_shift - less),
                                Mux(fields.z_width == Width.BITS16, 0, 8)))]
        third = latch(3, early, "carried")
        kept  = delay(m, self.keep, 5, name="kept")
        m.d.comb += [
            o.round.rounding.eq(latch(5, third.rounding, "rounding")),
            o.flag.held.eq(delay(m, kept & latch(5, third.held, "held"), 1, name="flag")),
            o.flag.short.eq(latch(6, third.short, "short"))]
        return third

    def _clip(self, m, words, early, latch):
        """Stages 6 to 8: limits and zero point, or the inverse for an inverted pass."""
        o, (span, high, bottom) = self.o, (words[0].span, words[1].high, words[2].bottom)
        bottom = latch(7, Mux(early.fixed, self.scalars.inverse, bottom), "bottom")
        m.d.comb += [
            o.flag.high.eq(latch(6, high, "high")),
            o.compare.span.eq(latch(7, latch(5, span, "span"), "span")),
            o.clip.bottom.eq(latch(8, bottom, "bottom")),
            o.clip.fixed.eq(latch(8, latch(7, early.fixed, "fixed"), "fixed"))]

    def _look_up(self, m, fields, words, latch):
        """Stages 9 to 20: element shift, table location and rounding."""
        o, z_width = self.o, fields.z_width.as_value()
        late = Cat(fields.table_rounding.as_value(), z_width, fields.looks)
        for stage in (11, 15):
            late = latch(stage, late, "late")
        last = latch(19, late, "late")
        m.d.comb += [
            o.fine.amount.eq(latch(9, fields.amount[:2], "fine")),
            o.coarse.amount.eq(latch(10, fields.amount[2:], "coarse")),
            o.coarse.wide.eq(latch(10, z_width, "z_width")),
            o.coarse.short.eq(latch(10, fields.short, "short")),
            o.index.eq(_through(latch, (5, 9, 11), words[0].top, "top")),
            o.bound.eq(_through(latch, (7, 11, 12), words[2].span, "bound")),
            o.place.eq(_through(latch, (6, 10, 13), words[1].half, "half")),
            o.read.looks.eq(latch(16, late[3], "looks")),
            o.weigh.eq(latch(18, late[:2], "weigh")), o.take.looks.eq(last[3]),
            o.narrow.eq(latch(20, last[:3], "narrow"))]


def _through(latch, stages, value, name):
    """``value`` at the last of several ``stages``, registered at each."""
    for stage in stages:
        value = latch(stage, value, name)
    return value
