"""Items of the heap: their order, and how many elements there are."""

from amaranth import Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.isa import HELD

from .nodes import PARENTS

__all__ = ["Census", "Item", "ItemQueue"]

#: What comes in the order of the elements. ``begin`` empties the heap and makes it one of ``last +
#: 1``, ``keep`` says that there is an element, ``pop`` takes the root off; an element after that
#: begins a heap of the same size.
Item = data.StructLayout({
    "begin": 1, "keep": 1, "pop": 1, "last": range(HELD), "value": signed(16)})
_QUEUE = 16


class ItemQueue(wiring.Component):
    """Let 16 items wait.

    Latency 2 cycles, throughput one item a cycle; honours backpressure of ``o``, the sender knows
    that there is room. Takes no parameters.

    Members
    -------
    valid : In(1), item : In(Item); o : Out(stream of Item)
    flush : In(1), all of them go
    waits : Out(1), there are others behind ``o``
    """

    valid: In(1)
    item:  In(Item)
    flush: In(1)
    o:     Out(stream.Signature(Item))
    waits: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.items = items = Memory(shape=Item, depth=_QUEUE, init=[])
        reader, writer = items.read_port(domain="comb"), items.write_port()
        first, end = (Signal(range(_QUEUE), name=name) for name in ("first", "end"))
        m.d.comb += [self.waits.eq(first != end), reader.addr.eq(first), writer.addr.eq(end),
                     writer.data.eq(self.item), writer.en.eq(self.valid)]
        with m.If(self.valid):
            m.d.sync += end.eq(end + 1)
        with m.If(self.o.ready | ~self.o.valid):
            m.d.sync += [self.o.valid.eq(self.waits), self.o.p.eq(reader.data),
                         first.eq(first + self.waits)]
        with m.If(self.flush):
            m.d.sync += [self.o.valid.eq(0), first.eq(0), end.eq(0)]
        return m


class Census(wiring.Component):
    """Count the elements of a heap, and judge each item by that.

    Latency 0 for what is told of an item, 1 for ``count``; throughput one item a
    cycle, no backpressure. Takes no parameters.

    Members
    -------
    valid : In(1), item : In(Item), one that is taken
    flush : In(1), the heap is empty, of one element
    fills : Out(1), the item is an element that there is room for; completes : Out(1), the last one;
        pops : Out(1), the root goes, and there are others
    entry : Out, where the element lies, and its node; end : Out(``HELD``), a bit, the same node
    place : Out(16), how many elements came before
    parents : Out, of a complete heap
    count : Out, elements
    """

    valid:     In(1)
    item:      In(Item)
    flush:     In(1)
    fills:     Out(1)
    completes: Out(1)
    pops:      Out(1)
    entry:     Out(range(HELD))
    end:       Out(HELD)
    place:     Out(16)
    parents:   Out(range(PARENTS + 1))
    count:     Out(range(HELD + 1))

    def elaborate(self, platform):
        m = Module()
        item   = self.item
        popped = Signal()  # the next element begins anew
        size, room = (Signal(range(HELD + 1), init=1, name=name) for name in ("size", "room"))
        number = Signal(16)  # elements since the heap was empty
        begins = Signal()
        wanted = Signal.like(size)
        left = Mux(begins, wanted, room)
        m.d.comb += [
            begins.eq(item.begin | (item.keep & popped)),
            wanted.eq(Mux(item.begin, item.last + 1, size)), self.parents.eq(wanted >> 1),
            self.fills.eq(item.keep & (begins | (room != 0))),
            self.completes.eq(self.fills & Mux(begins, wanted == 1, room == 1)),
            self.pops.eq(item.pop & (self.count > 1)),
            self.entry.eq(Mux(begins, 0, self.count)), self.place.eq(Mux(begins, 0, number)),
            self.end.eq(Mux(begins, 1, 1 << self.count[:len(self.entry)]))]
        with m.If(self.valid):
            m.d.sync += [
                popped.eq(item.pop | (popped & ~begins)), size.eq(wanted),
                room.eq(left - self.fills), number.eq(self.place + item.keep),
                self.count.eq(Mux(begins, 0, self.count) + self.fills - self.pops)]
        with m.If(self.flush):
            m.d.sync += [popped.eq(0), size.eq(1), room.eq(1), number.eq(0), self.count.eq(0)]
        return m
