# SPDX-License-Identifier: Apache-2.0
"""Queue and delay line properties: no value is lost, repeated or changed."""

from unittest.mock import patch

from amaranth import Const, Mux, Signal
from amaranth.hdl import Assert, Assume, Cover, Fragment

from xymac.hdl import arith, ring
from xymac.hdl.arith import DelayLine
from xymac.hdl.core import recall as recall_module
from xymac.hdl.core.recall import Recall, RecallParts
from xymac.hdl.dma import buffer, skid
from xymac.hdl.dma.buffer import Buffer
from xymac.hdl.dma.skid import Skid
from xymac.hdl.link import byte_queue
from xymac.hdl.link.byte_queue import ByteQueue
from xymac.hdl.ring import Ring

from .follow import constant, follow, hold_payload
from .property import Bench, Fault, Method, Property

__all__ = ["PROPERTIES"]

_BITS = 2  # width of the values: a queue treats each bit alike


def _ring():
    """A ring with 4 places, whose user counts its values, and shows a value a cycle late or at
    once.
    """
    unit, arm, late = Ring(_BITS), Signal(name="arm"), Signal(name="late")
    inputs, depth, half = [unit.i, unit.put, unit.take, arm, late], 3, 2

    def build(m):
        with (patch.object(ring, "_ENTRIES", 4), patch.object(ring, "_BITS", 2),
              patch.object(Ring, "HALF", half)):
            m.submodules.unit = Fragment.get(unit, None)
        constant(m, late)
        before = Signal(name="put_before")
        m.d.sync += before.eq(unit.put)
        m.d.comb += [unit.show.eq(Mux(late, before, unit.put)), unit.flush.eq(0)]
        level = follow(m, unit.put, unit.i, unit.take, unit.o, most=depth, arm=arm)
        m.d.comb += [Assume(~unit.put | (level < depth)), Assume(~unit.take | unit.there),
                     Assert(unit.half == (level == half)),
                     Assert(unit.there == (level > (late & before)))]
    return Bench(inputs, build)


def _buffer(depth):
    return _queue(Buffer(_BITS, depth=depth), depth)


def _skid():
    return _queue(Skid(_BITS), 2)


def _queue(unit, depth):
    """A queue between two streams for ``depth`` values; both handshakes come from its level."""
    arm = Signal(name="arm")
    inputs = [unit.i.payload, unit.i.valid, unit.o.ready, arm]

    def build(m):
        m.submodules.unit = unit
        put, take = unit.i.valid & unit.i.ready, unit.o.valid & unit.o.ready
        level = follow(m, put, unit.i.payload, take, unit.o.payload, most=depth, arm=arm)
        hold_payload(m, unit.o)
        m.d.comb += [Assert(unit.i.ready == (level != depth)), Assert(unit.o.valid == (level != 0))]
    return Bench(inputs, build)


def _byte_queue():
    """A 4-byte queue; it takes each byte, and drops bytes without room."""
    unit, arm, room = ByteQueue(), Signal(name="arm"), 4
    inputs = [unit.i.payload, unit.i.valid, unit.o.ready, arm]

    def build(m):
        with patch.object(byte_queue, "_WAITING", min(byte_queue._WAITING, room)):
            m.submodules.unit = Fragment.get(unit, None)
        stored = Signal(range(room + 1), name="stored")
        put    = unit.i.valid & (stored != room)
        take   = unit.o.valid & unit.o.ready
        m.d.sync += stored.eq(stored + put - take)
        follow(m, put, unit.i.payload[:_BITS], take, unit.o.payload[:_BITS], most=room, arm=arm)
        hold_payload(m, unit.o, unit.o.payload[:_BITS])
        m.d.comb += Assert(unit.o.valid == (stored != 0))
    return Bench(inputs, build)


def _delay_line():
    cycles, value = 5, Signal(4)
    unit = DelayLine(4, cycles, vendor="ecp5")

    def build(m):
        m.submodules.unit = unit
        time = Signal(4)
        m.d.sync += time.eq(Mux(time == 15, time, time + 1))
        expected = arith.delay(m, value, cycles, name="expected")
        m.d.comb += [unit.i.eq(value), Assert((time < cycles) | (unit.o == expected)),
                     Cover((time > cycles) & (unit.o == 9))]
    return Bench([value], build)


def _recall():
    """A slot answers with the value stored last."""
    unit, watched = Recall(4), Signal(2)
    inputs = [unit.value, unit.loading, unit.slot, watched]

    def build(m):
        m.submodules.unit = unit
        stored, known = Signal(4), Signal()
        constant(m, watched)
        with m.If(unit.loading == Const(1, 4) << watched):
            m.d.sync += [stored.eq(unit.value), known.eq(1)]
        single = (unit.loading & (unit.loading - 1)[:4]) == 0
        m.d.comb += [Assume(single), Assert(~known | (unit.slot != watched) | (unit.o == stored)),
                     Cover(known & (unit.slot == watched) & (watched == 2) & (unit.o == 5))]
    return Bench(inputs, build)


