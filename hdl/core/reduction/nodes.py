"""Nodes of the heap in distributed memory: both children of a node are read at once."""

from typing import NamedTuple

from amaranth import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.arith import less
from hdl.isa import HELD

from .steps import NODE_BITS

__all__ = ["Node", "Nodes"]

#: ``entry`` is where the place of the element lies, wherever it moves.
Node = data.StructLayout({"value": signed(16), "entry": range(HELD)})


class Nodes(wiring.Component):
    """Keep left and right children apart, each side by its parents.

    Latency 0 cycles from ``at`` to ``right_less`` and ``load``, 1 cycle to ``left``, ``right`` and
    ``smaller``, and from what is written to what is read; throughput a node a cycle, no
    backpressure. Takes no parameters.

    Members
    -------
    at : In, the node whose children are read, below ``HELD``; count : In, nodes that there are
    right_less : Out(1), the right one is smaller than the left one; has_right : Out(1), there is it
    loaded : In(1), ``load`` is the right one; load : Out(Node)
    hand : In(16); left, right : Out(Node); smaller : Out(2), each was less than ``hand``
    node : In, element : In(Node), written : In(1), the element comes to the node
    last, swap : In(Node), In(1), with node ``HELD // 2``: this comes there, and ``element`` below
    """

    at:         In(NODE_BITS)
    count:      In(range(HELD + 1))
    right_less: Out(1)
    has_right:  Out(1)
    loaded:     In(1)
    load:       Out(Node)
    hand:       In(signed(16))
    left:       Out(Node)
    right:      Out(Node)
    smaller:    Out(2)
    node:       In(NODE_BITS)
    element:    In(Node)
    written:    In(1)
    last:       In(Node)
    swap:       In(1)

    def elaborate(self, platform):
        m = Module()
        left, right = (self._side(m, name) for name in ("left", "right"))
        node, half, at = self.node, self.count >> 1, self.at
        m.d.comb += [
            left.index.eq(node >> 1), left.written.eq(self.written & ~node[0]),
            left.element.eq(Mux(self.swap, self.last, self.element)),
            # Below node 8, where alone there is a swap, lies index 8.
            right.index.eq(Cat(node[1:3], node[3] & ~self.swap, node[4] | self.swap)),
            right.element.eq(self.element), right.written.eq((self.written & node[0]) | self.swap),
            self.load.eq(Mux(self.loaded, right.now, left.now)),
            self.right_less.eq(less(right.now.value, left.now.value)),
            self.has_right.eq((at < half) | ((at == half) & self.count[0]))]
        m.d.sync += self.smaller.eq(Cat(less(side.now.value, self.hand) for side in (left, right)))
        return m

    def _side(self, m, name):
        """Memory of the left or of the right children; returns its ports."""
        m.submodules[name] = memory = Memory(shape=Node, depth=HELD, init=[])
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        node = Signal(Node, name=f"{name}_node", reset_less=True)
        m.d.comb += [reader.addr.eq(self.at), getattr(self, name).eq(node)]
        m.d.sync += node.eq(reader.data)
        return _Side(writer.addr, writer.data, writer.en, reader.data)


class _Side(NamedTuple):
    """The memory of one side of the tree: what is written, and what is read."""

    index: Value        #: of the parent whose child is written
    element: data.View  #: that comes there
    written: Value      #: it does
    now: data.View      #: child that is read
