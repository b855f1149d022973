# SPDX-License-Identifier: Apache-2.0
"""Properties of a DMA's transfers: each beat and group once, and in order."""

from amaranth import Cat, Const, Mux, Signal
from amaranth.hdl import Assert, Assume, Cover
from amaranth.utils import exact_log2

from xymac.hdl.dma import bursts, gear
from xymac.hdl.dma.bursts import Bursts
from xymac.hdl.dma.gear import Gear
from xymac.hdl.dma.records import ADDRESS, BEATS_MAX

from .follow import hold_payload, offer_payload
from .property import Bench, Fault, Method, Property

__all__ = ["PROPERTIES"]

_PAGE = 4096  # bytes that no burst of AXI4 crosses


def _cut(width):
    """Ranges of bytes as bursts: their beats follow each other from the first to the last."""
    unit, low = Bursts(width=width), exact_log2(width // 8)
    inputs = [unit.i.valid, unit.i.payload, unit.o.ready]

    def build(m):
        m.submodules.unit = unit
        beat, last = Signal(ADDRESS - low, name="expected"), Signal(ADDRESS - low, name="end")
        here = Signal(name="here")
        begins, sent = unit.i.valid & unit.i.ready, unit.o.valid & unit.o.ready
        address, beats = unit.o.p.address, unit.o.p.beats
        end, after = Signal(ADDRESS + 1), Signal(ADDRESS - low + 1)
        m.d.comb += [after.eq(beat + beats + 1),
                     end.eq(address[:exact_log2(_PAGE)] + ((beats + 1) << low))]
        with m.If(sent):
            m.d.sync += [beat.eq(after), here.eq(after <= last)]
        with m.If(unit.i.ready):
            m.d.sync += [beat.eq(unit.i.p.first >> low), last.eq(unit.i.p.last >> low),
                         here.eq(unit.i.valid)]
        m.d.comb += [
            Assume(~unit.i.valid | (unit.i.p.first <= unit.i.p.last)),
            Assert(unit.o.valid == here), Assert(~here | (beat <= last)),
            Assert(~begins | ~here | (sent & (after > last))),
            Assert(~here | ((address == beat << low) & (after <= last + 1))),
            Assert(~here | (end <= _PAGE)),
            Cover(sent & (beats == BEATS_MAX - 1)), Cover(sent & (beats == 2) & (after <= last))]
        hold_payload(m, unit.o)
    return Bench(inputs, build)


def _gear(case):
    """Groups of the bus from vectors of X: cut, or collected."""
    width, ways, narrow = case
    unit  = Gear(width=width, ways=ways)
    size  = 8 * ways if narrow else 16 * ways
    many  = max(1, width // size)  # vectors of a group
    parts = max(1, 16 * ways // width)
    inputs = [unit.i.valid, unit.i.payload, unit.o.ready]

    def build(m):
        m.submodules.unit = unit
        took, gave = unit.i.valid & unit.i.ready, unit.o.valid & unit.o.ready
        vector = unit.i.p
        offer_payload(m, unit.i)
        m.d.comb += [unit.narrow.eq(narrow), Assume(vector.first <= vector.last),
                     Assume(vector.last < parts)]
        if narrow:
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


def _longer(original):
    return original * 2


def _never_full(original):
    """A component that asks for more than its queue has room for."""
    def walk(self, m, taken, room):
        return original(self, m, taken, Const(1, 1))
    return walk


PROPERTIES = (
    Property("transfer: bursts", "A range of external bytes becomes bursts whose beats follow each "
             "other from the first to the last; none crosses 4 KiB, and a waiting one is stable; "
             "32 and 64 bits", _cut, 12,
             (Fault("a burst may have twice the beats", bursts, "BEATS_MAX", _longer),),
             Method.PDR, cases=(32, 64)),
    Property("transfer: gear", "Vectors of X become groups of the bus, cut or collected, each once "
             "and in order; 32 bits, 4 MACs, and 1 MAC with 16-bit and narrow elements", _gear,
             12, (Fault("the parts of a vector are swapped", gear, "pick", lambda original:
                        lambda items, index: original(items[::-1], index)),), Method.PDR,
             cases=((32, 4, 0), (32, 1, 0), (32, 1, 1))),
)
