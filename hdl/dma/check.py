# SPDX-License-Identifier: Apache-2.0
"""Check: decode the commands of a list, and refuse what the format or the memories do not allow."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.isa import REGIONS, ROW_BYTES_MAX, ListStatus, Opcode, Region
from xymac.hdl.limits import check_passes, check_rows, check_ways

from .fetch import Fetched
from .records import ADDRESS, CORE, SIZE, Move, Run

__all__ = ["Check"]

_ROWS = 16  # bits of a number of rows
_SUM  = ADDRESS + 4
_KIND, _WAITS, _OFFSET, _CORE, _SIZE, _ROWS_WORD, _STRIDE, _CORE_STRIDE = range(8)


class _Extent(wiring.Component):
    """Compare the rows of a transfer with a space of ``limit`` bytes.

    ``rows`` (less by 1) times ``stride`` takes 16 cycles, one for a bit. A partial product of
    ``2**33`` or more cannot become smaller, so it lies outside. Latency 20 cycles from ``start`` to
    ``far``; throughput 1 transfer in this time, no backpressure. Takes no parameters.

    Members
    -------
    start : In(1); offset : In(32), the first row; last : In(21), bytes of a row less 1; rows :
        In(16); stride : In(signed(32)); limit : In(33); all stable from ``start`` on
    done : Out(1), ``far`` is valid in the next cycle; far : Out(1), a byte lies outside
    span : Out(32), without a negative stride: the last byte of all rows minus the first, valid from
        ``done`` on
    """

    start:  In(1)
    offset: In(ADDRESS)
    last:   In(SIZE)
    rows:   In(_ROWS)
    stride: In(signed(ADDRESS))
    limit:  In(ADDRESS + 1)
    done:   Out(1)
    far:    Out(1)
    span:   Out(ADDRESS)

    def elaborate(self, platform):
        m = Module()
        total = Signal(signed(_SUM))
        one, other = Signal.like(total), Signal.like(total)
        bits  = Signal(_ROWS)
        turns = Signal(_ROWS + 4)  # a single bit that moves up
        multiplies, over, down, below = Signal(), Signal(), Signal(), Signal()
        adds_last, adds_offset, ends, compares = turns[_ROWS:]
        m.d.sync += [turns.eq(Cat(self.start, turns[:-1])), total.eq(one + other),
                     bits.eq(bits << 1)]
        m.d.comb += [one.eq(total), self.done.eq(compares)]
        with m.If(multiplies):
            m.d.comb += [one.eq(total << 1), other.eq(Mux(bits[-1], self.stride, 0))]
            m.d.sync += over.eq(over | (total[-3:].any() & ~total[-3:].all()))
        with m.If(turns[_ROWS - 1]):
            m.d.sync += multiplies.eq(0)
        with m.If(self.start):
            m.d.comb += [one.eq(0), other.eq(0)]
            m.d.sync += [bits.eq(self.rows), multiplies.eq(1), over.eq(0)]
        with m.If(adds_last):  # but a product below 0: then the first row is the highest
            m.d.comb += other.eq(Mux(total[-1], 0, self.last))
            m.d.sync += down.eq(total[-1])
        with m.If(adds_offset):
            m.d.comb += other.eq(self.offset)
            m.d.sync += self.span.eq(total)
        with m.If(ends):
            m.d.comb += [one.eq(Mux(down, self.offset, total)), other.eq(Mux(down, self.last, 0))]
            m.d.sync += below.eq(total[-1])
        m.d.sync += self.far.eq(over | below | (total >= self.limit))
        return m


class Check(wiring.Component):
    """Pass on RUN and transfer commands, and stop at an END or at the first fault.

    A command may wait only for commands before it, so every accepted list ends. Latency 3 cycles
    for a RUN, 46 for a transfer; throughput 1 command in this time; honours backpressure.

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
    end : Out(ListStatus), valid with ended : Out(1), which stays until a reset; the last command
        stays at ``i``
    """

    def __init__(self, *, ways, x_rows, y_rows, passes):
        self._passes = check_passes(passes)
        sizes = {"ways": check_ways(ways), "passes": passes, "x_rows": check_rows("X", x_rows),
                 "y_rows": check_rows("Y", y_rows)}
        self._bytes = {region: REGIONS[region].size(**sizes) for region in Region}
        super().__init__({
            "i": In(stream.Signature(Fetched)), "image_size": In(ADDRESS),
            "runs": Out(stream.Signature(Run)), "moves": Out(stream.Signature(Move)),
            "end": Out(ListStatus), "ended": Out(1)})

    def elaborate(self, platform):
        m = Module()
        words, kind = self.i.p.words, self.i.p.words[_KIND][:4]
        opcode = {code: Signal(name=f"is_{code.name.lower()}") for code in Opcode}
        m.d.comb += [bit.eq(kind == code.value) for code, bit in opcode.items()]
        waits = Signal(), Signal()  # wait for too many commands
        m.submodules.extent = extent = _Extent()
        illegal, inside = Signal(), Signal()
        beyond = self._extents(m, extent, opcode, inside)
        seen = {name: Signal(_ROWS, name=f"seen_{name}") for name in ("runs", "moves")}
        m.d.sync += [
            waits[0].eq(words[_WAITS][:_ROWS] > seen["runs"]),
            waits[1].eq(words[_WAITS][_ROWS:] > seen["moves"]),
            illegal.eq(self._illegal(opcode) | Cat(waits).any())]
        self._fill(m, opcode)
        status = Mux(self.i.p.status != ListStatus.OK, self.i.p.status, Mux(
            illegal, ListStatus.ILLEGAL, Mux(beyond, ListStatus.OUTSIDE, ListStatus.OK)))
        with m.If(self.runs.valid & self.runs.ready):
            m.d.sync += seen["runs"].eq(seen["runs"] + 1)
        with m.If(self.moves.valid & self.moves.ready):
            m.d.sync += seen["moves"].eq(seen["moves"] + 1)
        self._states(m, opcode, status, extent, inside)
        return m

    def _states(self, m, opcode, status, extent, inside):
        """Wait for the checks, then pass the command on or end the list."""
        goes = Signal()
        with m.FSM():
            with m.State("Wait"):
                with m.If(self.i.valid):
                    m.next = "Judge"
            with m.State("Judge"):
                m.d.sync += inside.eq(opcode[Opcode.FILL])
                m.next = "Judged"
            with m.State("Judged"):
                m.d.comb += extent.start.eq(self._moves(opcode))
                m.next = "Multiply"
                with m.If(~self._moves(opcode)):
                    m.next = "Decide"
            with m.State("Multiply"):
                with m.If(extent.done):
                    m.next = "Compare"
            with m.State("Compare"):
                m.d.sync += inside.eq(1)
                m.next = "Decide"
                with m.If(~inside):
                    m.next = "Judged"
            with m.State("Decide"):
                m.d.sync += self.end.eq(status)
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

    def _fill(self, m, opcode):
        """Fill in the records for the queues."""
        words, move, run = self.i.p.words, self.moves.p, self.runs.p
        for order, others in ((move.order, words[_WAITS][:_ROWS]),
                              (run.order, words[_WAITS][_ROWS:])):
            m.d.comb += [order.others.eq(others), order.entry.eq(self.i.p.entry)]
        m.d.comb += [
            run.first.eq(words[_OFFSET]), move.store.eq(opcode[Opcode.STORE]),
            move.fill.eq(opcode[Opcode.FILL]), move.narrow.eq(words[_KIND][4]),
            move.dense.eq(opcode[Opcode.LOAD] & (words[_STRIDE] == words[_SIZE])),
            move.offset.eq(words[_OFFSET]), move.core.eq(words[_CORE]),
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

    def _extents(self, m, extent, opcode, inside):
        """Compare the rows outside, then those in the core; returns whether one leads too far."""
        words, core = self.i.p.words, self.i.p.words[_CORE]
        places = {Region.X: (core[20:] == 1, 20), Region.Y: (core[21:] == 1, 21)} | {
            region: (core[16:] == region.value >> 16, 16)
            for region in (Region.PROGRAM, Region.TABLES, Region.PLACES)}
        relative, limit = Signal(CORE - 1), Signal(CORE)
        for region, (here, bits) in places.items():
            with m.If(here):
                m.d.comb += [relative.eq(core[:bits]), limit.eq(self._bytes[region])]
        known = Cat(here for here, _ in places.values()).any()
        far, span = Signal(2), self.moves.p.span
        m.d.comb += [
            extent.offset.eq(Mux(inside, relative, words[_OFFSET])),
            extent.stride.eq(Mux(inside, words[_CORE_STRIDE], words[_STRIDE])),
            extent.limit.eq(Mux(inside, limit, self.image_size)),
            extent.last.eq(words[_SIZE] - 1), extent.rows.eq(words[_ROWS_WORD] - 1)]
        kept = Signal.like(span, name="span")
        m.d.comb += span.eq(kept)
        with m.If(extent.done & ~inside):
            m.d.sync += kept.eq(extent.span)
        outer = Signal()  # a row leads beyond the image
        with m.If(~inside):
            m.d.sync += outer.eq(extent.far)
        m.d.sync += far.eq(Cat(outer & ~opcode[Opcode.FILL], ~known | (
            opcode[Opcode.STORE] & ~places[Region.X][0])))
        first = words[_OFFSET] >= self._passes
        return Mux(self._moves(opcode), far.any() | extent.far, opcode[Opcode.RUN] & first)
