# SPDX-License-Identifier: Apache-2.0
"""Schedule: the counters to visit in a cycle, and the reason for the visit."""

from amaranth import Module, Mux, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.isa import COUNTERS, TRACE_STRIDE
from xymac.hdl.limits import check_between

__all__ = ["Schedule"]

_REST = 3  # maximum unwritten lines of a record when ``closed`` falls


class Schedule(wiring.Component):
    """Arbitrate visits to the counters.

    By priority: a written pass (last line only), a record, a counter read, and a rotating visit to
    all lines. A record visits every line in order and omits the last counter. After ``clear`` the
    rotating visits reset the counters. Latency 1 cycle from a request to its visit, throughput 1
    visit a cycle; honours backpressure by ``taken``.

    Parameters
    ----------
    words : int, counters per line, 1 or 2; TypeError unless an int, ValueError otherwise

    Members
    -------
    clear : In(1); issued : In(1), start a record three cycles later; done : In(1), a pass is
        written
    asks : In(1), read line ``ask`` : In(line); taken : Out(1), the read is accepted
    closed : Out(1), no pass may issue its last step two cycles later; busy : Out(1), a record is
        not written yet
    snapshot : Out(1), copy the counters for a record; anew : Out(a bit a counter), restart its
        recent count
    line : Out(line), the visited line; writes, records, visits : Out(1), for a written pass, for a
        record, for a read or the rotation; fresh : Out(1), start from 0
    """

    def __init__(self, *, words):
        self._words = check_between("Words", words, 1, 2)
        self._count = TRACE_STRIDE // words  # lines
        line = unsigned(exact_log2(self._count))
        super().__init__({
            "clear": In(1), "issued": In(1), "done": In(1), "asks": In(1), "ask": In(line),
            "taken": Out(1), "closed": Out(1), "busy": Out(1), "snapshot": Out(1),
            "anew": Out(TRACE_STRIDE), "line": Out(line), "writes": Out(1), "records": Out(1),
            "visits": Out(1), "fresh": Out(1)})

    def elaborate(self, platform):
        m = Module()
        end   = -(-len(COUNTERS) // self._words)
        soon  = Signal()
        place = Signal(range(end + 1), init=end)  # next line of the record
        now   = Signal.like(place, name="now")
        turn  = Signal.like(self.line, name="turn")
        fresh = Signal(init=1, name="fresh_ahead")
        line  = Signal.like(self.line, name="line_ahead")
        m.d.comb += now.eq(Mux(self.snapshot, 0, place))
        records = (now != end) & ~self.done
        visits  = (now == end) & ~self.done & ~soon
        turns   = visits & ~self.taken
        m.d.comb += [
            self.taken.eq(self.asks & visits & ~fresh),
            line.eq(Mux(self.done, self._count - 1, Mux(
                now != end, now, Mux(self.taken, self.ask, turn)))),
            self.closed.eq(soon | self.snapshot | (place < end - _REST)),
            self.busy.eq(soon | self.snapshot | (place != end) | self.writes | self.records)]
        m.d.sync += [
            # The counters include the issued step two cycles later.
            soon.eq(self.issued), self.snapshot.eq(soon), place.eq(now + records),
            self.line.eq(line), self.writes.eq(self.done), self.records.eq(records),
            self.visits.eq(visits), self.fresh.eq(fresh)]
        for index in range(TRACE_STRIDE):
            last = index == TRACE_STRIDE - 1  # it has no snapshot copy
            m.d.sync += self.anew[index].eq(
                self.clear | ((line == index // self._words) & (visits | (self.done & last)))
                | (soon & (not last)))
        with m.If(turns):
            m.d.sync += [turn.eq(turn + 1), fresh.eq(fresh & ~turn.all())]
        with m.If(self.clear):
            m.d.sync += [turn.eq(0), fresh.eq(1)]
        return m
