# SPDX-License-Identifier: Apache-2.0
"""Properties of queues and delay lines: no value is lost, repeated or changed."""

from unittest.mock import patch

from amaranth import Const, Mux, Signal
from amaranth.hdl import Assert, Assume, Cover, Fragment

from xymac.hdl import arith, ring
from xymac.hdl.arith import DelayLine
from xymac.hdl.core import recall as recall_module
from xymac.hdl.core.recall import Recall
from xymac.hdl.link import byte_queue
from xymac.hdl.link.byte_queue import ByteQueue
from xymac.hdl.ring import Ring

from .property import Bench, Fault, Property

__all__ = ["PROPERTIES"]

_BITS = 4  # width of the values


def _follow(m, put, put_value, take, taken_value, mark, count_bits=6):
    """Assert that the value put as number ``mark`` is the value taken as this number, and that no
    value is taken before it is put; ``mark`` is any constant.
    """
    puts, takes = Signal(count_bits, name="puts"), Signal(count_bits, name="takes")
    marked = Signal(_BITS, name="marked")
    before = Signal.like(mark, name="before")
    started = Signal(name="started")
    m.d.sync += [puts.eq(puts + put), takes.eq(takes + take), before.eq(mark), started.eq(1)]
    with m.If(put & (puts == mark)):
        m.d.sync += marked.eq(put_value)
    m.d.comb += [
        Assume(~started | (before == mark)),
        Assert(~take | (takes != puts)),
        Assert(~(take & (takes == mark)) | (taken_value == marked)),
        Cover(take & (takes == mark) & (mark == 3))]


def _ring():
    unit, mark = Ring(_BITS), Signal(3)
    inputs = [unit.i, unit.put, unit.take, mark]

    def build(m):
        m.submodules.unit = unit
        stored = Signal(5)
        put    = unit.put & (stored < Ring.DEPTH)
        take   = unit.take & unit.there
        m.d.sync += stored.eq(stored + put - take)
        m.d.comb += [unit.show.eq(unit.put), unit.flush.eq(0),
                     Assume(~unit.put | (stored < Ring.DEPTH)), Assume(~unit.take | unit.there)]
        _follow(m, put, unit.i, take, unit.o, mark)
    return Bench(inputs, build)


def _byte_queue():
    unit, mark = ByteQueue(), Signal(3)
    inputs = [unit.i.payload, unit.i.valid, unit.o.ready, mark]

    def build(m):
        with patch.object(byte_queue, "_WAITING", min(byte_queue._WAITING, 8)):  # fewer bytes
            m.submodules.unit = Fragment.get(unit, None)
        held, payload = Signal(name="held"), Signal(8, name="payload")
        take = unit.o.valid & unit.o.ready
        stored = Signal(4, name="stored")
        put    = unit.i.valid & (stored < 8)
        m.d.sync += stored.eq(stored + put - take)
        m.d.sync += [held.eq(unit.o.valid & ~unit.o.ready), payload.eq(unit.o.payload)]
        m.d.comb += Assert(~held | (unit.o.valid & (unit.o.payload == payload)))
        _follow(m, put, unit.i.payload[:_BITS], take, unit.o.payload[:_BITS], mark)
    return Bench(inputs, build)


def _delay_line():
    cycles, value = 5, Signal(_BITS)
    unit = DelayLine(_BITS, cycles, vendor="ecp5")

    def build(m):
        m.submodules.unit = unit
        time = Signal(4)
        m.d.sync += time.eq(Mux(time == 15, time, time + 1))
        expected = arith.delay(m, value, cycles, name="expected")
        m.d.comb += [unit.i.eq(value), Assert((time < cycles) | (unit.o == expected)),
                     Cover((time > cycles) & (unit.o == 9))]
    return Bench([value], build)


def _recall():
    """A slot answers with the value that was stored last."""
    unit, watched = Recall(_BITS), Signal(2)
    inputs = [unit.value, unit.loading, unit.slot, watched]

    def build(m):
        m.submodules.unit = unit
        stored, known, before, started = Signal(_BITS), Signal(), Signal(2), Signal()
        m.d.sync += [before.eq(watched), started.eq(1)]
        with m.If(unit.loading == Const(1, 4) << watched):
            m.d.sync += [stored.eq(unit.value), known.eq(1)]
        single = (unit.loading & (unit.loading - 1)[:4]) == 0
        m.d.comb += [Assume(single), Assume(~started | (before == watched)),
                     Assert(~known | (unit.slot != watched) | (unit.o == stored)),
                     Cover(known & (unit.slot == watched) & (watched == 2) & (unit.o == 5))]
    return Bench(inputs, build)


def _four(original):
    return lambda count: original(count) & 3


PROPERTIES = (
    Property("queue: ring", "Every value of a ring leaves it once, unchanged and in order", _ring,
             12, (Fault("the counts have two bits", ring, "_next", _four),)),
    Property("queue: bytes of the link", "A byte queue, here of 8 bytes, keeps order and contents, "
             "drops bytes beyond, and holds an offered byte", _byte_queue, 8,
             (Fault("the memory is full at 1 byte", byte_queue, "_WAITING",
                    lambda original: 1),)),
    Property("delay: LUT RAM", "A delay line in LUT RAM delays as registers do", _delay_line, 10,
             (Fault("a register is missing", arith, "delay", lambda original:
                    lambda m, value, cycles, *, name: original(
                        m, value, cycles if name == "expected" else cycles - 1, name=name)),)),
    Property("slots: recall", "A slot holds the value that was stored last", _recall, 8,
             (Fault("two slots share a place", recall_module, "Cat", lambda original:
                    lambda *parts: original(parts[0], Const(0, 1))),)),
)
