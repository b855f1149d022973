"""Schedule: which counters are visited in a cycle, and for whom."""

from amaranth import Module, Mux, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.isa import COUNTERS, TRACE_STRIDE
from hdl.limits import check_between

__all__ = ["Schedule"]

_REST = 3  # lines of a record that can be left when ``closed`` falls


class Schedule(wiring.Component):
    """Share the counters: a pass that is written, a record, who reads one, and all in turn.

    A record takes every line but the last counter, in their order, and nothing goes before it but
    the last line for a pass that is written. After ``clear`` every counter begins at 0 in its turn.
    Latency 1 cycle from what asks to the visit, throughput a visit a cycle; honours backpressure by
    ``taken``.

    Parameters
    ----------
    words : int, counters of a line, 1 or 2; TypeError for what is no int, ValueError otherwise

    Members
    -------
    clear : In(1); issued : In(1), the record of three cycles later begins; done : In(1)
    asks : In(1), ask : In(line); taken : Out(1)
    closed : Out(1), nothing may be issued in two cycles; busy : Out(1), a record is not written yet
    snapshot : Out(1), the cycle that a record is of; anew : Out(a bit a counter), it begins anew
    line : Out(line); writes, records, visits : Out(1), for a pass that is written, for a record,
        for another or in turn; fresh : Out(1), from 0
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
        place = Signal(range(end + 1), init=end)  # the line of a record that comes next
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
            # The counters of the very step that is issued are in two cycles later.
            soon.eq(self.issued), self.snapshot.eq(soon), place.eq(now + records),
            self.line.eq(line), self.writes.eq(self.done), self.records.eq(records),
            self.visits.eq(visits), self.fresh.eq(fresh)]
        for index in range(TRACE_STRIDE):
            last = index == TRACE_STRIDE - 1  # no snapshot keeps it
            m.d.sync += self.anew[index].eq(
                self.clear | ((line == index // self._words) & (visits | (self.done & last)))
                | (soon & (not last)))
        with m.If(turns):
            m.d.sync += [turn.eq(turn + 1), fresh.eq(fresh & ~turn.all())]
        with m.If(self.clear):
            m.d.sync += [turn.eq(0), fresh.eq(1)]
        return m
