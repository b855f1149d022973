"""Counters of a program, and the trace that keeps them for every pass."""

from amaranth import C, Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay
from hdl.config import trace_words_at_once
from hdl.core.step import Stall
from hdl.core.xmem import cell_memory
from hdl.isa import COUNTERS, TRACE_STRIDE
from hdl.limits import check_passes

__all__ = ["Counters"]

_WORD  = 32
_AHEAD = 5


class Counters(wiring.Component):
    """Count cycles, steps and stalls; write a record when a pass has issued and when it is written.

    The trace is as wide as its block RAMs: a line has 1 or 2 words, and a record takes a cycle a
    line to write. While ``closed`` no other pass may issue its last step in the cycle after: that
    is all its backpressure. Passes are written at least ``BANKS`` cycles apart. Latency 2 cycles
    from a cycle to ``values`` and from ``address`` to ``word``, throughput 1 cycle counted and 1
    word read a cycle.

    Parameters
    ----------
    passes : int, records of the trace, a power of two from 2 to 256; TypeError for what is no int,
        ValueError otherwise

    Members
    -------
    clear : In(1); running : In(1); stall : In(Stall)
    issued : In(1), issued_pass : In(pass number), a cycle later; done : In(1), done_pass,
        overflow : In
    busy : Out(1), a record is not written yet; closed : Out(1)
    values : Out(array of 32 bits in the order of ``COUNTERS``)
    address : In(word of the trace), word : Out(32), two cycles later
    """

    def __init__(self, *, passes):
        self._passes = check_passes(passes)
        number = unsigned(exact_log2(passes) + 1)
        super().__init__({
            "clear": In(1), "running": In(1), "stall": In(Stall),
            "issued": In(1), "issued_pass": In(number),
            "done": In(1), "done_pass": In(number), "overflow": In(1),
            "busy": Out(1), "closed": Out(1), "values": Out(data.ArrayLayout(_WORD, len(COUNTERS))),
            "address": In(range(passes * TRACE_STRIDE)), "word": Out(_WORD)})

    def elaborate(self, platform):
        m = Module()
        count = Signal(len(COUNTERS))  # a cycle late, to part the reason from the counting
        m.d.sync += count[0].eq(self.running)
        m.d.sync += [count[cause.value].eq(self.running & (self.stall == cause))
                     for cause in list(Stall)[1:]]
        for value, one in zip(self.values, count, strict=True):
            m.d.sync += value.eq(Mux(self.clear, 0, value + one))
        self._trace(m)
        return m

    def _trace(self, m):
        """The memory, and the records on their way to it."""
        words   = trace_words_at_once(self._passes)
        lines   = -(-len(COUNTERS) // words)
        row     = data.ArrayLayout(_WORD, words)
        m.submodules.trace = memory = cell_memory(
            width=row.size, depth=self._passes * TRACE_STRIDE // words)
        reader, writer = memory.read_port(), memory.write_port(granularity=_WORD)
        chosen = self.address[:exact_log2(words)]
        late   = delay(m, chosen, 1, name="chosen") if words > 1 else 0
        found  = reader.data.word_select(late, _WORD)
        m.d.comb += [reader.addr.eq(self.address >> len(chosen)), reader.en.eq(1)]
        m.d.sync += self.word.eq(found)

        place     = Signal(range(lines + 1), init=lines)
        following = Signal.like(place)
        pending = Signal()
        soon = Signal()
        snapshot = Signal()
        # Judged a cycle ahead: a line of ``kept`` is written, and all of them move up.
        moves, changes, last = Signal(name="moves"), Signal(name="changes"), Signal(name="last")
        m.d.comb += following.eq(Mux(snapshot, 0, place + moves))
        more = (following != lines) & ~self.done
        m.d.sync += [
            place.eq(following), moves.eq(more), changes.eq(more | soon),
            last.eq(following == lines - 1),
            # The counters of this very step are in two cycles later.
            soon.eq(self.issued), snapshot.eq(soon), pending.eq(self.done)]
        # A step in two cycles has its record ``_AHEAD`` cycles from now on; two of these cycles may
        # be those of passes that are written.
        m.d.comb += [self.busy.eq(soon | snapshot | pending | (place != lines)),
                     self.closed.eq(soon | snapshot | (place < lines - (_AHEAD - 2)))]
        kept, kept_of = self._keep(m, row, lines, soon, snapshot, changes)
        written = Signal(_WORD)
        written_of = Signal.like(self.done_pass)
        with m.If(self.done):
            m.d.sync += [written.eq(self.values[0] | self.overflow << _WORD - 1),
                         written_of.eq(self.done_pass)]
        first = [kept[0][word] for word in range(words)]
        end   = TRACE_STRIDE // words - 1  # the line whose last word is that of ``done``
        every = (1 << words) - 1
        sizes = exact_log2(TRACE_STRIDE // words)
        part  = every >> lines * words - len(COUNTERS)  # of the last line
        m.d.sync += [
            writer.addr.eq(Mux(pending, Cat(C(end, sizes), written_of),
                               Cat(place[:sizes], kept_of))),
            writer.data.eq(Cat(*first[:-1], Mux(pending, written, first[-1]))),
            writer.en.eq(Mux(pending, 1 << words - 1, Mux(moves, Mux(last, part, every), 0)))]

    def _keep(self, m, row, lines, soon, snapshot, changes):
        """The counters as a record has them, line by line, and the number of its pass."""
        kept = Signal(data.ArrayLayout(row, lines))
        issued_of = Signal.like(self.issued_pass)
        kept_of = Signal.like(self.issued_pass)
        with m.If(soon):
            m.d.sync += issued_of.eq(self.issued_pass)
        with m.If(snapshot):
            m.d.sync += kept_of.eq(issued_of)
        with m.If(changes):
            m.d.sync += kept.eq(Mux(snapshot, self.values, kept.as_value() >> row.size))
        return kept, kept_of
