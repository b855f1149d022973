# SPDX-License-Identifier: Apache-2.0
"""Gear: X vectors as bus-width groups."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import pick
from xymac.hdl.config import WIDTHS
from xymac.hdl.limits import check_one_of, check_ways

from .records import Vector

__all__ = ["Gear"]


class Gear(wiring.Component):
    """Cut a vector into groups, or collect a group from vectors.

    No latency for a vector as wide as a group or wider, else 1 cycle; throughput 1 vector or 1
    group a cycle, honours backpressure.

    Parameters
    ----------
    width : int, group bits: 32, 64 or 128
    ways : int, MACs per lane: 1, 2 or 4

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    i : In(stream of Vector); narrow : In(1), vectors have ``ways`` bytes; store : In(1), otherwise
        the last group of a vector is cut in any case; stable during a transfer
    o : Out(stream of ``width`` bits)
    """

    def __init__(self, *, width, ways):
        self._width, self._ways = check_one_of("Width", width, WIDTHS), check_ways(ways)
        super().__init__({"i": In(stream.Signature(Vector(width, ways))), "narrow": In(1),
                          "store": In(1), "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        width, vector = self._width, self.i.p
        sizes  = 16 * self._ways, 8 * self._ways  # bits of a vector: words, narrow
        counts = [max(1, width // size) for size in sizes]  # vectors of a group
        collects = self.store & Mux(self.narrow, counts[1] > 1, counts[0] > 1)
        part, begun = Signal.like(vector.first, name="part"), Signal(name="begun")
        group, count = Signal(width, reset_less=True), Signal(range(max(2, *counts)), name="count")
        full  = Signal(name="full")
        here  = Mux(begun, part, vector.first)[:len(part)]
        cut   = self.o.valid & self.o.ready & ~collects
        takes = collects & self.i.valid & (~full | self.o.ready)
        parts = [vector.data[at:at + width] for at in range(0, max(width, sizes[0]), width)]
        m.d.comb += [
            self.o.valid.eq(Mux(collects, full, self.i.valid)),
            self.i.ready.eq(takes | (cut & (here == vector.last))),
            self.o.p.eq(Mux(collects, group, pick(parts, here) if len(parts) > 1 else parts[0]))]
        with m.If(cut):
            m.d.sync += [part.eq(here + 1), begun.eq(here != vector.last)]
        with m.If(takes):
            last = count == Mux(self.narrow, counts[1] - 1, counts[0] - 1)
            shifted = [Cat(group, vector.data[:size])[-width:] for size in sizes]
            m.d.sync += [group.eq(Mux(self.narrow, shifted[1], shifted[0])), full.eq(last),
                         count.eq(Mux(last, 0, count + 1))]
        with m.Elif(self.o.ready):
            m.d.sync += full.eq(0)
        return m
