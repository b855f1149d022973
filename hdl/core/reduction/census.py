# SPDX-License-Identifier: Apache-2.0
"""Census: queue the heap items, count the elements, and order tree operations."""

from amaranth import Module, Mux, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.carry import GatedAdd
from xymac.hdl.isa import HELD
from xymac.hdl.limits import check_vendor

__all__ = ["Census", "Item", "ItemQueue", "Order"]

#: A heap item, in element order. ``begin`` empties the heap and sets its size to ``last + 1``;
#: ``keep``: ``value`` is an element; ``pop`` removes the root. An element after a pop begins a new
#: heap of the same size.
Item = data.StructLayout({
    "begin": 1, "keep": 1, "pop": 1, "last": range(HELD), "value": signed(16)})
#: A tree operation. ``fill`` appends an element, ``complete`` marks the final append. ``rank``
#: replaces the root by the element unless it is smaller; ``pop`` replaces the root by the last
#: node.
Order = data.StructLayout({"fill": 1, "complete": 1, "rank": 1, "pop": 1})
_QUEUE = 16


class ItemQueue(wiring.Component):
    """Queue up to 16 items.

    Latency 2 cycles, throughput 1 item a cycle; honours backpressure of ``o``. The sender must know
    about free space. Takes no parameters.

    Members
    -------
    valid : In(1), item : In(Item); o : Out(stream of Item)
    flush : In(1), empty the queue
    waits : Out(1), the queue holds further items behind ``o``
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
        head = Signal(Item, reset_less=True)
        m.d.comb += [self.waits.eq(first != end), reader.addr.eq(first), writer.addr.eq(end),
                     writer.data.eq(self.item), writer.en.eq(self.valid), self.o.p.eq(head)]
        with m.If(self.valid):
            m.d.sync += end.eq(end + 1)
        with m.If(self.o.ready | ~self.o.valid):
            m.d.sync += [self.o.valid.eq(self.waits), head.eq(reader.data),
                         first.eq(first + self.waits)]
        with m.If(self.flush):
            m.d.sync += [self.o.valid.eq(0), first.eq(0), end.eq(0)]
        return m


class Census(wiring.Component):
    """Count the elements of a heap, and derive the tree operation of each item.

    The first element of a new heap waits a cycle while the counts return to 0. Latency 0 cycles to
    ``order``, 1 cycle to ``count``. Throughput 1 item in 1 cycle, in 2 cycles for such an element;
    honours backpressure by ``ready``.

    Parameters
    ----------
    vendor : None or "ecp5", see ``GatedAdd``; ValueError otherwise

    Members
    -------
    i : In(stream of Item)
    ready : In(1), the tree accepts an order; early : In(1), it accepts only ``rank``
    flush : In(1), empty the heap and set its size to 1
    order : Out(Order)
    count : Out(range(HELD + 1)), elements in the heap; next : Out(range(HELD + 1)), the same after
        the order
    place : Out(16), elements before the element of two cycles ago
    """

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({
            "i": In(stream.Signature(Item)), "ready": In(1), "early": In(1), "flush": In(1),
            "order": Out(Order), "count": Out(range(HELD + 1)), "next": Out(range(HELD + 1)),
            "place": Out(16)})

    def elaborate(self, platform):
        m = Module()
        item, order, count = self.i.p, self.order, self.count
        last  = Signal(range(HELD))  # size of the heap less 1
        stale = Signal()  # the next element begins a new heap
        full, cleared, came = (Signal(name=name) for name in ("full", "cleared", "came"))
        offered, anew, clears = (Signal(name=name) for name in ("offered", "anew", "clears"))
        keeps = self.i.valid & item.keep & ~anew
        m.d.comb += [
            offered.eq(self.i.valid & self.ready), clears.eq(offered & anew),
            anew.eq((item.begin & ~cleared) | (item.keep & stale)),
            self.i.ready.eq((self.ready & ~(anew & item.keep)) | order.rank),
            order.fill.eq(keeps & ~full & self.ready),
            order.rank.eq(keeps & full & (self.ready | self.early)),
            order.complete.eq(order.fill & (count == last)),
            order.pop.eq(offered & item.pop & (count > 1)),
            self.next.eq(count + Mux(item.pop, -1, 1))]
        m.d.sync += [cleared.eq(clears & item.keep), came.eq(order.fill | order.rank)]
        self._count(m, came, clears | self.flush)
        with m.If(offered & item.pop):
            m.d.sync += stale.eq(1)
        with m.If(order.complete):
            m.d.sync += full.eq(1)
        with m.If(order.fill | order.pop):
            m.d.sync += count.eq(self.next)
        with m.If(clears & item.begin):
            m.d.sync += last.eq(item.last)
        with m.If(clears | self.flush):
            m.d.sync += [stale.eq(0), full.eq(0), count.eq(0)]
        with m.If(self.flush):
            m.d.sync += [last.eq(0), cleared.eq(0)]
        return m

    def _count(self, m, came, clears):
        """Count all elements since the heap began.

        No element comes in the cycle of ``clears``: the count returns to 0 a cycle later, before
        the place of the next element is read.
        """
        place  = Signal(16, reset_less=True)  # a flush precedes all elements
        counts, cleared = (Signal(name=name) for name in ("counts", "count_cleared"))
        m.submodules.add = add = GatedAdd(width=len(place), vendor=self._vendor)
        m.d.comb += [add.term.eq(counts & ~cleared), add.acc.eq(place),
                     add.going.eq((~cleared).replicate(len(place))), self.place.eq(place)]
        m.d.sync += [cleared.eq(clears), place.eq(add.o), counts.eq(came & ~cleared)]
