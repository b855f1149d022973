# SPDX-License-Identifier: Apache-2.0
"""Mover: a transfer at a time between the bus and the core memories."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.config import WIDTHS
from xymac.hdl.core.step import HostRead
from xymac.hdl.core.writeback import WideWrite
from xymac.hdl.limits import check_one_of, check_passes, check_vendor, check_ways

from .bursts import Bursts
from .bus import Ask, Part
from .gear import Gear
from .groups import Groups
from .place import Place
from .reads import Reads
from .realign import Realign
from .records import Burst, Chunk, Move
from .skid import Skid
from .walk import Rows, Spans

__all__ = ["Mover"]


class Mover(wiring.Component):
    """Run a transfer: read or write bursts, realign bytes, write or read the core memories.

    LOAD latency 11 cycles plus the bus latency and its beats; throughput as in ``Realign``,
    ``Place`` and ``Reads``; honours backpressure. A reset gives up a failed transfer.

    Parameters
    ----------
    width : int, bus data bits: 32, 64 or 128
    ways : int, MACs per lane: 1, 2 or 4
    passes : int, program memory depth, a power of two from 2 to 256
    vendor : None or "ecp5", see ``carry.SelectAdd``

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    move : In(Move), with take : In(1), keep it; start : In(1), run it; done : Out(1), it has ended
    asks : Out(stream of Ask), beats : In(stream of ``width`` bits), reads
    bursts : Out(stream of Burst), parts : Out(stream of Part), writes; written : In(1), each has
        its answer
    write : Out(stream of WideWrite); read : Out(stream of HostRead), found, mine : as in ``Reads``
    program, program_enable, table, place : Out, busy : In(1), as in ``Place``
    """

    def __init__(self, *, width, ways, passes, vendor=None):
        self._vendor = check_vendor(vendor)
        self._width, self._ways = check_one_of("Width", width, WIDTHS), check_ways(ways)
        self._place = Place(width=width, ways=ways, passes=check_passes(passes))
        same = ("program", "program_enable", "table", "place", "busy")
        super().__init__({
            "move": In(Move), "take": In(1), "start": In(1), "done": Out(1),
            "asks": Out(stream.Signature(Ask)), "beats": In(stream.Signature(width)),
            "bursts": Out(stream.Signature(Burst)), "parts": Out(stream.Signature(Part(width))),
            "written": In(1), "write": Out(stream.Signature(WideWrite(ways))),
            "read": Out(stream.Signature(HostRead)), "found": In(data.ArrayLayout(16, ways)),
            "mine": Out(1), **{name: self._place.signature.members[name] for name in same}})
        self._same = same

    def elaborate(self, platform):
        m = Module()
        move = Signal(Move, reset_less=True)
        with m.If(self.take):
            m.d.sync += move.eq(self.move)
        self._outside(m, move)
        m.submodules.rows = rows = Rows(width=self._width, vendor=self._vendor)
        m.submodules.groups = groups = Groups(width=self._width, vendor=self._vendor)
        m.submodules.beat = beat = Skid(self._width)
        m.submodules.realign = realign = Realign(width=self._width)
        m.submodules.chunk = chunk = Skid(Chunk(self._width))
        wiring.connect(m, rows.o, groups.rows)
        wiring.connect(m, groups.o, realign.groups)
        wiring.connect(m, self._read(m, move).o, beat.i)
        wiring.connect(m, beat.o, realign.i)
        wiring.connect(m, realign.o, chunk.i)
        m.d.comb += [
            rows.move.eq(move), rows.start.eq(self.start), groups.last.eq(move.last),
            groups.store.eq(move.store), realign.fill.eq(move.fill)]
        self._deliver(m, move, chunk.o)
        return m

    def _outside(self, m, move):
        """External byte ranges, as read or write bursts."""
        m.submodules.spans = spans = Spans(vendor=self._vendor)
        m.submodules.cut = bursts = Bursts(width=self._width, vendor=self._vendor)
        wiring.connect(m, spans.o, bursts.i)
        m.d.comb += [
            spans.move.eq(move), spans.start.eq(self.start),
            self.asks.p.burst.eq(bursts.o.p),
            self.bursts.p.eq(bursts.o.p), self.asks.valid.eq(bursts.o.valid & ~move.store),
            self.bursts.valid.eq(bursts.o.valid & move.store),
            bursts.o.ready.eq(Mux(move.store, self.bursts.ready, self.asks.ready))]

    def _read(self, m, move):
        """Read a STORE's rows, or queue a LOAD's beats; returns the Gear with their groups."""
        m.submodules.read_rows = rows = Rows(width=self._width, vendor=self._vendor)
        m.submodules.reads = reads = Reads(
            width=self._width, ways=self._ways, vendor=self._vendor)
        m.submodules.gear = gear = Gear(width=self._width, ways=self._ways)
        wiring.connect(m, rows.o, reads.rows)
        wiring.connect(m, reads.o, gear.i)
        wiring.connect(m, reads.read, wiring.flipped(self.read))
        wiring.connect(m, wiring.flipped(self.beats), reads.beats)
        m.d.comb += [rows.move.eq(move), rows.start.eq(self.start & move.store),
                     reads.last.eq(move.last), reads.narrow.eq(move.narrow),
                     reads.found.eq(self.found), self.mine.eq(reads.mine),
                     reads.store.eq(move.store), gear.narrow.eq(move.narrow),
                     gear.store.eq(move.store)]
        return gear

    def _deliver(self, m, move, chunks):
        """Send groups to the core memories or to the bus; mark the end of the transfer."""
        m.submodules.place = place = self._place
        sent, ending = Signal(name="sent"), Signal(name="ending")
        chunk, part = chunks.p, self.parts.p
        m.d.comb += [
            place.i.p.eq(chunk), place.narrow.eq(move.narrow), place.busy.eq(self.busy),
            part.data.eq(chunk.data), part.mask.eq(chunk.mask),
            place.i.valid.eq(chunks.valid & ~move.store),
            self.parts.valid.eq(chunks.valid & move.store),
            chunks.ready.eq(Mux(move.store, self.parts.ready, place.i.ready)),
            sent.eq(self.parts.valid & self.parts.ready & chunk.final),
            *(getattr(self, name).eq(getattr(place, name)) for name in self._same
              if name != "busy")]
        wiring.connect(m, place.o, wiring.flipped(self.write))
        m.d.sync += [ending.eq(sent | (ending & ~self.written)),
                     self.done.eq(place.done | (ending & self.written))]
