# SPDX-License-Identifier: Apache-2.0
"""Buffer: a queue between two streams."""

from amaranth import Module, Value
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from xymac.hdl.limits import check_one_of

__all__ = ["Buffer"]


class Buffer(wiring.Component):
    """Queue stream values in LUT RAM; ``ready`` and ``valid`` do not depend on each other.

    Latency 1 cycle, throughput 1 value a cycle, honours backpressure.

    Parameters
    ----------
    shape : value shape; TypeError for an object that is not a shape
    depth : int, most values: 2, 4, 8 or 16; TypeError unless an int, ValueError otherwise

    Members
    -------
    i : In(stream of shape), o : Out(stream of shape)
    """

    def __init__(self, shape, *, depth):
        self._depth = check_one_of("Depth", depth, (2, 4, 8, 16))
        payload = In(shape).shape
        super().__init__({"i": In(stream.Signature(payload)), "o": Out(stream.Signature(payload))})

    def elaborate(self, platform):
        m = Module()
        width = len(Value.cast(self.i.p))
        m.submodules.fifo = fifo = SyncFIFO(width=width, depth=self._depth)
        m.d.comb += [  # the top bit of the level alone tells a full queue
            fifo.w_data.eq(self.i.p), fifo.w_en.eq(self.i.valid),
            self.i.ready.eq(~fifo.w_level[-1]),
            Value.cast(self.o.p).eq(fifo.r_data), self.o.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.o.ready)]
        return m
