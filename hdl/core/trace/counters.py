"""Counters of a program, and the trace that keeps them for every pass."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay, pick
from hdl.config import trace_words_at_once
from hdl.core.step import Stall
from hdl.core.xmem import word_memory
from hdl.isa import COUNTERS, TRACE_STRIDE
from hdl.limits import check_passes, check_vendor

from .bank import Bank
from .schedule import Schedule

__all__ = ["Counters"]

_WORD = 32


def _pick(m, values, number, cycles, name):
    """One of the values, by the number of some cycles ago; the only one if there are no others."""
    return pick(values, delay(m, number, cycles, name=name)) if len(values) > 1 else values[0]


class Counters(wiring.Component):
    """Count cycles, steps and stalls; write a record when a pass has issued and when it is written.

    There is a counter for every word of a record: the last one counts cycles, too, and is that of
    ``done``. A counter of 32 bits lies in distributed memory but for what it has counted lately, so
    a record takes a cycle a line to write; the trace is as wide as its block RAMs: a line has 1 or
    2 words. While ``closed`` no other pass may issue its last step in the cycle after: that is all
    its backpressure for passes, which are written at least ``BANKS`` cycles apart. A counter is not
    read while a record is written nor in the 9 cycles after ``clear``. Latency 2 cycles from a
    cycle to what a record or a read sees and from ``address`` to ``word``, throughput 1 cycle
    counted and 1 word read a cycle.

    Parameters
    ----------
    passes : int, records of the trace, a power of two from 2 to 256; TypeError for what is no int,
        ValueError otherwise
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    Members
    -------
    clear : In(1); running : In(1); stall : In(Stall)
    issued : In(1), issued_pass : In(pass number), a cycle later; done : In(1), a cycle before its
        time; done_pass, overflow : In, then
    busy : Out(1), a record is not written yet; closed : Out(1)
    asks : In(1), number : In(place in ``COUNTERS``), to read it; taken : Out(1), it is read;
        value : Out(32), two cycles later
    address : In(word of the trace), word : Out(32), two cycles later
    """

    def __init__(self, *, passes, vendor=None):
        self._passes = check_passes(passes)
        self._vendor = check_vendor(vendor)
        number = unsigned(exact_log2(passes) + 1)
        super().__init__({
            "clear": In(1), "running": In(1), "stall": In(Stall),
            "issued": In(1), "issued_pass": In(number),
            "done": In(1), "done_pass": In(number), "overflow": In(1),
            "busy": Out(1), "closed": Out(1), "asks": In(1), "number": In(range(TRACE_STRIDE)),
            "taken": Out(1), "value": Out(_WORD),
            "address": In(range(passes * TRACE_STRIDE)), "word": Out(_WORD)})

    def elaborate(self, platform):
        m = Module()
        words = trace_words_at_once(self._passes)
        m.submodules.schedule = schedule = Schedule(words=words)
        # A cycle late, to part the reason from the counting.
        events = Signal(TRACE_STRIDE, reset_less=True)
        m.d.sync += events.eq(Cat(
            self.running, *(self.running & (self.stall == cause) for cause in list(Stall)[1:]),
            self.running))
        column = self.number[:exact_log2(words)]  # of the line
        m.d.comb += [
            schedule.clear.eq(self.clear), schedule.issued.eq(self.issued),
            schedule.done.eq(self.done), schedule.asks.eq(self.asks),
            schedule.ask.eq(self.number >> len(column)), self.taken.eq(schedule.taken),
            self.closed.eq(schedule.closed), self.busy.eq(schedule.busy)]
        sums = [self._bank(m, schedule, events, word, words) for word in range(words)]
        m.d.comb += self.value.eq(_pick(m, sums, column, 2, "column"))
        self._trace(m, schedule, sums)
        return m

    def _bank(self, m, schedule, events, word, words):
        """The sum of one counter of a line, which the bank of all counters at this place has."""
        last = word == words - 1  # it has the counter of ``done``
        recorded = len(range(word, len(COUNTERS), words))
        m.submodules[f"bank{word}"] = bank = Bank(
            counters=TRACE_STRIDE // words, recorded=recorded, vendor=self._vendor)
        m.d.comb += [
            bank.events.eq(Cat(events[word::words])), bank.snapshot.eq(schedule.snapshot),
            bank.anew.eq(Cat(schedule.anew[word::words])), bank.number.eq(schedule.line),
            bank.keeps.eq(schedule.records), bank.fresh.eq(schedule.fresh),
            bank.visits.eq(schedule.visits | schedule.records | (schedule.writes & last))]
        return bank.o

    def _trace(self, m, schedule, sums):
        """The memory, and the lines on their way to it."""
        words   = len(sums)
        lines   = TRACE_STRIDE // words
        m.submodules.trace = memory = word_memory(
            width=_WORD * words, depth=self._passes * lines)
        reader, writer = memory.read_port(), memory.write_port(granularity=_WORD)
        chosen = self.address[:exact_log2(words)]
        found  = _pick(m, [reader.data.word_select(word, _WORD) for word in range(words)], chosen,
                       1, "chosen")
        m.d.comb += [reader.addr.eq(self.address >> len(chosen)), reader.en.eq(1)]
        m.d.sync += self.word.eq(found)

        issued_of, kept_of = (Signal.like(self.issued_pass, name=name, reset_less=True)
                              for name in ("issued_of", "kept_of"))
        soon = delay(m, self.issued, 1, name="soon")
        with m.If(soon):
            m.d.sync += issued_of.eq(self.issued_pass)
        with m.If(schedule.snapshot):
            m.d.sync += kept_of.eq(issued_of)
        every = (1 << words) - 1
        line, pass_ = (Signal.like(like, name=name, reset_less=True) for like, name in (
            (schedule.line, "line"), (kept_of, "pass")))
        enable, over = Signal(words, name="enable"), Signal(name="over")
        m.d.sync += [
            line.eq(schedule.line), pass_.eq(Mux(schedule.writes, self.done_pass, kept_of)),
            over.eq(schedule.writes & self.overflow),
            # The last line of a record lacks the word of ``done``.
            enable.eq(Mux(schedule.writes, 1 << words - 1, Mux(
                schedule.records, Mux(schedule.line == lines - 1, every >> 1, every), 0)))]
        m.d.comb += [writer.addr.eq(Cat(line, pass_)), writer.en.eq(enable),
                     writer.data.eq(Cat(*sums) | over << len(writer.data) - 1)]
