"""Nodes of the heap in distributed memory: both children of a node are read at once."""

from typing import NamedTuple

from amaranth import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.isa import HELD

from .steps import NODE_BITS

__all__ = ["Node", "Nodes"]

#: ``entry`` is where value and place of the element lie, wherever it moves.
Node = data.StructLayout({"value": signed(16), "entry": range(HELD)})
_ENTRY = range(HELD)


class Nodes(wiring.Component):
    """Keep the entries of left and of right children, and the values of elements by entry.

    Latency 0 cycles from ``at`` to ``right_first``, 1 cycle to ``child``, and from what is written
    to what is read; throughput a node a cycle, no backpressure. Takes no parameters.

    Members
    -------
    at : In, the node whose children are read, below ``HELD``; count : In, nodes that there are
    right_first : Out(1), the right one is smaller, or the only one
    side : In(1), ``child`` is the right one; child : Out(Node)
    element : In(Node), stored : In(1), its value is written
    node : In, entry : In, written : In(1), of the element in a node
    last, swap : In, In(1), with node ``HELD // 2``: this entry goes there, and ``entry`` below it
    """

    at:          In(NODE_BITS)
    count:       In(range(HELD + 1))
    right_first: Out(1)
    side:        In(1)
    child:       Out(Node)
    element:     In(Node)
    stored:      In(1)
    node:        In(NODE_BITS)
    entry:       In(_ENTRY)
    written:     In(1)
    last:        In(_ENTRY)
    swap:        In(1)

    def elaborate(self, platform):
        m = Module()
        left, right = (self._side(m, name) for name in ("left", "right"))
        node, half, at = self.node, self.count >> 1, self.at
        m.d.comb += [
            left.index.eq(node >> 1), left.entry.eq(Mux(self.swap, self.last, self.entry)),
            left.written.eq(self.written & ~node[0]),
            # Below node 8, where alone there is a swap, lies index 8.
            right.index.eq(Cat(node[1:3], node[3] & ~self.swap, node[4] | self.swap)),
            right.entry.eq(self.entry), right.written.eq((self.written & node[0]) | self.swap),
            self.right_first.eq(at[3] | ((right.now < left.now) & (
                (at < half) | ((at == half) & self.count[0])))),
            self.child.eq(Mux(self.side, right.node, left.node))]
        return m

    def _side(self, m, name):
        """Memories of the left or of the right children; returns their ports."""
        m.submodules[f"{name}_entries"] = entries = Memory(shape=_ENTRY, depth=HELD, init=[])
        m.submodules[f"{name}_values"] = values = Memory(shape=signed(16), depth=HELD, init=[])
        reader, writer = entries.read_port(domain="comb"), entries.write_port()
        value, stored  = values.read_port(domain="comb"), values.write_port()
        node = Signal(Node, name=name, reset_less=True)
        m.d.comb += [reader.addr.eq(self.at), value.addr.eq(reader.data),
                     stored.addr.eq(self.element.entry), stored.data.eq(self.element.value),
                     stored.en.eq(self.stored)]
        m.d.sync += [node.value.eq(value.data), node.entry.eq(reader.data)]
        return _Side(writer.addr, writer.data, writer.en, value.data, node)


class _Side(NamedTuple):
    """The memories of one side of the tree: where an entry is written, what is read."""

    index: Value    #: of the parent whose child is written
    entry: Value    #: of the element that comes there
    written: Value  #: it does
    now: Value      #: value of the child that is read
    node: data.View  #: the child that was read in the cycle before
