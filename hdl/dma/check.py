# SPDX-License-Identifier: Apache-2.0
"""Check: decode the commands of a list, and refuse what the format or the memories do not allow."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.isa import REGIONS, ROW_BYTES_MAX, ListStatus, Opcode, Region
from xymac.hdl.limits import check_passes, check_rows, check_ways

from .fetch import Fetched
from .records import ADDRESS, CORE, SIZE, End, Move, Run

__all__ = ["Check"]

_ROWS = 16  # bits of a number of rows
_SUM  = ADDRESS + _ROWS + 2
_KIND, _WAITS, _OFFSET, _CORE, _SIZE, _ROWS_WORD, _STRIDE, _CORE_STRIDE = range(8)


class _Extent(wiring.Component):
    """Range of the rows of a transfer: ``low >= 0`` and ``high``, the last byte.

    ``rows`` (less by 1) times ``stride`` takes 16 cycles, one for a bit. Latency 18 cycles from
    ``start``; throughput 1 range in this time, no backpressure.

    Parameters
    ----------
    stride : int, bits of a stride

    Members
    -------
    start : In(1); offset : In(32), size : In(21), rows : In(16), stride : In(signed(stride)),
        stable from ``start`` on
    done : Out(1); high : Out(signed), valid from then on; negative : Out(1), a row lies below 0
    """

    def __init__(self, *, stride):
        self._bits = stride + _ROWS + 2
        super().__init__({
            "start": In(1), "offset": In(ADDRESS), "size": In(SIZE), "rows": In(_ROWS),
            "stride": In(signed(stride)), "done": Out(1), "high": Out(signed(_SUM)),
            "negative": Out(1)})

    def elaborate(self, platform):
        m = Module()
        total = Signal(signed(max(self._bits, ADDRESS + 2)))
        one, other = Signal.like(total), Signal.like(total)
        bits  = Signal(_ROWS)
        turns = Signal(_ROWS + 2)  # a single bit that moves up
        multiplies = Signal()
        down = Signal()  # the last row is the lowest
        m.d.sync += [turns.eq(Cat(self.start, turns[:-1])), total.eq(one + other),
                     bits.eq(bits << 1), self.done.eq(turns[-1])]
        m.d.comb += [one.eq(total), self.high.eq(total)]
        with m.If(multiplies):
            m.d.comb += [one.eq(total << 1), other.eq(Mux(bits[-1], self.stride, 0))]
        with m.If(turns[_ROWS - 1]):
            m.d.sync += multiplies.eq(0)
        with m.If(self.start):
            m.d.comb += [one.eq(0), other.eq(0)]
            m.d.sync += [bits.eq(self.rows), multiplies.eq(1)]
        with m.If(turns[-2]):
            m.d.comb += [one.eq(total), other.eq(self.offset)]
            m.d.sync += down.eq(total < 0)
        with m.If(turns[-1]):
            m.d.comb += [one.eq(Mux(down, self.offset, total)), other.eq(self.size - 1)]
            m.d.sync += self.negative.eq(total < 0)
        return m


class Check(wiring.Component):
    """Pass on RUN and transfer commands, and stop at an END or at the first fault.

    A command may wait only for commands before it, so every accepted list ends. Latency 3 cycles
    for a RUN, 22 for a transfer; throughput 1 command in this time; honours backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    passes : int, depth of program memory, a power of two from 2 to 256

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    i : In(stream of Fetched); image_size : In(32), bytes
    runs : Out(stream of Run), moves : Out(stream of Move)
    end : Out(End), valid with ended : Out(1), which stays until a reset
    """

    def __init__(self, *, ways, x_rows, y_rows, passes):
        self._passes = check_passes(passes)
        sizes = {"ways": check_ways(ways), "passes": passes, "x_rows": check_rows("X", x_rows),
                 "y_rows": check_rows("Y", y_rows)}
        self._bytes = {region: REGIONS[region].size(**sizes) for region in Region}
        super().__init__({
            "i": In(stream.Signature(Fetched)), "image_size": In(ADDRESS),
            "runs": Out(stream.Signature(Run)), "moves": Out(stream.Signature(Move)),
            "end": Out(End), "ended": Out(1)})

    def elaborate(self, platform):
        m = Module()
        words, kind = self.i.p.words, self.i.p.words[_KIND][:4]
        opcode = {code: Signal(name=f"is_{code.name.lower()}") for code in Opcode}
        m.d.comb += [bit.eq(kind == code.value) for code, bit in opcode.items()]
        waits = Signal(), Signal()  # wait for too many commands
        m.submodules.outer = outer = _Extent(stride=ADDRESS)
        m.submodules.inner = inner = _Extent(stride=CORE + 1)
        illegal, outside = Signal(), Signal()
        beyond = self._extents(m, outer, inner, opcode, outside)
        seen = {name: Signal(_ROWS, name=f"seen_{name}") for name in ("runs", "moves")}
        m.d.sync += [
            waits[0].eq(words[_WAITS][:_ROWS] > seen["runs"]),
            waits[1].eq(words[_WAITS][_ROWS:] > seen["moves"]),
            illegal.eq(self._illegal(opcode) | Cat(waits).any())]
        self._fill(m, opcode, outer)
        status = Mux(self.i.p.status != ListStatus.OK, self.i.p.status, Mux(
            illegal, ListStatus.ILLEGAL, Mux(beyond, ListStatus.OUTSIDE, ListStatus.OK)))
        with m.If(self.runs.valid & self.runs.ready):
            m.d.sync += seen["runs"].eq(seen["runs"] + 1)
        with m.If(self.moves.valid & self.moves.ready):
            m.d.sync += seen["moves"].eq(seen["moves"] + 1)
        self._states(m, opcode, status, outer, inner)
        return m

    def _states(self, m, opcode, status, outer, inner):
        """Wait for the checks, then pass the command on or end the list."""
        goes = Signal()
        with m.FSM():
            with m.State("Wait"):
                with m.If(self.i.valid):
                    m.next = "Judge"
            with m.State("Judge"):
                m.d.comb += [outer.start.eq(self._moves(opcode)), inner.start.eq(outer.start)]
                m.next = "Judged"
            with m.State("Judged"):
                m.next = "Multiply"
                with m.If(~self._moves(opcode)):
                    m.next = "Decide"
            with m.State("Multiply"):
                with m.If(outer.done):
                    m.next = "Compare"
            with m.State("Compare"):
                m.next = "Decide"
            with m.State("Decide"):
                m.d.sync += [self.end.status.eq(status), self.end.entry.eq(self.i.p.entry)]
                m.next = "Pass-On"
                with m.If((status != ListStatus.OK) | opcode[Opcode.END]):
                    m.d.sync += self.ended.eq(1)
                    m.next = "Ended"
            with m.State("Pass-On"):
                m.d.comb += [self.runs.valid.eq(opcode[Opcode.RUN]),
                             self.moves.valid.eq(~opcode[Opcode.RUN]),
                             goes.eq(Mux(opcode[Opcode.RUN], self.runs.ready, self.moves.ready)),
                             self.i.ready.eq(goes)]
                with m.If(goes):
                    m.next = "Wait"
            with m.State("Ended"):
                pass

    def _moves(self, opcode):
        """Whether the command is a transfer."""
        return opcode[Opcode.LOAD] | opcode[Opcode.STORE] | opcode[Opcode.FILL]

    def _fill(self, m, opcode, outer):
        """Fill in the records for the queues."""
        words, move, run = self.i.p.words, self.moves.p, self.runs.p
        for order in (move.order, run.order):
            m.d.comb += [order.runs.eq(words[_WAITS][:_ROWS]), order.entry.eq(self.i.p.entry),
                         order.moves.eq(words[_WAITS][_ROWS:])]
        m.d.comb += [
            run.first.eq(words[_OFFSET]), move.store.eq(opcode[Opcode.STORE]),
            move.fill.eq(opcode[Opcode.FILL]), move.narrow.eq(words[_KIND][4]),
            move.dense.eq(opcode[Opcode.LOAD] & (words[_STRIDE] == words[_SIZE])),
            move.offset.eq(words[_OFFSET]), move.final.eq(outer.high), move.core.eq(words[_CORE]),
            move.size.eq(words[_SIZE]), move.rows.eq(words[_ROWS_WORD] - 1),
            move.stride.eq(words[_STRIDE]), move.core_stride.eq(words[_CORE_STRIDE])]

    def _illegal(self, opcode):
        """Whether the format does not allow the words of the command, apart from its waits."""
        words  = self.i.p.words
        narrow = words[_KIND][4]
        moves  = self._moves(opcode)
        size, rows, stride = words[_SIZE], words[_ROWS_WORD], words[_CORE_STRIDE]
        ends   = words[_CORE][:2] | size[:2] | stride[:2]
        plain  = ~words[_CORE][CORE - 2:].any()
        uneven = ~narrow & (ends[0] | (plain & ends[1]))
        top    = stride[CORE:]
        return (words[_KIND][5:].any() | ~Cat(opcode.values()).any()
                | (narrow & ~(moves & (words[_CORE][CORE - 2:] == 1)))
                | (moves & ((size == 0) | (size > ROW_BYTES_MAX) | (rows == 0)
                            | rows[_ROWS:].any() | uneven | (top.any() & ~top.all()))))

    def _extents(self, m, outer, inner, opcode, outside):
        """Connect the ranges outside and in the core; returns whether one leads too far."""
        words, core = self.i.p.words, self.i.p.words[_CORE]
        places = {Region.X: (core[20:] == 1, 20), Region.Y: (core[21:] == 1, 21)} | {
            region: (core[16:] == region.value >> 16, 16)
            for region in (Region.PROGRAM, Region.TABLES, Region.PLACES)}
        relative, limit = Signal(CORE - 1), Signal(CORE)
        known, x = Signal(), Signal()
        for region, (here, bits) in places.items():
            with m.If(here):
                m.d.comb += relative.eq(core[:bits])
                m.d.sync += limit.eq(self._bytes[region])
        m.d.sync += [known.eq(Cat(here for here, _ in places.values()).any()),
                     x.eq(places[Region.X][0])]
        m.d.comb += [
            outer.offset.eq(words[_OFFSET]), outer.stride.eq(words[_STRIDE]),
            inner.offset.eq(relative), inner.stride.eq(words[_CORE_STRIDE][:CORE + 1]),
            *(extent.size.eq(words[_SIZE]) for extent in (outer, inner)),
            *(extent.rows.eq(words[_ROWS_WORD] - 1) for extent in (outer, inner))]
        far = Signal(3)
        m.d.sync += far.eq(Cat(
            (outer.negative | (outer.high >= self.image_size)) & ~opcode[Opcode.FILL],
            inner.negative | (inner.high >= limit),
            ~known | (opcode[Opcode.STORE] & ~x)))
        first = words[_OFFSET] >= self._passes
        return Mux(self._moves(opcode), far.any(), opcode[Opcode.RUN] & first)
