"""Nodes of the heap: all are compared at once, then those on one path move."""

from amaranth import Cat, Module, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.isa import HELD

__all__ = ["PARENTS", "Node", "Nodes"]

#: ``entry`` is where value and place of the element lie, wherever it moves.
Node    = data.StructLayout({"value": signed(16), "entry": range(HELD)})
PARENTS = HELD // 2


class Nodes(wiring.Component):
    """Keep the nodes of a heap; put the element in hand at the end, or let it sink.

    Cycle 1 compares the element in hand with every node, and both children of a node with each
    other. Cycle 2, ``follow``, finds the path of smaller children along which it sinks. Cycle 3,
    ``move``, shifts that path up by one node and stores the element behind it. Latency 3 cycles,
    throughput one element in as many, no backpressure. Takes no parameters.

    Members
    -------
    hand : In(Node), the element; start : In(``PARENTS``), a bit, the node that it sinks from;
        comes : In(1), it takes the place of the root, if it is not smaller; all stand until it is
        stored
    count : In, nodes that there are
    follow, move : In(1), the second and the third cycle
    fill : In(1), the element of the next cycle is stored in it, without sinking; end :
        In(``HELD``), a bit, its node
    nodes : Out(``HELD`` Node)
    stored : Out(1), the element is stored in this cycle
    """

    hand:   In(Node)
    start:  In(PARENTS)
    comes:  In(1)
    count:  In(range(HELD + 1))
    follow: In(1)
    move:   In(1)
    fill:   In(1)
    end:    In(HELD)
    nodes:  Out(data.ArrayLayout(Node, HELD))
    stored: Out(1)

    def elaborate(self, platform):
        m = Module()
        sinks, reached = self._follow(m)
        up  = Signal(HELD)  # nodes that move to their parents
        put = Signal(HELD)  # the node that the element in hand comes to
        with m.If(self.follow):
            m.d.sync += [up.eq(Cat(sinks)), put.eq(Cat(
                reach & ~Cat(sinks[child] for child in _children(index)).any()
                for index, reach in enumerate(reached)))]
        with m.If(self.fill):
            m.d.sync += [up.eq(0), put.eq(self.end)]
        m.d.comb += self.stored.eq(self.move & put.any())
        with m.If(self.move):
            for index, node in enumerate(self.nodes):
                with m.If(put[index]):
                    m.d.sync += node.eq(self.hand)
                for child in _children(index):
                    with m.If(up[child]):
                        m.d.sync += node.eq(self.nodes[child])
        return m

    def _follow(self, m):
        """Whether each node moves up, and whether the element in hand comes to it or below."""
        smaller, right_first, fits = self._compare(m)
        sinks, reached = [0], [self.start[0] & (~self.comes | fits)]
        for index in range(1, HELD):
            parent, right = (index - 1) // 2, index % 2 == 0
            moves = Signal(name=f"moves{index}")
            m.d.comb += moves.eq(reached[parent] & smaller[index]
                                 & (right_first[parent] if right else ~right_first[parent]))
            sinks.append(moves)
            reached.append(moves | self.start[index] if index < PARENTS else moves)
        return sinks, reached

    def _compare(self, m):
        """Whether a node is smaller than the element in hand, a right child than the left one, and
        the root not larger than the element; a cycle later."""
        nodes, hand = self.nodes, self.hand
        smaller     = Signal(HELD)
        right_first = Signal(PARENTS)
        fits        = Signal()
        m.d.sync += fits.eq(hand.value >= nodes[0].value)
        for index in range(1, HELD):
            m.d.sync += smaller[index].eq((nodes[index].value < hand.value) & (self.count > index))
        for parent in range(PARENTS - 1):
            left, right = _children(parent)
            m.d.sync += right_first[parent].eq((nodes[right].value < nodes[left].value)
                                               & (self.count > right))
        return smaller, right_first, fits


def _children(index):
    """Numbers of the children of a node."""
    return [child for child in (2 * index + 1, 2 * index + 2) if child < HELD]
