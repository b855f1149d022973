# SPDX-License-Identifier: Apache-2.0
"""Property of the write port of X and Y: each write of the host and of a DMA once."""

from amaranth import Const, Signal, Value
from amaranth.hdl import Assert, Assume, Cover
from amaranth.utils import exact_log2

from xymac.hdl.core.writeback import Writeback
from xymac.hdl.isa import BANKS

from .follow import offer_payload, within
from .property import Bench, Fault, Method, Property

__all__ = ["PROPERTIES"]

def _writes(ways):
    """Writes of the host and of a DMA, in cycles without a result."""
    unit = Writeback(ways=ways, dma=1)
    inputs = [unit.config, unit.loading, unit.i.valid, unit.i.payload, unit.arrives,
              unit.host.valid, unit.host.payload, unit.wide.valid, unit.wide.payload, unit.flush]
    bits = exact_log2(ways)

    def build(m):
        m.submodules.unit = unit
        offer_payload(m, unit.host)
        offer_payload(m, unit.wide)
        m.d.comb += [
            Assume(~unit.arrives),  # no results: their cycles only delay the others
            Assume(~unit.host.valid | (unit.host.p.lane < BANKS * ways))]
        host, wide, write = Signal(name="host_went"), Signal(name="wide_went"), unit.write
        asked, told = Signal.like(unit.host.p, name="asked"), Signal.like(unit.wide.p, name="told")
        m.d.sync += [host.eq(unit.host.valid & unit.host.ready), asked.eq(unit.host.p),
                     wide.eq(unit.wide.valid & unit.wide.ready), told.eq(unit.wide.p)]
        same = [getattr(write, name) == getattr(told, name)
                for name in ("row", "bytes", "way", "bank", "column")]
        m.d.comb += [
            Assert(~(host & wide)), Assert(host | wide | ~(write.x | write.y)),
            Assert(~wide | ((write.y == told.y) & (write.x == ~told.y))),
            *(Assert(~wide | each) for each in same),
            Assert(~host | ((write.y == asked.y) & (write.x == ~asked.y) & (
                write.row == asked.row) & (write.bytes == asked.bytes))),
            Assert(~host | ((write.way == Const(1, ways) << asked.way[:bits]) & (
                write.bank == Const(1, BANKS) << asked.lane[bits:]) & (
                write.column == Const(1, ways) << asked.lane[:bits]))),
            Cover(host & write.y), Cover(wide & write.x)]
        within(m, 2, unit.host.valid & ~unit.wide.valid, unit.host.ready)
        within(m, 1, unit.wide.valid, unit.wide.ready)
    return Bench([*map(Value.cast, inputs)], build)


def _twice(original):
    """A write port that repeats a host write while it waits."""
    def offer(self, m):
        offered, host = original(self, m)
        return offered | self.host.valid, host
    return offer


PROPERTIES = (
    Property("write port: host and DMA", "While no result comes, each write of the host and of a "
             "DMA takes the port once, unchanged, a DMA's first; 2 MACs", _writes, 10,
             (Fault("a host write is offered before it is decoded", Writeback, "_offer", _twice),),
             Method.PDR, cases=(2,)),
)
