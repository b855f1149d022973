# SPDX-License-Identifier: Apache-2.0
"""Heap: the largest written elements, and their places."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import less
from xymac.hdl.isa import HELD
from xymac.hdl.limits import check_vendor

from .census import Census, Item, ItemQueue, Order
from .nodes import Node, Nodes
from .steps import Steps, number_of

__all__ = ["Heap", "Item"]


class Heap(wiring.Component):
    """Rank elements as specified in ``xymac.hdl.isa``, in a constant three cycles per element.

    ``Sift`` holds the tree. While the heap has room, an element goes to the next node directly.
    The last such element starts heap construction, parent by parent, up to 21 cycles. Meanwhile
    items wait in a queue of 16. Throughput 1 element in ``CYCLES`` cycles, 1 pop in ``POP`` cycles
    for up to 15 consecutive pops. Latency from the last item to a settled heap up to 40 cycles, 7
    cycles for a single item. No backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``GatedAdd``; ValueError otherwise

    Members
    -------
    valid : In(1), item : In(Item)
    flush : In(1), a program starts: empty the heap and set its size to 1
    place : Out(16), place of the root: elements before it since ``begin``
    busy : Out(1), an item waits or a node moves, from the cycle after ``valid``
    """

    CYCLES = 3
    POP    = 5

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({"valid": In(1), "item": In(Item), "flush": In(1), "place": Out(16),
                          "busy": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue  = queue  = ItemQueue()
        m.submodules.census = census = Census(vendor=self._vendor)
        m.submodules.sift   = sift   = Sift()
        wiring.connect(m, queue.o, census.i)
        m.submodules.places = places = Memory(shape=16, depth=HELD, init=[])
        reader, writer = places.read_port(domain="comb"), places.write_port()
        # The first element reaches the root two cycles after its count.
        first, late, known = (Signal(name=name) for name in ("first", "late", "known"))
        place = Signal(16, reset_less=True)
        m.d.comb += [
            queue.valid.eq(self.valid), queue.item.eq(self.item), queue.flush.eq(self.flush),
            census.ready.eq(sift.ready), census.early.eq(sift.early),
            census.flush.eq(self.flush), sift.flush.eq(self.flush),
            sift.order.eq(census.order), sift.value.eq(queue.o.p.value),
            sift.count.eq(census.count), sift.next.eq(census.next),
            writer.addr.eq(sift.entry), writer.data.eq(census.place),
            writer.en.eq(sift.stored), reader.addr.eq(sift.root)]
        m.d.comb += self.place.eq(Mux(known, place, 0))
        m.d.sync += [place.eq(reader.data), known.eq(late | known),
                     first.eq(census.count != 0), late.eq(first),
                     self.busy.eq(self.valid | queue.o.valid | queue.waits | sift.busy)]
        with m.If(self.flush):
            m.d.sync += [first.eq(0), late.eq(0), known.eq(0)]
        return m


class Sift(wiring.Component):
    """Append an element to the tree, or put it in place of the root or a parent and let it sink.

    Each tree level takes a cycle. The cycle reads both children of a node and compares them with
    each other, for the path, and with the sinking element. The next cycle writes the node. After
    three levels at most a single node remains below the element. A register holds this node, and
    the comparison with it comes last. Latency 3 cycles from an order to the root, throughput 1
    order in 3 cycles, 1 ``fill`` in 1 cycle, honours backpressure by ``ready``. Takes no
    parameters.

    Members
    -------
    order : In(Order); value : In(16), its element; count, next : In(range(HELD + 1)), nodes before
        and after the order
    flush : In(1), abort the current order
    ready : Out(1), an order is accepted; early : Out(1), only ``rank`` is accepted; busy : Out(1),
        an order is in progress
    root : Out(entry number), entry of the root
    stored : Out(1), store the place of an element in its ``entry`` : Out(entry number)
    """

    order:  In(Order)
    value:  In(signed(16))
    count:  In(range(HELD + 1))
    next:   In(range(HELD + 1))
    flush:  In(1)
    ready:  Out(1)
    early:  Out(1)
    busy:   Out(1)
    root:   Out(range(HELD))
    entry:  Out(range(HELD))
    stored: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.steps = steps = Steps()
        m.submodules.nodes = nodes = Nodes()
        order = self.order
        hand, before, root = (Signal(Node, name=name, reset_less=True)
                              for name in ("hand", "before", "root"))
        fills, ranks = (Signal(name=name) for name in ("fills", "ranks"))  # 1 cycle after the order
        moves, ends  = (Signal(name=name) for name in ("moves", "ends"))   # 2 cycles after it
        fits  = Signal()
        going = Signal()  # the element has not come to rest
        may   = Signal()  # it may sink, because the node has children
        first = Signal()  # the node is the root
        goes, sinks = (Signal(name=name) for name in ("goes", "sinks"))
        child = Mux(steps.side, nodes.right, nodes.left)
        m.d.comb += [
            steps.order.eq(order), steps.last.eq(self.count), steps.next.eq(self.next),
            steps.flush.eq(self.flush), steps.right_less.eq(nodes.right_less),
            steps.has_right.eq(nodes.has_right), nodes.at.eq(steps.at),
            nodes.count.eq(self.count), nodes.hand.eq(hand.value), nodes.loaded.eq(steps.loaded),
            self.ready.eq(steps.ready), self.early.eq(steps.early),
            self.busy.eq(~steps.ready | fills | moves), self.root.eq(root.entry),
            self.entry.eq(before.entry), fits.eq(~less(hand.value, root.value)),
            goes.eq(fills | steps.begins | Mux(ranks, fits, sinks)),
            sinks.eq(may & nodes.smaller.bit_select(steps.side, 1))]
        m.d.sync += [
            fills.eq(order.fill), ranks.eq(order.rank), moves.eq(fills | steps.reads),
            self.stored.eq(fills | (ranks & fits)), ends.eq(steps.ends), going.eq(goes),
            may.eq(goes & ~fills & (steps.at <= self.count >> 1)),
            first.eq(Mux(fills, self.count == 1, steps.at == 1)),
            before.value.eq(hand.value), before.entry.eq(Mux(ranks, root.entry, hand.entry))]
        with m.If(ranks):
            m.d.sync += hand.entry.eq(root.entry)
        with m.If(steps.ready | steps.early):  # not of use without an order, and sooner known
            m.d.sync += [hand.value.eq(self.value), hand.entry.eq(self.count)]
        with m.If(steps.loads):
            m.d.sync += hand.eq(nodes.load)
        with m.If(moves & going & first):
            m.d.sync += root.eq(Mux(sinks, child, before))
        self._write(m, steps, nodes, before, child, sinks, fills, moves & going,
                    ends & sinks)
        return m

    def _write(self, m, steps, nodes, hand, child, sinks, fills, moves, rests):
        """Write the node above or at the element's position, or the lowest node below it."""
        before  = Signal(Node, name="before_that", reset_less=True)
        last    = Signal(Node, name="last", reset_less=True)  # the last node of a full heap
        leaf, changes = Signal(name="leaf"), Signal(name="changes")
        swaps = rests & ~nodes.node[0] & ~nodes.node[1] & ~steps.side & (
            self.count[-1] & less(last.value, hand.value))
        m.d.comb += [
            nodes.written.eq(leaf | moves), nodes.last.eq(last),
            nodes.element.eq(Mux(leaf, before, Mux(sinks, child, hand)))]
        m.d.sync += [
            before.eq(hand), leaf.eq(rests), nodes.swap.eq(swaps),
            changes.eq(swaps | (rests & nodes.node[3]) | nodes.node[4]),
            nodes.node.eq(Mux(rests, Cat(steps.side, nodes.node),
                              Mux(fills, number_of(self.count), steps.at)))]
        with m.If(changes):
            m.d.sync += last.eq(before)
