# SPDX-License-Identifier: Apache-2.0
"""Trace: counters, pass records and flags of a program, from the events of all blocks."""

from amaranth import Cat, Module, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import SLOTS
from xymac.hdl.core.fetch.loader import PlaceWrite
from xymac.hdl.core.fetch.scan import Rows
from xymac.hdl.core.step import Stall
from xymac.hdl.core.tables import TableWrite
from xymac.hdl.isa import TRACE_STRIDE, Flag, State
from xymac.hdl.limits import check_one_of, check_passes

from .counters import Counters
from .lists import ListTrace
from .notes import Notes
from .write_monitor import WriteMonitor, Wrote

__all__ = ["Trace"]


class Trace(wiring.Component):
    """Count the events of a program, record its passes, and flag overflows and host writes.

    With a DMA, counters and flags run from a list's start to its end; see ``ListTrace``. Latency
    and throughput as in ``Counters``, ``Notes`` and ``WriteMonitor``; no backpressure but
    ``closed`` and the wait for ``counted``.

    Parameters
    ----------
    passes : int, trace records, a power of two from 2 to 256
    slots : int, physical slots, 2 or 4
    dma : int, 1 for the members marked *; 0 omits them
    vendor : None or "ecp5", see ``carry.GatedAdd``

    TypeError for another kind, ValueError for a value out of range.

    Members
    -------
    start, clear : In(1), commands to the program; state : In(State)
    loading, live : In(``SLOTS``); rows : In(Rows), turn : In(4), see ``WriteMonitor``
    index : In(``SLOTS`` pass numbers), again : In(``SLOTS``), see ``Notes``
    stall : In(Stall); pass_issued : In(1), issued_slot : In(slot); done, overflow_seen : In(1)
    trace_busy : Out(1), a record is not written yet; closed : Out(1), see ``Counters``
    wrote : In(Wrote); program_enable : In(1), table : In(TableWrite), place : In(PlaceWrite),
        writes of the host
    trace_address : In, trace_word : Out(32), two cycles later
    counts : In(1), read counter ``number`` : In; counted : Out(1), accepted; count : Out(32), two
        cycles later
    flags : Out(Flag)
    * begins : In(1), a list or a program of the host starts; listing : In(1), a list runs
    * took : In(1), a read of the DMA took the slot of a step; dma_stall : Out(32), their number
    """

    def __init__(self, *, passes, slots, dma=0, vendor=None):
        self._dma, self._vendor = check_one_of("Dma", dma, (0, 1)), vendor
        self._counters = Counters(passes=check_passes(passes), vendor=vendor)
        self._notes    = Notes(passes=passes, slots=slots)
        number = unsigned(exact_log2(passes) + 1)
        lists  = {"begins": In(1), "listing": In(1), "took": In(1), "dma_stall": Out(32)}
        super().__init__({
            "start": In(1), "clear": In(1), "state": In(State),
            "loading": In(SLOTS), "live": In(SLOTS), "rows": In(Rows), "turn": In(4),
            "index": In(data.ArrayLayout(number, SLOTS)), "again": In(SLOTS),
            "stall": In(Stall), "pass_issued": In(1), "issued_slot": In(range(SLOTS)),
            "done": In(1), "overflow_seen": In(1), "trace_busy": Out(1), "closed": Out(1),
            "wrote": In(Wrote), "program_enable": In(1), "table": In(TableWrite),
            "place": In(PlaceWrite),
            "trace_address": In(range(passes * TRACE_STRIDE)), "trace_word": Out(32),
            "counts": In(1), "number": In(range(TRACE_STRIDE)), "counted": Out(1),
            "count": Out(32), "flags": Out(Flag)} | (lists if dma else {}))

    def elaborate(self, platform):
        m = Module()
        m.submodules.notes = self._notes
        m.submodules.counters = counters = self._counters
        busy, begins, stall, flags = (self.state == State.BUSY, self.start, self.stall,
                                      self._notes.flags.as_value())
        if self._dma:
            m.submodules.lists = lists = ListTrace(vendor=self._vendor)
            m.d.comb += [
                lists.stall.eq(stall), lists.flags.eq(flags), lists.took.eq(self.took),
                lists.listing.eq(self.listing), lists.begins.eq(self.begins),
                lists.clear.eq(self.clear), self.dma_stall.eq(lists.dma_stall)]
            busy, begins, stall, flags = (busy | self.listing, self.begins, lists.cause,
                                          lists.all_flags)
        # The stall cause of a cycle is known a cycle later; these two wait for it.
        m.d.sync += [counters.running.eq(busy), counters.issued.eq(self.pass_issued)]
        m.d.comb += [
            counters.clear.eq(begins), counters.stall.eq(stall), self.flags.eq(flags),
            counters.address.eq(self.trace_address), self.trace_word.eq(counters.word),
            counters.asks.eq(self.counts), counters.number.eq(self.number),
            self.counted.eq(counters.taken), self.count.eq(counters.value),
            self.trace_busy.eq(counters.busy), self.closed.eq(counters.closed)]
        self._note(m, counters)
        m.d.comb += self._notes.hit.eq(self._watch(m))
        return m

    def _note(self, m, counters):
        """Identify issued and written passes for the counters."""
        notes = self._notes
        m.d.comb += [
            notes.restart.eq(self.start | self.clear), notes.index.eq(self.index),
            notes.again.eq(self.again), notes.slot.eq(self.issued_slot), notes.done.eq(self.done),
            notes.overflow.eq(self.overflow_seen), counters.issued_pass.eq(notes.issued_pass),
            counters.done.eq(notes.written), counters.done_pass.eq(notes.written_pass),
            counters.overflow.eq(notes.seen)]

    def _watch(self, m):
        """Whether the host has written into a running pass; program, tables and places count."""
        m.submodules.write_monitor = watch = WriteMonitor()
        m.d.comb += [
            watch.valid.eq(self.wrote.valid), watch.y.eq(self.wrote.y),
            watch.row.eq(self.wrote.row), watch.rows.eq(self.rows), watch.turn.eq(self.turn),
            watch.flush.eq(self.start)]
        # A register: the strobes leave the host port's decoder late in the cycle.
        strobes = Cat(self.program_enable, self.table.enable, self.place.enable)
        m.d.sync += [watch.program.eq(strobes.any() & (self.state == State.BUSY)),
                     watch.live.eq(self.live), watch.loading.eq(self.loading)]
        return watch.hit
