"""Heap: the largest elements of those that passes write, and their places."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.arith import less
from hdl.isa import HELD
from hdl.limits import check_vendor

from .census import Census, Item, ItemQueue, Order
from .nodes import Node, Nodes
from .steps import Steps, number_of

__all__ = ["Heap", "Item"]


class Heap(wiring.Component):
    """Rank elements as ``hdl.isa`` says, one in three cycles whatever the heap.

    ``Sift`` has the nodes. An element that there is room for comes to its node at once. When the
    last one has come the heap is made, parent by parent. Items wait in a queue of 16.
    Throughput 1 element in ``CYCLES`` cycles, one root that goes in ``POP``, of 15 roots one after
    the other; while a heap is made, for up to 21 cycles, others wait. Latency up to 40 cycles from
    the last of them to where all is in its place, 7 from an item alone. No backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``GatedAdd``; ValueError otherwise

    Members
    -------
    valid : In(1), item : In(Item)
    flush : In(1), a program starts: the heap is empty, of one element
    place : Out(16), of the root: how many elements came before it since ``begin``
    busy : Out(1), something waits or moves, from the cycle after ``valid`` on
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
        # The first element comes to the root two cycles after it is counted.
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
        m.d.sync += [first.eq(census.count != 0), late.eq(first), known.eq(late | known),
                     self.busy.eq(self.valid | queue.o.valid | queue.waits | sift.busy)]
        with m.If(late):
            m.d.sync += place.eq(reader.data)
        with m.If(self.flush):
            m.d.sync += [first.eq(0), late.eq(0), known.eq(0)]
        return m


class Sift(wiring.Component):
    """Put an element at the end of the tree, or let it take the place of the root or of a parent
    and sink.

    A cycle reads both children of a node and compares them with each other, for the way down, and
    with the element in hand. The next one writes the node; so the element is as far down as it goes
    behind three levels. Below them lies one node at most, in a register: it is compared when the
    element is there. Latency 3 cycles from an order to the root, throughput an order in 3 cycles,
    ``fill`` in 1, honours backpressure by ``ready``. Takes no parameters.

    Members
    -------
    order : In(Order), value : In(16), of its element; count : In, next : In, nodes before and
        behind it
    flush : In(1), nothing is under way
    ready : Out(1), an order is taken; early : Out(1), only one to ``rank``; busy : Out(1), one is
        under way
    root : Out, entry of the root
    entry : Out, stored : Out(1), of an element whose place is kept
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
        fills, ranks = (Signal(name=name) for name in ("fills", "ranks"))  # a cycle after the order
        moves, ends  = (Signal(name=name) for name in ("moves", "ends"))   # two cycles after it
        fits  = Signal()
        going = Signal()  # the element did not rest above
        may   = Signal()  # it may go on, for there are children
        first = Signal()  # it is the root
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
        with m.If(order.fill | order.rank):
            m.d.sync += [hand.value.eq(self.value), hand.entry.eq(self.count)]
        with m.If(steps.loads):
            m.d.sync += hand.eq(nodes.load)
        with m.If(moves & going & first):
            m.d.sync += root.eq(Mux(sinks, child, before))
        self._write(m, steps, nodes, before, child, sinks, fills, moves & going,
                    ends & moves & sinks)
        return m

    def _write(self, m, steps, nodes, hand, child, sinks, fills, moves, rests):
        """Write the node that the element leaves behind or rests in, or the one below that."""
        before  = Signal(Node, name="before_that", reset_less=True)
        last    = Signal(Node, name="last", reset_less=True)  # the last node of a full heap
        leaf, changes = Signal(name="leaf"), Signal(name="changes")
        swaps = rests & ~nodes.node[0] & ~nodes.node[1] & ~nodes.node[3] & ~steps.side & (
            self.count[-1] & less(last.value, hand.value))
        m.d.comb += [
            nodes.written.eq(leaf | moves), nodes.last.eq(last),
            nodes.element.eq(Mux(leaf, before, Mux(sinks, child, hand)))]
        m.d.sync += [
            before.eq(hand), leaf.eq(rests), nodes.swap.eq(swaps),
            changes.eq(swaps | (rests & nodes.node[3]) | (moves & nodes.node[4])),
            nodes.node.eq(Mux(rests, Cat(steps.side, nodes.node),
                              Mux(fills, number_of(self.count), steps.at)))]
        with m.If(changes):
            m.d.sync += last.eq(before)
