# SPDX-License-Identifier: Apache-2.0
"""Program counters, and the trace memory with their values for every pass."""

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay, pick
from xymac.hdl.config import trace_words_at_once
from xymac.hdl.core.step import Stall
from xymac.hdl.core.xmem import word_memory
from xymac.hdl.isa import COUNTERS, TRACE_STRIDE
from xymac.hdl.limits import check_passes, check_vendor

from .bank import Bank
from .schedule import Schedule

__all__ = ["Counters"]

_WORD = 32


def _pick(m, values, number, cycles, name):
    """Select a value by ``number``, delayed by ``cycles``; a single value needs no selection."""
    return pick(values, delay(m, number, cycles, name=name)) if len(values) > 1 else values[0]


class Counters(wiring.Component):
    """Count cycles, steps and stalls; write a trace record when a pass is issued and written.

    Each word of a record has a 32-bit counter; the last counter counts cycles for the word
    ``done``. Totals lie in distributed memory, recent counts in registers, so a record is written
    a line a cycle. The trace is as wide as its block RAMs: a line has 1 or 2 words. A counter read
    waits while a record is written, and for 9 cycles after ``clear``. Latency 2 cycles from an
    event to the value in a record or a read, and from ``address`` to ``word``. Throughput 1 counted
    cycle and 1 read word a cycle. Backpressure: while ``closed``, no pass may issue its last step
    in the next cycle; passes are written at least ``BANKS`` cycles apart.

    Parameters
    ----------
    passes : int, trace records, a power of two from 2 to 256; TypeError unless an int, ValueError
        otherwise
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    Members
    -------
    clear : In(1), reset the counters; running : In(1), count cycles; stall : In(Stall)
    issued : In(1), a pass has issued; issued_pass : In(pass number), a cycle later
    done : In(1), a pass is written; done_pass : In(pass number), its number, and overflow : In(1),
        it overflowed, both in the next cycle
    busy : Out(1), a record is not written yet; closed : Out(1)
    asks : In(1), read counter ``number`` : In(index in ``COUNTERS``); taken : Out(1), the read is
        accepted; value : Out(32), two cycles later
    address : In(word index in the trace); word : Out(32), two cycles later
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
        # A register between stall cause and counters, for timing.
        events = Signal(TRACE_STRIDE, reset_less=True)
        m.d.sync += events.eq(Cat(
            self.running, *(self.running & (self.stall == cause) for cause in list(Stall)[1:]),
            self.running))
        column = self.number[:exact_log2(words)]  # of its line
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
        """Make the bank for word ``word`` of every line; returns its total."""
        last = word == words - 1  # its bank holds the counter for ``done``
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
        """Trace memory, and the registers in front of its write port."""
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
            # ``done`` in the last line is written later, when the pass is written.
            enable.eq(Mux(schedule.writes, 1 << words - 1, Mux(
                schedule.records, Mux(schedule.line == lines - 1, every >> 1, every), 0)))]
        m.d.comb += [writer.addr.eq(Cat(line, pass_)), writer.en.eq(enable),
                     writer.data.eq(Cat(*sums) | over << len(writer.data) - 1)]
