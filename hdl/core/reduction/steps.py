# SPDX-License-Identifier: Apache-2.0
"""Steps: the path down the heap, a node a cycle."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.isa import HELD

from .census import Order

__all__ = ["NODE_BITS", "Steps", "number_of"]

#: Bits of the number of a node. The root is 1, the children of ``n`` are ``2 * n`` and ``2 * n +
#: 1``. The last node of a full heap is the right child of its parent.
NODE_BITS = HELD.bit_length()
_LOWEST   = 4  # from this node on, no further level is read


def number_of(count):
    """Number of the last node in a heap of ``count`` (a Value) nodes."""
    return Cat(count[0] | count[-1], count[1:])


class Steps(wiring.Component):
    """Walk down the tree from the root or another node, always to the smaller child.

    ``rank``: the element replaces the root and sinks by up to three levels, a cycle each.
    ``complete``: every parent, last parent first, is loaded in a cycle and then sinks. ``pop``: the
    last node is loaded, replaces the root and sinks. Latency 1 cycle from ``order.rank`` to
    ``reads``, throughput 1 order in 3 cycles, 1 ``pop`` in 6 cycles, 1 ``fill`` in 1 cycle; honours
    backpressure by ``ready``. Takes no parameters.

    Members
    -------
    order : In(Order); last : In(range(HELD + 1)), nodes before it; next : In(range(HELD + 1)),
        nodes after it
    right_less : In(1), the right child of ``at`` is smaller than the left child, late in the
        cycle; has_right : In(1), the right child exists
    flush : In(1), abort the current order
    ready : Out(1), an order is accepted; early : Out(1), only ``rank`` is accepted
    at : Out(node number), the parent to read; side : Out(1), the right child was the smaller
        in the previous cycle; any value in the cycle after ``loads``
    loads : Out(1), load a child of ``at``; loaded : Out(1), it is the right child
    reads : Out(1), compare the children; begins : Out(1), the first comparison of a loaded node;
        ends : Out(1), the last comparison
    """

    order:      In(Order)
    last:       In(range(HELD + 1))
    next:       In(range(HELD + 1))
    right_less: In(1)
    has_right:  In(1)
    flush:      In(1)
    ready:      Out(1)
    early:      Out(1)
    at:         Out(NODE_BITS, init=1)
    side:       Out(1)
    loads:      Out(1)
    loaded:     Out(1)
    reads:      Out(1)
    begins:     Out(1)
    ends:       Out(1)

    def elaborate(self, platform):
        m = Module()
        seek, load, goes = (Signal(name=name) for name in ("seek", "load", "goes"))
        makes = Signal()  # heap construction is in progress
        mark  = Signal(NODE_BITS, reset_less=True)  # the next node to load, if any
        again = Signal()
        at, order = self.at, self.order
        down, right = goes & ~self.ends, self.has_right & self.right_less
        m.d.comb += [
            self.ready.eq(~(seek | load | goes)), self.reads.eq(goes), self.loads.eq(load),
            self.early.eq(self.ends & ~makes), self.loaded.eq(mark[0]),
            self.ends.eq(goes & at[_LOWEST.bit_length() - 1:].any()),
            again.eq((seek & (mark != 0)) | (self.ends & makes))]
        m.d.sync += [
            seek.eq(order.pop | order.complete), load.eq(again), self.begins.eq(load),
            goes.eq(order.rank | load | (goes & ~self.ends)),
            makes.eq((order.complete & (self.last != 0)) | (makes & ~(load & (mark == 1)))),
            # The last parent of a full heap has a single child, on the right.
            self.side.eq(at[3] | right),
            at.eq(Mux(load & makes, mark, Mux(again, mark >> 1, Mux(down, at << 1, 1)))
                  | (down & right))]
        with m.If(order.pop):
            m.d.sync += mark.eq(number_of(self.last))
        with m.Elif(order.complete):
            m.d.sync += mark.eq(self.next >> 1)
        with m.Elif(load):
            m.d.sync += mark.eq(mark - 1)
        with m.If(self.flush):
            m.d.sync += [seek.eq(0), load.eq(0), goes.eq(0), makes.eq(0)]
        return m
