# SPDX-License-Identifier: Apache-2.0
"""Place: write byte groups into X, Y, program memory, tables and table places."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import pick
from xymac.hdl.config import WIDTHS
from xymac.hdl.core.fetch.loader import PlaceWrite, ProgramWrite
from xymac.hdl.core.tables import TableWrite
from xymac.hdl.core.writeback import WideWrite
from xymac.hdl.isa import BANKS, Region
from xymac.hdl.limits import check_one_of, check_passes, check_ways

from .records import CORE, Chunk

__all__ = ["Place"]

_WORD = 4  # bytes that the other memories take a cycle


class Place(wiring.Component):
    """Write a group in pieces: up to ``ways`` words, ``ways`` narrow elements, or 32 bits.

    Latency 1 cycle; throughput 1 piece a cycle into X and Y, 1 in 2 cycles elsewhere; honours
    backpressure.

    Parameters
    ----------
    width : int, group data bits: 32, 64 or 128
    ways : int, MACs per lane: 1, 2 or 4
    passes : int, program memory depth, a power of two from 2 to 256

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    i : In(stream of Chunk); narrow : In(1), 8-bit X elements, stable during a transfer
    o : Out(stream of WideWrite)
    program : Out(ProgramWrite), program_enable : Out(1); table : Out(TableWrite); place :
        Out(PlaceWrite); busy : In(1), the host writes program, table or place memory
    done : Out(1), a transfer's last piece is written
    """

    def __init__(self, *, width, ways, passes):
        self._bytes, self._ways = check_one_of("Width", width, WIDTHS) // 8, check_ways(ways)
        super().__init__({
            "i": In(stream.Signature(Chunk(width))), "narrow": In(1),
            "o": Out(stream.Signature(WideWrite(ways))),
            "program": Out(ProgramWrite(check_passes(passes))), "program_enable": Out(1),
            "table": Out(TableWrite), "place": Out(PlaceWrite), "busy": In(1), "done": Out(1)})

    def elaborate(self, platform):
        m = Module()
        many, ways, chunk = self._bytes, self._ways, self.i.p
        cells  = Signal()  # X or Y
        address = Signal(CORE)
        words, elements = min(many, 2 * ways), ways
        step   = Signal(range(max(many // elements, many // _WORD, 2)), name="step")
        m.d.comb += [
            cells.eq(chunk.place[-2:].any()),
            address.eq(Cat(Const(0, exact_log2(many)), chunk.place) | Mux(
                self.narrow, step << exact_log2(elements), Mux(
                    cells, step << exact_log2(words), step << exact_log2(_WORD))))]
        last = Mux(self.narrow, many // elements - 1, Mux(cells, many // words - 1,
                                                         many // _WORD - 1))
        free, final, full, other = (Signal(name=name) for name in
                                    ("free", "final", "full", "other"))
        # ``other`` waits for a cycle of its own: ``busy`` comes late in a cycle.
        writes = other & ~self.busy
        m.d.comb += [
            self.o.valid.eq(full), free.eq(~other & (~full | self.o.ready)),
            self.i.ready.eq(free & (step == last)),
            self.done.eq(final & (writes | (full & self.o.ready)))]
        m.d.sync += [full.eq(Mux(free, self.i.valid & cells, full)),
                     other.eq(Mux(free, self.i.valid & ~cells, other & ~writes))]
        with m.If(free):
            m.d.sync += [final.eq(chunk.final & (step == last)),
                         step.eq(Mux(self.i.valid & (step != last), step + 1, 0))]
            self._wide(m, address, step)
        self._others(m, address, step, free, writes)
        return m

    def _wide(self, m, address, step):
        """Register an X or Y write."""
        ways, chunk, o = self._ways, self.i.p, self.o.p
        lanes, bits = exact_log2(BANKS * ways), exact_log2(ways)
        values = data.View(data.ArrayLayout(8, self._bytes), chunk.data)
        cell, y = address[1:], address[-1]
        lane = Mux(self.narrow, address[:lanes], cell[:lanes])
        row  = Mux(self.narrow, address[lanes + 1:CORE - 2],
                   Mux(y, address[1 + lanes + bits:-1], cell[lanes:CORE - 3]))
        m.d.sync += [
            o.y.eq(y), o.row.eq(row), o.way.eq(1 << cell[lanes:lanes + bits]),
            o.bank.eq(1 << lane[bits:]),
            o.bytes.eq(Mux(self.narrow, Mux(address[lanes], 0b10, 0b01), 0b11))]
        words = min(self._bytes, 2 * ways) // 2  # of a piece
        for column in range(ways):
            pieces = [words * piece + column % words for piece in
                      range(self._bytes // (2 * words))]
            fits = cell[exact_log2(words):max(exact_log2(words), bits)] == column // words
            word, used = (_pick(choices, step) for choices in (
                [Cat(values[2 * at], values[2 * at + 1]) for at in pieces],
                [chunk.mask[2 * at] & fits for at in pieces]))
            narrow = range(column, self._bytes, ways)
            byte, marked = (_pick(choices, step) for choices in (
                [values[at] for at in narrow], [chunk.mask[at] for at in narrow]))
            m.d.sync += [o.data[column].eq(Mux(self.narrow, byte.replicate(2), word)),
                         o.column[column].eq(Mux(self.narrow, marked, used))]

    def _others(self, m, address, step, free, writes):
        """Write 32 bits into a program, a table or a place."""
        words = [self.i.p.data.word_select(at, 8 * _WORD) for at in range(self._bytes // _WORD)]
        held  = Signal(8 * _WORD, name="word", reset_less=True)
        place = Signal(CORE, name="address_held", reset_less=True)
        used  = Signal(name="used")
        with m.If(free):
            m.d.sync += [held.eq(_pick(words, step)), place.eq(address),
                         used.eq(_pick(list(self.i.p.mask[::_WORD]), step))]
        hits = {region: writes & used & (place[16:19] == region.value >> 16)
                for region in (Region.PROGRAM, Region.TABLES, Region.PLACES)}
        m.d.comb += [
            self.program.address.eq(place[3:]), self.program.data.eq(held.replicate(2)),
            self.program.mask.eq(Mux(place[2], 0xF0, 0x0F)),
            self.program_enable.eq(hits[Region.PROGRAM]),
            self.table.half.eq(place[2:]), self.table.data.eq(held),
            self.table.enable.as_value().eq(hits[Region.TABLES].replicate(4)),
            self.place.table.eq(place[2:6]), self.place.place.eq(held),
            self.place.enable.eq(hits[Region.PLACES].replicate(4))]


def _pick(choices, step):
    """The choice number ``step``; a single choice needs no selection."""
    return pick(choices, step) if len(choices) > 1 else choices[0]
