# SPDX-License-Identifier: Apache-2.0
"""DMA transfer properties: each byte once, at its place, and no other byte."""

from amaranth import Cat, Const, Mux, Signal, Value
from amaranth.hdl import Assert, Assume, Cover
from amaranth.lib import data, wiring
from amaranth.utils import exact_log2

from xymac.hdl.dma import bursts, gear, realign
from xymac.hdl.dma.bursts import Bursts
from xymac.hdl.dma.gear import Gear
from xymac.hdl.dma.groups import Groups
from xymac.hdl.dma.realign import Realign
from xymac.hdl.dma.records import ADDRESS, BEATS_MAX

from .follow import constant, hold_payload, offer_payload
from .property import Bench, Fault, Method, Property

__all__ = ["PROPERTIES"]

_PAGE = 4096  # bytes that no burst of AXI4 crosses


def _cut(width):
    """Byte ranges as bursts: their beats follow each other from the first to the last."""
    unit, low = Bursts(width=width), exact_log2(width // 8)
    bits = exact_log2(BEATS_MAX)  # no burst crosses so many bits of the beat's number
    inputs = [unit.i.valid, unit.i.payload, unit.o.ready]

    def build(m):
        m.submodules.unit = unit
        beat, last = Signal(ADDRESS - low, name="expected"), Signal(ADDRESS - low, name="end")
        here, shown = Signal(name="here"), Signal(name="shown")
        begins, sent = unit.i.valid & unit.i.ready, unit.o.valid & unit.o.ready
        address, beats = unit.o.p.address, unit.o.p.beats
        end, after = Signal(ADDRESS + 1), Signal(ADDRESS - low + 1)
        page, final = Signal.like(beat, name="next_page"), Signal(name="is_final")
        m.d.comb += [after.eq(beat + beats + 1), page.eq(((beat >> bits) + 1) << bits),
                     final.eq(beat >> bits == last >> bits),
                     end.eq(address[:exact_log2(_PAGE)] + ((beats + 1) << low))]
        m.d.sync += shown.eq(here & ~sent)  # a burst is offered a cycle after it is known
        with m.If(sent):
            m.d.sync += [beat.eq(page), here.eq(~final)]
        with m.If(unit.i.ready):
            m.d.sync += [beat.eq(unit.i.p.first >> low), last.eq(unit.i.p.last >> low),
                         here.eq(unit.i.valid)]
        m.d.comb += [
            Assume(~unit.i.valid | (unit.i.p.first <= unit.i.p.last)),
            Assert(unit.o.valid == shown), Assert(~here | (beat <= last)),
            Assert(~begins | ~here | (sent & (after > last))),
            Assert(unit.i.ready == (~here | (sent & final))),
            Assert(~here | (address == beat << low)), Assert(~shown | (end <= _PAGE)),
            Assert(~shown | (beats == (Mux(final, last, BEATS_MAX - 1) - beat)[:bits])),
            Cover(sent & (beats == BEATS_MAX - 1)), Cover(sent & (beats == 2) & (after <= last))]
        hold_payload(m, unit.o, address)  # the beats are an equation of kept values
    return Bench(inputs, build)


def _gear(case):
    """Bus groups from X vectors: cut, or collected; without ``store``, cut in any case."""
    width, ways, narrow, store = case
    unit  = Gear(width=width, ways=ways)
    size  = 8 * ways if narrow else 16 * ways
    many  = max(1, width // size) if store else 1  # vectors of a group
    parts = max(1, 16 * ways // width)
    inputs = [unit.i.valid, unit.i.payload, unit.o.ready]

    def build(m):
        m.submodules.unit = unit
        took, gave = unit.i.valid & unit.i.ready, unit.o.valid & unit.o.ready
        vector = unit.i.p
        offer_payload(m, unit.i)
        m.d.comb += [unit.narrow.eq(narrow), unit.store.eq(store),
                     Assume(vector.first <= vector.last), Assume(vector.last < parts)]
        if narrow and store:
            m.d.comb += Assume((vector.last == 0) | ~unit.i.valid)
        if many == 1:  # no vector waits: its groups pass from the first to the last
            part, begun = Signal(range(parts + 1), name="next_part"), Signal(name="has_begun")
            at = Mux(begun, part, vector.first)
            with m.If(gave):
                m.d.sync += [part.eq(at + 1), begun.eq(~took)]
            m.d.comb += [
                Assert(unit.o.valid == unit.i.valid), Assert(took == (gave & (at == vector.last))),
                Assert(~gave | (unit.o.p == vector.data.word_select(at, width))),
                Cover(took & (at == parts - 1)), Cover(gave & (at == 0))]
            return
        group, count = Signal(width, name="collected"), Signal(range(many + 1), name="vectors")
        full = count == many
        m.d.sync += count.eq(Mux(gave, 0, count) + took)
        with m.If(took):
            m.d.sync += group.eq(Cat(group, vector.data[:size])[-width:])
        m.d.comb += [Assert(unit.o.valid == full), Assert(~full | (unit.o.p == group)),
                     Assert(~took | ~full | gave), Assert(~unit.i.valid | full | took),
                     Cover(gave & (group[-3:] == 5)), Cover(took & gave)]
        hold_payload(m, unit.o)
    return Bench(inputs, build)


def _realign(width):
    """Byte rows from beats: for any stream byte, its place and value in a group."""
    cutter, unit, many = Groups(width=width), Realign(width=width), width // 8
    low, bits = exact_log2(many), 8  # of the byte's number, modulo which bytes are counted
    size, store, watched = Signal(4, name="bytes"), Signal(name="stores"), Signal(bits)
    inputs = [cutter.rows.valid, cutter.rows.payload, unit.i.valid, unit.i.payload, unit.o.ready,
              size, store, watched]

    def build(m):
        m.submodules.cutter, m.submodules.unit = cutter, unit
        wiring.connect(m, cutter.o, unit.groups)
        for value in (size, store, watched):
            constant(m, value)
        offer_payload(m, cutter.rows)
        offer_payload(m, unit.i)
        hold_payload(m, cutter.o)
        m.d.comb += [cutter.last.eq(size - 1), cutter.store.eq(store), Assume(size != 0)]
        row, took = cutter.rows.p, cutter.rows.valid & cutter.rows.ready
        beat, sent = unit.i.valid & unit.i.ready, unit.o.valid & unit.o.ready
        ended, number = Signal(init=1, name="run_ended"), Signal(bits - low, name="beat_number")
        value = Signal(8, name="value")
        after = Signal(bits, name="byte_after")   # the next row's first byte
        m.d.sync += number.eq(number + beat)
        with m.If(beat & (number == watched >> low)):
            m.d.sync += value.eq(unit.i.p.word_select(watched[:low], 8))
        begin = _begin(m, cutter.rows, after, ended, source=Mux(store, row.core[:low], row.low))
        # The row that is cut, and the row of the group that is shown: its first byte's number, that
        # byte's place in the first group, its place in the core, whether it is the last.
        layout = data.StructLayout({
            "at": bits, "target": low, "place": unit.o.p.place.shape().width, "final": 1,
            "first": 6})  # ``first``: byte of the row at the group's lowest place, plus the target
        cut, shown = Signal(layout, name="cut"), Signal(layout, name="shown")
        busy, here = Signal(name="in_row"), Signal(name="is_shown")
        moves = busy & (~here | sent)
        ends = cut.first + many >= cut.target + size
        with m.If(moves):
            m.d.sync += [shown.eq(cut), cut.first.eq(cut.first + many)]
        m.d.sync += here.eq(moves | (here & ~sent))
        m.d.sync += busy.eq(took | (busy & ~(moves & ends)))
        with m.If(took):
            m.d.sync += [
                after.eq(begin + size), ended.eq(row.ends), cut.at.eq(begin), cut.first.eq(0),
                cut.target.eq(Mux(store, row.low, row.core)), cut.place.eq(row.core >> low),
                cut.final.eq(row.final)]
        first, last = shown.first, shown.first + many >= shown.target + size
        m.d.comb += [
            Assert(cutter.o.valid == here), Assert(~took | ~busy | (moves & ends)),
            Assert(~sent | (unit.o.p.place == (shown.place + (first >> low))[:len(shown.place)])),
            Assert(~sent | (unit.o.p.final == (shown.final & last)))]
        held = Mux(beat & (number == watched >> low),
                   unit.i.p.word_select(watched[:low], 8), value)
        for lane in range(many):
            inside = (first + lane >= shown.target) & (first + lane < shown.target + size)
            mine   = (shown.at + first + lane - shown.target)[:bits] == watched
            byte   = unit.o.p.data.word_select(lane, 8)
            m.d.comb += [Assert(~sent | (unit.o.p.mask[lane] == inside)),
                         Assert(~(sent & inside & mine) | (byte == held))]
        m.d.comb += [Cover(sent & last & (size == 11) & (shown.target == 3)),
                     Cover(sent & (first == many) & ~last & store)]
    return Bench(inputs, build)


def _begin(m, rows, after, ended, *, source):
    """Number of a row's first byte: ``after`` within a run, else in a new beat, at ``source``.

    ``Rows`` offers the rows of a run without a gap; a run begins where the run before has ended.
    """
    row, low, bits = rows.p, len(source), len(after)
    beat  = Cat(Const(0, low), (after + (1 << low) - 1)[:bits] >> low)
    begin = Signal(bits)
    m.d.comb += [begin.eq(Mux(row.starts, beat + source, after)),
                 Assume(~rows.valid | (row.starts == ended)), Assume(rows.valid | ended),
                 Assume(~rows.valid | row.ends | ~row.final)]
    return begin


def _longer(original):
    return original * 2


def _keeps_beat(original):
    """Fault: a realigner keeps the last beat of a run that a group has used up."""
    return lambda self, m, have, held, frees, ends: original(self, m, have, held, frees, 0)


def _wrong_turn(original):
    return lambda items, index: original(items, (Value.cast(index) + 1)[:len(Value.cast(index))])


PROPERTIES = (
    Property("transfer: bursts", "A range of external bytes becomes bursts whose beats follow each "
             "other from the first to the last; none crosses 4 KiB, and a waiting one is stable; "
             "32, 64 and 128 bits", _cut, 12,
             (Fault("a burst may have twice the beats", bursts, "BEATS_MAX", _longer),),
             Method.PDR, cases=(32, 64, 128)),
    Property("transfer: realignment", "Every byte of the beats of a run of rows of up to 15 bytes "
             "leaves once, in its row, at its place, with its strobe; no other byte has one",
             _realign, 10,
             (Fault("bytes turn by one place too many", realign, "pick", _wrong_turn),
              Fault("a run's last beat is kept for the next run", Realign, "_keep", _keeps_beat)),
             Method.GATES, cases=(32,)),
    Property("transfer: gear", "Vectors of X become groups of the bus, cut or collected, each once "
             "and in order, and so do beats in their last groups; 32 and 64 bits, 1, 2 and 4 MACs, "
             "16-bit and narrow elements", _gear,
             12, (Fault("the parts of a vector are swapped", gear, "pick", lambda original:
                        lambda items, index: original(items[::-1], index)),), Method.PDR,
             cases=((32, 4, 0, 1), (32, 1, 0, 1), (32, 1, 1, 1), (32, 2, 0, 1), (32, 2, 1, 1),
                    (64, 4, 0, 1), (64, 2, 1, 1), (32, 4, 1, 0), (32, 1, 1, 0))),
)
