# SPDX-License-Identifier: Apache-2.0
"""Walk: a transfer's rows, outside and in the core."""

from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import WIDTHS
from xymac.hdl.limits import check_one_of, check_vendor

from .advance import advance
from .records import ADDRESS, Move, Row, Span

__all__ = ["Rows", "Spans"]


class Spans(wiring.Component):
    """A transfer's external byte ranges: a range for each row, or a single range if it is dense.

    Latency 1 cycle, throughput 1 range a cycle, honours backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    move : In(Move), stable from ``start`` : In(1) on
    o : Out(stream of Span)
    """

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({"move": In(Move), "start": In(1),
                          "o": Out(stream.Signature(Span))})

    def elaborate(self, platform):
        m = Module()
        move  = self.move
        first = Signal(ADDRESS, reset_less=True)
        left  = Signal(16, reset_less=True)
        m.d.comb += [self.o.p.first.eq(first), self.o.p.last.eq(first + move.reach)]
        taken = self.o.valid & self.o.ready
        with m.If(taken):
            m.d.sync += [first.eq(first + move.stride), self.o.valid.eq(
                (left != 0) & ~move.dense)]
        with m.If(self.start):
            m.d.sync += [first.eq(move.offset), self.o.valid.eq(~move.fill)]
        lefts = advance(m, "count", self.start, move.rows, left, down=1, vendor=self._vendor)
        with m.If(taken | self.start):
            m.d.sync += left.eq(lefts)
        return m


class Rows(wiring.Component):
    """A transfer's rows in the core.

    Latency 1 cycle, throughput 1 row a cycle, honours backpressure.

    Parameters
    ----------
    width : int, bus data bits: 32, 64 or 128; TypeError unless an int, ValueError otherwise
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    move : In(Move), stable from ``start`` : In(1) on
    o : Out(stream of Row)
    """

    def __init__(self, *, width, vendor=None):
        self._vendor = check_vendor(vendor)
        self._width = check_one_of("Width", width, WIDTHS)
        super().__init__({"move": In(Move), "start": In(1),
                          "o": Out(stream.Signature(Row(width)))})

    def elaborate(self, platform):
        m = Module()
        move, row = self.move, self.o.p
        left, bits = Signal(16, reset_less=True), exact_log2(self._width // 8)
        m.d.comb += [row.final.eq(left == 0), row.ends.eq(row.final | ~move.dense)]
        taken = self.o.valid & self.o.ready
        with m.If(taken):
            m.d.sync += [row.core.eq(row.core + move.core_stride),
                         row.low.eq(row.low + move.stride[:bits]), row.starts.eq(~move.dense),
                         self.o.valid.eq(~row.final)]
        with m.If(self.start):
            m.d.sync += [row.core.eq(move.core), row.low.eq(move.offset), row.starts.eq(1),
                         self.o.valid.eq(1)]
        lefts = advance(m, "count", self.start, move.rows, left, down=1, vendor=self._vendor)
        with m.If(taken | self.start):
            m.d.sync += left.eq(lefts)
        return m
