"""Steps of the heap: which node's children are read in a cycle."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.isa import HELD

from .census import Order

__all__ = ["NODE_BITS", "Steps", "number_of"]

#: Bits of the number of a node. The root is 1, the children of ``n`` are ``2 * n`` and ``2 * n +
#: 1``. The last node of a full heap is the right child of its parent.
NODE_BITS = HELD.bit_length()
_LOWEST   = 4  # from this node on children have no children that are read


def number_of(count):
    """Number of the node behind which no other lies in a heap of ``count``, a Value."""
    return Cat(count[0] | count[-1], count[1:])


class Steps(wiring.Component):
    """Go down the tree from the root or another node, always to the smaller child.

    An element that takes the place of the root goes down three levels, in a cycle each. A heap is
    made parent by parent, the last one first: in a cycle the parent is loaded, then it goes down.
    Where the root goes the last node is loaded. Latency 1 cycle from ``order.rank`` to ``reads``,
    throughput an order in 3 cycles, in 6 with ``pop``, ``fill`` in 1; honours backpressure by
    ``ready``. Takes no parameters.

    Members
    -------
    order : In(Order); last : In, nodes before it, next : In, nodes behind it
    right_less : In(1), the right child of ``at`` is smaller than the left one, late in a cycle;
        has_right : In(1), there is it
    flush : In(1), nothing is under way
    ready : Out(1), an order is taken; early : Out(1), only one to ``rank``
    at : Out, the node whose children are read; side : Out(1), the right one was the smaller one in
        the cycle before, or the loaded one
    loads : Out(1), the child of ``at`` on ``loaded`` is loaded; loaded : Out(1), the right one
    reads : Out(1), children are compared; begins : Out(1), with a node that was loaded; ends :
        Out(1), for the last time
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
        makes = Signal()  # a heap is made
        mark  = Signal(NODE_BITS, reset_less=True)  # the node that is loaded next, if any
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
            # Of the child of the last parent of a full heap: it is the only one.
            self.side.eq(Mux(load, mark[0], at[3]) | (~load & right)),
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