def _recall_parts():
    """A slot stored for as many cycles as it has parts answers with each part."""
    parts = 3
    unit, watched, part = RecallParts(2, parts), Signal(2), Signal(2)
    inputs = [unit.values, unit.loading, unit.slot, unit.part, watched, part]

    def build(m):
        m.submodules.unit = unit
        constant(m, watched)
        constant(m, part)
        last, values = Signal(4, name="last"), Signal.like(unit.values.as_value(), name="values")
        turn, stored, known = Signal(2, name="turns"), Signal(2, name="stored"), Signal()
        same = (unit.loading == last) & (unit.values.as_value() == values)
        m.d.sync += [last.eq(unit.loading), values.eq(unit.values),
                     turn.eq(Mux(turn == parts - 1, 0, turn + unit.loading.any()))]
        # A load lasts whole turns, a slot at a time.
        m.d.comb += [Assume((unit.loading & (unit.loading - 1)[:4]) == 0),
                     Assume((turn == 0) | same), Assume(part < parts)]
        with m.If((turn == part) & (unit.loading == Const(1, 4) << watched)):
            m.d.sync += [stored.eq(unit.values.as_value().word_select(part, 2)), known.eq(1)]
        asked = known & (unit.slot == watched) & (unit.part == part)
        m.d.comb += [Assert(~asked | (unit.o == stored)),
                     Cover(asked & (watched == 2) & (part == 2) & (unit.o == 3))]
    return Bench(inputs, build)


def _four(original):
    return lambda count: original(count) & 1


def _shallow(original):
    """Fault: a FIFO reports room for a value too many."""
    def make(*, width, depth):
        return original(width=width, depth=depth + 1)
    return make


def _twice(original):
    """Fault: a buffer repeats a value if it is taken in the cycle in which the next value comes."""
    def elaborate(self, platform):
        m = original(self, platform)
        m.d.comb += m.submodules.fifo.r_en.eq(self.o.ready & ~self.i.valid)
        return m
    return elaborate


def _always_ready(original):
    """Fault: a pair of registers takes a value while both are in use."""
    def elaborate(self, platform):
        m = original(self, platform)
        m.d.comb += self.i.ready.eq(1)
        return m
    return elaborate


def _same_part(original):
    return lambda items, index: original(items, index & 2)


PROPERTIES = (
    Property("queue: ring", "Every value of a ring, here of 4 places, leaves it once, unchanged "
             "and in order; its marks count the values", _ring, 12,
             (Fault("the counts have a bit", ring, "_next", _four),), Method.PDR),
    Property("queue: buffer", "A queue between two streams, of 2, 4 and 8 values, loses, repeats "
             "and changes none, and holds an offered value", _buffer, 12, (
                 Fault("the queue is a value deeper than it says", buffer, "SyncFIFO", _shallow),
                 Fault("a value is given twice", Buffer, "elaborate", _twice)),
             Method.PDR, cases=(4, 2, 8)),
    Property("queue: registers", "The registers between two streams hold 2 values, lose, repeat "
             "and change none, and hold an offered value", _skid, 12, (
                 Fault("the second register is never given", skid, "Mux", lambda original:
                       lambda which, one, other: other),
                 Fault("a value is taken while both are in use", Skid, "elaborate",
                       _always_ready)), Method.PDR),
    Property("queue: bytes of the link", "A byte queue, here of 4 bytes, keeps order and contents, "
             "drops bytes beyond, and holds an offered byte", _byte_queue, 12,
             (Fault("the memory is full at 1 byte", byte_queue, "_WAITING",
                    lambda original: 1),), Method.PDR),
    Property("delay: LUT RAM", "A delay line in LUT RAM delays as registers do", _delay_line, 10,
             (Fault("a register is missing", arith, "delay", lambda original:
                    lambda m, value, cycles, *, name: original(
                        m, value, cycles if name == "expected" else cycles - 1, name=name)),),
             Method.PDR),
    Property("slots: recall", "A slot holds the value that was stored last", _recall, 8,
             (Fault("two slots share a place", recall_module, "Cat", lambda original:
                    lambda *parts: original(parts[0], Const(0, 1))),), Method.PDR),
    Property("slots: parts", "A slot with three parts holds those that were stored last",
             _recall_parts, 12,
             (Fault("two parts are the same", recall_module, "pick", _same_part),), Method.PDR),
)
