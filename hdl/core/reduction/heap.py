"""Heap: the largest elements of those that passes write, and their places."""

from amaranth import Module, Mux, Signal, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import pick
from hdl.isa import HELD

from .census import Census, Item, ItemQueue
from .nodes import PARENTS, Nodes

__all__ = ["Heap", "Item"]


class Heap(wiring.Component):
    """Rank elements as ``hdl.isa`` says, one in three cycles whatever the heap.

    All nodes are registers, see ``Nodes``. An element that there is room for comes to its node at
    once. When the last one has come the heap is made, parent by parent, each as if it came to its
    own subtree. Items wait in a queue of 16.
    Throughput 1 element in ``CYCLES`` cycles, one root that goes in ``POP``; while a heap is made,
    for up to 24 cycles, others wait. Latency up to 40 cycles from the last of them to where all is
    in its place, 7 from an item alone. No backpressure. Takes no parameters.

    Members
    -------
    valid : In(1), item : In(Item)
    flush : In(1), a program starts: the heap is empty, of one element
    place : Out(16), of the root: how many elements came before it since ``begin``
    busy : Out(1), something waits or moves, from the cycle after ``valid`` on
    """

    CYCLES = 3
    POP    = 5

    valid: In(1)
    item:  In(Item)
    flush: In(1)
    place: Out(16)
    busy:  Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue  = queue  = ItemQueue()
        m.submodules.census = census = Census()
        m.submodules.nodes  = nodes  = Nodes()
        # The last node is taken in hand, in two cycles; then nodes are compared.
        seek, load, compare = (Signal(name=name) for name in ("seek", "load", "compare"))
        parents = Signal(range(PARENTS + 1))  # left while the heap is made
        makes, takes = Signal(name="makes"), Signal(name="takes")
        start = Signal(range(PARENTS))
        item = queue.o.p
        # What moves now lies in its node before what is taken next is compared.
        free = ~(seek | load | compare | nodes.follow)
        m.d.comb += [
            queue.valid.eq(self.valid), queue.item.eq(self.item), queue.flush.eq(self.flush),
            queue.o.ready.eq(takes), census.item.eq(item), census.valid.eq(takes),
            census.flush.eq(self.flush), makes.eq(free & (parents != 0)), start.eq(parents - 1),
            takes.eq(queue.o.valid & free & ~makes), nodes.count.eq(census.count),
            nodes.fill.eq(takes & census.fills), nodes.end.eq(census.end)]
        m.d.sync += [
            seek.eq(takes & census.pops), load.eq(seek),
            compare.eq(load | makes | (takes & item.keep & ~census.fills)),
            nodes.follow.eq(compare), nodes.move.eq(nodes.follow | nodes.fill),
            self.busy.eq(self.valid | queue.o.valid | queue.waits | ~free | nodes.move
                         | (parents != 0))]
        with m.If(makes):
            m.d.sync += [parents.eq(start), nodes.start.eq(1 << start)]
        with m.If(takes):
            m.d.sync += nodes.start.eq(1)
        with m.If(takes & census.completes):
            m.d.sync += parents.eq(census.parents)
        self._hold(m, census, nodes, takes, makes, seek, load, start)
        with m.If(compare & nodes.comes):  # where the root lies
            m.d.sync += nodes.hand.entry.eq(nodes.nodes[0].entry)
        with m.If(self.flush):
            m.d.sync += [signal.eq(0) for signal in (
                seek, load, compare, nodes.follow, nodes.move, parents, self.place)]
        return m

    def _hold(self, m, census, nodes, takes, makes, seek, load, start):
        """Take in hand an item, a parent while the heap is made, or the last node for the place of
        the root; keep the value and the place of elements that are stored."""
        hand, item = nodes.hand, census.item
        place = Signal(16, reset_less=True)
        kept  = []
        for name, shape in (("values", signed(16)), ("places", unsigned(16))):
            m.submodules[name] = memory = Memory(shape=shape, depth=HELD, init=[])
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [writer.addr.eq(hand.entry), writer.en.eq(nodes.stored & nodes.comes)]
            kept.append((reader, writer))
        (values, value), (places, written) = kept
        m.d.comb += [value.data.eq(hand.value), written.data.eq(place),
                     values.addr.eq(Mux(load, hand.entry, start)),
                     places.addr.eq(nodes.nodes[0].entry)]
        with m.If(takes):
            m.d.sync += [hand.value.eq(item.value), hand.entry.eq(census.entry),
                         place.eq(census.place), nodes.comes.eq(item.keep)]
        with m.Elif(makes):
            m.d.sync += [hand.entry.eq(start), nodes.comes.eq(0)]
        with m.Elif(seek):
            last = pick([node.entry for node in nodes.nodes],
                        census.count[:exact_log2(HELD)])
            m.d.sync += hand.entry.eq(last)
        with m.If(makes | load):
            m.d.sync += hand.value.eq(values.data)
        with m.If(census.count != 0):
            m.d.sync += self.place.eq(places.data)
