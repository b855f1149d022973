"""Heap: the largest elements of those that passes write, and their places."""

from amaranth import Array, Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.isa import HELD

__all__ = ["Heap", "Item"]

#: What comes in the order of the elements. ``begin`` empties the heap and makes it one of ``last +
#: 1``, ``keep`` says that there is an element, ``pop`` takes the root off; an element after that
#: begins a heap of the same size.
Item = data.StructLayout({
    "begin": 1, "keep": 1, "pop": 1, "last": range(HELD), "value": signed(16)})
#: ``entry`` is where value and place of the element lie, wherever it moves.
_NODE    = data.StructLayout({"value": signed(16), "entry": range(HELD)})
_QUEUE   = 16
_PARENTS = HELD // 2
_BITS    = exact_log2(HELD)  # of the number of a node


class Heap(wiring.Component):
    """Rank elements as ``hdl.isa`` says, one in three cycles whatever the heap.

    All nodes are registers. In the first cycle what is in hand is compared with every one of them,
    and the two children of a node with each other; the second cycle follows the smaller children
    down to where it stops; in the third what is smaller moves up, and it comes to its node. An
    element that there is room for comes to its node at once. Then the heap is made, parent by
    parent, each as if it came to its own subtree. Items wait in a queue of 16.
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
        self._nodes  = [Signal(_NODE, name=f"node{index}") for index in range(HELD)]
        self._hand   = Signal(_NODE, reset_less=True)
        self._place  = Signal(16, reset_less=True)  # of what is in hand
        self._count  = Signal(range(HELD + 1))
        self._size   = Signal(range(HELD + 1), init=1)
        self._room   = Signal(range(HELD + 1), init=1)  # elements until the heap is made
        self._number = Signal(16)             # elements since the heap was empty
        self._popped  = Signal()              # the next element begins anew
        self._parents = Signal(range(_PARENTS + 1))  # those left while the heap is made
        self._start  = Signal(_PARENTS)       # the node from which on what is in hand moves down
        self._comes  = Signal()               # it is an element that comes,
        self._fills  = Signal()               # and there is room
        self._put    = Signal(HELD)           # the node that it comes to
        self._seek, self._load = Signal(), Signal()  # the last node is taken in hand
        self._compare, self._follow, self._move = Signal(), Signal(), Signal()
        ready, item, fetch = self._queue(m)
        # What moves now lies in its node before what is taken next is compared.
        free  = ~(self._seek | self._load | self._compare | self._follow)
        makes = free & (self._parents != 0)
        m.d.comb += fetch.eq(ready & free & ~makes)
        m.d.sync += [self._follow.eq(self._compare), self._move.eq(self._follow),
                     self._compare.eq(self._load | makes), self._load.eq(self._seek),
                     self._seek.eq(0)]
        value = self._elements(m)
        with m.If(makes):
            m.d.sync += [self._parents.eq(self._parents - 1), self._comes.eq(0),
                         self._fills.eq(0), self._hand.entry.eq(self._parents - 1),
                         self._start.eq(1 << (self._parents - 1)[:_BITS - 1])]
        with m.If(makes | self._load):
            m.d.sync += self._hand.value.eq(value)
        with m.If(fetch):
            self._begin(m, item)
        self._sift(m)
        with m.If(self.flush):
            m.d.sync += [signal.eq(0) for signal in (
                self._seek, self._load, self._compare, self._follow, self._move, self._parents,
                self._count, self._number, self._popped, self.place)]
            m.d.sync += [self._size.eq(1), self._room.eq(1)]
        m.d.sync += self.busy.eq(self.valid | ready | self._waiting | ~free | self._move
                                 | (self._parents != 0))
        return m

    def _queue(self, m):
        """Items that wait; returns whether one is at hand, that, and a signal that takes it."""
        m.submodules.queue = queue = Memory(shape=Item, depth=_QUEUE, init=[])
        reader, writer = queue.read_port(domain="comb"), queue.write_port()
        ready, item, fetch = Signal(), Signal(Item), Signal()
        self._waiting = Signal()
        m.d.comb += [self._waiting.eq(reader.addr != writer.addr),
                     writer.data.eq(self.item), writer.en.eq(self.valid)]
        first, end = Signal(range(_QUEUE)), Signal(range(_QUEUE))
        m.d.comb += [reader.addr.eq(first), writer.addr.eq(end)]
        with m.If(self.valid):
            m.d.sync += end.eq(end + 1)
        with m.If(fetch | ~ready):
            m.d.sync += [ready.eq(self._waiting), item.eq(reader.data),
                         first.eq(first + self._waiting)]
        with m.If(self.flush):
            m.d.sync += [ready.eq(0), first.eq(0), end.eq(0)]
        return ready, item, fetch

    def _elements(self, m):
        """Values and places of the elements; returns the value of what is to be taken in hand."""
        result = []
        for name, shape in (("values", signed(16)), ("places", unsigned(16))):
            m.submodules[name] = memory = Memory(shape=shape, depth=HELD, init=[])
            result.append((memory.read_port(domain="comb"), memory.write_port()))
        (values, value), (places, place) = result
        for port in (value, place):
            m.d.comb += [port.addr.eq(self._hand.entry),
                         port.en.eq(self._move & self._comes & self._put.any())]
        m.d.comb += [value.data.eq(self._hand.value), place.data.eq(self._place),
                     values.addr.eq(Mux(self._load, self._hand.entry, self._parents - 1)),
                     places.addr.eq(self._nodes[0].entry)]
        with m.If(self._count != 0):
            m.d.sync += self.place.eq(places.data)
        return values.data

    def _begin(self, m, item):
        """Take the next item: an element, or the last node for the place of the root."""
        counted, wanted, room = (Signal.like(signal) for signal in (
            self._count, self._size, self._room))
        begins, fills, pops = Signal(), Signal(), Signal()
        m.d.comb += [
            begins.eq(item.begin | (item.keep & self._popped)),
            counted.eq(Mux(begins, 0, self._count)),
            wanted.eq(Mux(item.begin, item.last + 1, self._size)),
            room.eq(Mux(begins, wanted, self._room)),
            fills.eq(item.keep & (room != 0)), pops.eq(item.pop & (self._count > 1))]
        m.d.sync += [
            self._popped.eq(item.pop | (self._popped & ~begins)),
            self._size.eq(wanted), self._room.eq(room - fills),
            self._count.eq(counted + fills - pops),
            self._hand.value.eq(item.value), self._hand.entry.eq(counted),
            self._number.eq(self._number + item.keep), self._place.eq(self._number),
            self._comes.eq(item.keep), self._fills.eq(fills), self._start.eq(1),
            self._compare.eq(item.keep & ~fills), self._move.eq(fills), self._seek.eq(pops)]
        with m.If(begins):
            m.d.sync += [self._number.eq(item.keep), self._place.eq(0)]
        with m.If(fills):
            m.d.sync += self._put.eq(1 << counted[:_BITS])
            with m.If(room == 1):
                m.d.sync += self._parents.eq(wanted >> 1)

    def _sift(self, m):
        """Take the last node in hand, compare, and follow the smaller children."""
        nodes, hand, start = self._nodes, self._hand, self._start
        with m.If(self._seek):
            m.d.sync += hand.entry.eq(Array(node.entry for node in nodes)[self._count[:_BITS]])
        with m.If(self._compare & self._comes):
            m.d.sync += hand.entry.eq(nodes[0].entry)
        smaller, right_first, fits = Signal(HELD), Signal(_PARENTS), Signal()
        m.d.sync += fits.eq(hand.value >= nodes[0].value)
        for index in range(1, HELD):
            m.d.sync += smaller[index].eq((nodes[index].value < hand.value)
                                          & (self._count > index))
        for parent in range(_PARENTS - 1):
            left, right = nodes[2 * parent + 1], nodes[2 * parent + 2]
            m.d.sync += right_first[parent].eq((right.value < left.value)
                                               & (self._count > 2 * parent + 2))
        up = Signal(HELD)  # what moves to its parent, a cycle late
        reached, follows = [start[0] & (~self._comes | fits)], []
        for index in range(1, HELD):
            parent, right = (index - 1) // 2, index % 2 == 0
            moves = Signal(name=f"moves{index}")
            m.d.comb += moves.eq(reached[parent] & smaller[index]
                                 & (right_first[parent] if right else ~right_first[parent]))
            follows.append(moves)
            reached.append(moves | start[index] if index < _PARENTS else moves)
        with m.If(self._follow):
            m.d.sync += up.eq(Cat(0, *follows))
            for index, reach in enumerate(reached):
                stays = ~Cat(follows[2 * index:2 * index + 2]).any() if index < _PARENTS else 1
                m.d.sync += self._put[index].eq(reach & stays)
        self._shift(m, up)

    def _shift(self, m, up):
        """Move nodes to their parents where ``up`` says so, and what is in hand to its node."""
        nodes = self._nodes
        for index, node in enumerate(nodes):
            children = [child for child in (2 * index + 1, 2 * index + 2) if child < HELD]
            with m.If(self._move & self._put[index]):
                m.d.sync += node.eq(self._hand)
            for child in children:
                with m.If(self._move & ~self._fills & up[child]):
                    m.d.sync += node.eq(nodes[child])
