# SPDX-License-Identifier: Apache-2.0
"""Reads: the X vectors with a transfer's rows, and the queue of a transfer."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.config import WIDTHS
from xymac.hdl.core.step import HostRead
from xymac.hdl.core.xmem import XMemory
from xymac.hdl.limits import check_one_of, check_vendor, check_ways

from .advance import advance
from .buffer import Buffer
from .records import SIZE, Row, Vector

__all__ = ["Reads"]

_DEPTH = 16  # vectors that are asked for and not used yet, or beats
_X     = 20  # bits of an address in X


class Reads(wiring.Component):
    """Read each row's vectors, in array slots; queue them, or the beats of a LOAD.

    A narrow row reads 8-bit element vectors. Where a bus group has several vectors, whole groups
    are read. Latency ``LATENCY + 1`` cycles from ``read`` to ``o``, 1 cycle from ``beats``;
    throughput 1 vector in 2 cycles, less a cycle for each row, or 1 beat a cycle; honours
    backpressure: it asks only for vectors with room in its queue. A queue is empty when a transfer
    ends.

    Parameters
    ----------
    width : int, bus data bits: 32, 64 or 128
    ways : int, MACs per lane: 1, 2 or 4
    vendor : None or "ecp5", see ``carry.SelectAdd``

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    rows : In(stream of Row); last : In(21), bytes per row less 1; narrow : In(1)
    read : Out(stream of HostRead)
    found : In(``ways`` 16-bit words), ``LATENCY`` cycles after a read is accepted, with mine :
        Out(1)
    beats : In(stream of ``width`` bits), none with store : In(1), stable during a transfer
    o : Out(stream of Vector); a narrow vector has its elements in the low bits, a beat is the last
        group of a vector
    """

    LATENCY = 2 + XMemory.LATENCY  #: The read is registered twice on its way to X.

    def __init__(self, *, width, ways, vendor=None):
        self._vendor = check_vendor(vendor)
        self._bytes, self._ways = check_one_of("Width", width, WIDTHS) // 8, check_ways(ways)
        super().__init__({
            "rows": In(stream.Signature(Row(width))), "last": In(SIZE), "narrow": In(1),
            "read": Out(stream.Signature(HostRead)), "found": In(data.ArrayLayout(16, ways)),
            "mine": Out(1), "beats": In(stream.Signature(width)), "store": In(1),
            "o": Out(stream.Signature(Vector(width, ways)))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = Buffer(self.o.p.shape(), depth=_DEPTH)
        wiring.connect(m, queue.o, wiring.flipped(self.o))
        taken = self.read.valid & self.read.ready
        used, freed = Signal(range(_DEPTH + 1), name="used"), Signal(name="freed")
        m.d.sync += [freed.eq(self.o.valid & self.o.ready & self.store),
                     used.eq(used + taken - freed)]
        number, parts = self._walk(m, taken, used != _DEPTH)
        m.d.comb += self.read.p.address.eq(
            Mux(self.narrow, Cat(number[:2], number[3:]), number))
        asked, half = (delay(m, value, self.LATENCY, name=name)
                       for value, name in ((taken, "asked"), (number[2], "half")))
        vector = queue.i.p
        words  = Mux(self.narrow, Cat(Mux(half, word[8:], word[:8]) for word in self.found),
                     self.found.as_value())
        beat   = len(vector.data) - len(self.beats.p)
        m.d.comb += [self.mine.eq(asked), queue.i.valid.eq(asked | self.beats.valid),
                     self.beats.ready.eq(queue.i.ready),
                     vector.data.eq(Cat(words[:beat], Mux(
                         self.store, words[beat:], self.beats.p))),
                     Cat(vector.first, vector.last).eq(
                         delay(m, parts, self.LATENCY, name="parts") | ~self.store.replicate(
                             len(parts)))]
        return m

    def _walk(self, m, taken, room):
        """Number of the vector to read, and its groups to use."""
        row, busy = self.rows.p, Signal(name="busy")
        size  = exact_log2(2 * self._ways)  # address bits within a vector of words
        group = exact_log2(self._bytes)
        end   = Signal(_X, name="end")
        m.d.comb += end.eq(row.core[:_X] + self.last)
        number = Signal(_X - size + 1, name="number", reset_less=True)
        last   = Signal.like(number, name="last", reset_less=True)
        first_part, last_part = (Signal(max(1, size - group), name=name, reset_less=True)
                                 for name in ("first_part", "last_part"))
        begins, ends = Signal(name="begins"), number == last
        m.d.comb += [self.read.valid.eq(busy & room), self.rows.ready.eq(~busy | (taken & ends))]
        with m.If(taken):
            m.d.sync += begins.eq(0)
        wide, narrow = (max(0, group - bits) for bits in (size, size - 1))
        numbers = [Mux(self.narrow, _round(at[size - 1:], narrow, up=up),
                       _round(at[size:], wide, up=up))
                   for at, up in ((row.core[:_X], False), (end, True))]
        with m.If(self.rows.ready):
            m.d.sync += [busy.eq(self.rows.valid), begins.eq(1),
                         last.eq(numbers[1]), first_part.eq(row.core[group:max(group, size)]),
                         last_part.eq(end[group:max(group, size)])]
        numbers_on = advance(m, "count", self.rows.ready, numbers[0], number, vendor=self._vendor)
        with m.If(taken | self.rows.ready):
            m.d.sync += number.eq(numbers_on)
        every = Const((1 << max(0, size - group)) - 1, len(last_part))
        return number, Mux(self.narrow, 0, Cat(Mux(begins, first_part, 0)[:len(first_part)],
                                               Mux(ends, last_part, every)))


def _round(number, bits, *, up):
    """``number`` with its low ``bits`` bits all 1 if ``up``, else all 0."""
    return Cat(Const((1 << bits) - 1 if up else 0, bits), number[bits:])
