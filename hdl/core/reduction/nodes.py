# SPDX-License-Identifier: Apache-2.0
"""Heap nodes in distributed memory: both children of a node are read in a cycle."""

from typing import NamedTuple

from amaranth import Cat, Module, Mux, Signal, Value, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import less
from xymac.hdl.isa import HELD

from .steps import NODE_BITS

__all__ = ["Node", "Nodes"]

#: ``entry`` is the address of the element's place; it moves with the element.
Node = data.StructLayout({"value": signed(16), "entry": range(HELD)})


class Nodes(wiring.Component):
    """Store left and right children in separate memories, addressed by their parent.

    Latency 0 cycles from ``at`` to ``right_less`` and ``load``, 1 cycle to ``left``, ``right`` and
    ``smaller``, and 1 cycle from a write to a read; throughput 1 node a cycle, no backpressure.
    Takes no parameters.

    Members
    -------
    at : In(node number), the parent to read, below ``HELD``; count : In(range(HELD + 1)), number
        of nodes
    right_less : Out(1), the right child is smaller than the left child; has_right : Out(1), the
        right child exists
    load : Out(Node), a child of ``at``; loaded : In(1), choose the right child
    left, right : Out(Node), the children; hand : In(16), the sinking value; smaller : Out(2), each
        child is less than ``hand``
    written : In(1), store ``element`` : In(Node) at ``node`` : In(node number)
    swap : In(1), with node ``HELD // 2``: store ``last`` : In(Node) there and ``element`` below it
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
            # A swap occurs only at node 8; the index of its child is 8.
            right.index.eq(Cat(node[1:3], node[3] & ~self.swap, node[4] | self.swap)),
            right.element.eq(self.element), right.written.eq((self.written & node[0]) | self.swap),
            self.load.eq(Mux(self.loaded, right.now, left.now)),
            self.right_less.eq(less(right.now.value, left.now.value)),
            self.has_right.eq((at < half) | self.count[0])]
        m.d.sync += self.smaller.eq(Cat(less(side.now.value, self.hand) for side in (left, right)))
        return m

    def _side(self, m, name):
        """Make the memory of the left or the right children; returns its ports."""
        m.submodules[name] = memory = Memory(shape=Node, depth=HELD, init=[])
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        node = Signal(Node, name=f"{name}_node", reset_less=True)
        m.d.comb += [reader.addr.eq(self.at), getattr(self, name).eq(node)]
        m.d.sync += node.eq(reader.data)
        return _Side(writer.addr, writer.data, writer.en, reader.data)


class _Side(NamedTuple):
    """Ports of the memory with the left or the right children."""

    index: Value        #: parent of the written child
    element: data.View  #: data to write
    written: Value      #: write enable
    now: data.View      #: child read at ``at``
