"""Heap: the largest elements of those that passes write, and their places."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.isa import HELD

__all__ = ["Heap", "Item"]

#: What comes in the order of the elements. ``begin`` empties the heap and makes it one of ``last +
#: 1``, ``keep`` says that there is an element, ``pop`` takes the root off.
Item = data.StructLayout({
    "begin": 1, "keep": 1, "pop": 1, "last": range(HELD), "value": signed(16)})
_NODE  = data.StructLayout({"value": signed(16), "place": unsigned(16)})
_QUEUE = 16
_PAIRS = HELD // 2
_LEAF  = HELD - 1  # a node without children in any heap


class Heap(wiring.Component):
    """Rank elements as ``hdl.isa`` says, one level of the heap in two cycles.

    The root is a register. Of all other nodes two children of one node are a word of distributed
    memory, so that they are compared with what moves down, and with each other, at once; a cycle
    later it moves. It stays in hand until it has come to its node. Items wait in a queue of 16.
    Throughput 1 element in ``CYCLES`` cycles; while a heap is made, for up to 52 cycles, others
    wait. Latency up to 68 cycles from the last of them to where all is in its place, 10 from an
    item alone. No backpressure. Takes no parameters.

    Members
    -------
    valid : In(1), item : In(Item)
    flush : In(1), a program starts: the heap is empty, of one element
    place : Out(16), of the root: how many elements came before it since ``begin``
    busy : Out(1), something waits or moves, from the cycle after ``valid`` on
    """

    CYCLES = (5, 7, 9)  #: An element of a heap of up to 7, up to 15, and 16.

    valid: In(1)
    item:  In(Item)
    flush: In(1)
    place: Out(16)
    busy:  Out(1)

    def elaborate(self, platform):
        m = Module()
        self._root, self._hand = Signal(_NODE), Signal(_NODE, reset_less=True)
        self._sifting, self._loading = Signal(), Signal()
        self._hole    = Signal(range(HELD))   # the node that what is in hand may come to
        self._pair    = Signal(range(_PAIRS))  # where that is: on a side of a pair, or at the root
        self._right   = Signal()
        self._at_root = Signal()
        self._first   = Signal()              # what is in hand enters if it is not smaller
        self._making  = Signal()              # the heap is made, parent by parent
        self._parents = Signal(range(_PAIRS + 1))  # those left
        self._count   = Signal(range(HELD + 1))
        self._size    = Signal(range(HELD + 1), init=1)
        self._number  = Signal(16)            # elements since the heap was empty
        self._at      = Signal(range(_PAIRS))  # the pair that is read
        self._moving  = Signal()              # what is in hand is compared
        self._leaf    = Signal()              # the node has no children, or
        self._single  = Signal()              # not two
        ready, item, fetch = self._queue(m)
        left, right, write = self._pairs(m)
        self._sift(m, left, right, write)
        idle = ~self._sifting & ~self._loading
        m.d.comb += [fetch.eq(ready & (idle | (self._moving & self._leaf & ~self._making))),
                     self.place.eq(self._root.place)]
        with m.If(self._loading):
            m.d.sync += [
                self._hand.eq(Mux(self._at_root, self._root.as_value(),
                                  Mux(self._right, right.as_value(), left.as_value()))),
                self._loading.eq(0), self._sifting.eq(1), self._first.eq(0),
                self._at.eq(self._parents[:len(self._at)]), self._at_root.eq(self._parents == 0)]
            self._come_to(m, self._parents)
        with m.If(fetch):
            self._begin(m, item)
        with m.If(self.flush):
            m.d.sync += [self._sifting.eq(0), self._loading.eq(0), self._making.eq(0),
                         self._parents.eq(0), self._count.eq(0), self._size.eq(1),
                         self._number.eq(0), self._root.place.eq(0)]
        m.d.sync += self.busy.eq(self.valid | ready | self._waiting | ~idle)
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

    def _pairs(self, m):
        """The nodes but the root; returns what is read on both sides, and what is written."""
        write = Signal(data.StructLayout({"enable": 1, "node": _NODE}))
        read  = []
        for name, side in (("left", ~self._right), ("right", self._right)):
            m.submodules[name] = memory = Memory(shape=_NODE, depth=_PAIRS, init=[])
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [reader.addr.eq(self._at), writer.addr.eq(self._pair),
                         writer.data.eq(write.node),
                         writer.en.eq(write.enable & ~self._at_root & side)]
            read.append(reader.data)
        with m.If(write.enable & self._at_root):
            m.d.sync += self._root.eq(write.node)
        return *read, write

    def _sift(self, m, left, right, write):
        """Move down what is in hand by a level, or leave it."""
        hand, hole   = self._hand, self._hole
        child        = Cat(1, hole)  # the left one
        leaf, single = self._leaf, self._single
        to_left, to_right, enters, moves = Signal(), Signal(), Signal(), Signal()
        left_smaller, right_smaller, right_first = Signal(), Signal(), Signal()
        compared, fits = Signal(), Signal()  # a cycle late, as all that is compared
        below = Mux(to_right, child + 1, child)
        m.d.sync += [
            left_smaller.eq(left.value < hand.value), right_smaller.eq(right.value < hand.value),
            right_first.eq(right.value < left.value), fits.eq(hand.value >= self._root.value),
            compared.eq(self._sifting & ~self._moving)]
        m.d.comb += [
            # At a leaf there is nothing to compare but the root.
            self._moving.eq(self._sifting & (compared | (leaf & ~self._first))),
            to_right.eq(~single & Mux(left_smaller, right_first, right_smaller)),
            to_left.eq(~leaf & left_smaller & (single | ~right_first)),
            enters.eq(~self._first | fits), moves.eq(enters & (to_left | to_right)),
            write.enable.eq(self._moving & enters),
            write.node.eq(Mux(to_right, right.as_value(),
                              Mux(to_left, left.as_value(), hand.as_value())))]
        with m.If(self._moving):
            with m.If(moves):
                self._come_to(m, below[:len(hole)])
                m.d.sync += [self._at.eq(below[:len(self._at)]),
                             self._pair.eq(hole[:len(self._pair)]), self._right.eq(to_right),
                             self._at_root.eq(0), self._first.eq(0)]
            with m.Else():
                m.d.sync += [self._sifting.eq(0), self._making.eq(self._parents != 0)]
                with m.If(self._parents != 0):
                    m.d.sync += [self._loading.eq(1), self._parents.eq(self._parents - 1)]
                    self._go_behind(m, self._parents)

    def _come_to(self, m, hole):
        """What is in hand may come to a node; whether that has children is known with it."""
        child = Cat(1, hole)
        m.d.sync += [self._hole.eq(hole), self._leaf.eq(child >= self._count),
                     self._single.eq(child + 1 >= self._count)]

    def _go_behind(self, m, count):
        """Where the last of ``count`` nodes is; if it is the root, no pair."""
        pair = (count[1:] - 1)[:len(self._pair)]
        m.d.sync += [self._pair.eq(pair), self._at.eq(pair), self._right.eq(count[0]),
                     self._at_root.eq(count == 1)]

    def _begin(self, m, item):
        """Begin with an item: put an element where there is room or try it at the root, or load
        the last node to take the place of the root."""
        size, number = self._size, self._number
        counted, wanted, place = Signal.like(self._count), Signal.like(size), Signal.like(number)
        behind = Signal.like(counted)
        fills, full = Signal(), Signal()
        m.d.comb += [
            counted.eq(Mux(item.begin, 0, self._count)), wanted.eq(Mux(item.begin, item.last + 1,
                                                                       size)),
            place.eq(Mux(item.begin, 0, number)), behind.eq(counted + 1),
            fills.eq(counted != wanted), full.eq(behind == wanted)]
        m.d.sync += [
            size.eq(wanted), number.eq(place + item.keep), self._count.eq(counted),
            self._sifting.eq(item.keep), self._first.eq(~fills),
            self._hand.value.eq(item.value), self._hand.place.eq(place),
            self._hole.eq(0), self._leaf.eq(counted <= 1), self._single.eq(counted <= 2),
            self._at.eq(0), self._at_root.eq(1)]
        with m.If(item.keep & fills):
            m.d.sync += [self._count.eq(behind), self._hole.eq(_LEAF), self._leaf.eq(1),
                         self._single.eq(1), self._making.eq(full),
                         self._parents.eq(Mux(full, wanted >> 1, 0))]
            self._go_behind(m, behind)
        with m.If(item.pop & (self._count > 1)):
            m.d.sync += [self._count.eq(self._count - 1), self._loading.eq(1)]
            self._go_behind(m, self._count)
