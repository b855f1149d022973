"""Counters of a program, and the trace that keeps them for every pass."""

from amaranth import C, Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.isa import COUNTERS, TRACE_STRIDE
from hdl.limits import check_passes

from .step import Stall
from .xmem import cell_memory

__all__ = ["Counters"]

_WORD = 32


class Counters(wiring.Component):
    """Count cycles, steps and stalls; write a record when a pass has issued and when it is written.

    A record takes ``len(COUNTERS)`` cycles to write; ``busy`` is high meanwhile, and no second pass
    may issue its last step or be written in that time: that is all its backpressure. Latency 2
    cycles from a cycle to ``values`` and from ``address`` to ``word``, throughput 1 cycle counted
    and 1 word read a cycle.

    Parameters
    ----------
    passes : int, records of the trace, a power of two from 2 to 256; TypeError for what is no int,
        ValueError otherwise

    Members
    -------
    clear : In(1); running : In(1); stall : In(Stall)
    issued : In(1), issued_pass : In(pass number), a cycle later; done : In(1), done_pass,
        overflow : In
    busy : Out(1)
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
            "busy": Out(1), "values": Out(data.ArrayLayout(_WORD, len(COUNTERS))),
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
        m.submodules.trace = memory = cell_memory(
            width=_WORD, depth=self._passes * TRACE_STRIDE)
        reader, writer = memory.read_port(), memory.write_port()
        kept      = Signal(data.ArrayLayout(_WORD, len(COUNTERS)))
        kept_of   = Signal.like(self.issued_pass)
        written, written_of = Signal(_WORD), Signal.like(self.done_pass)
        place     = Signal(range(TRACE_STRIDE), init=TRACE_STRIDE - 1)
        following = Signal.like(place)
        pending   = Signal()
        soon, snapshot = Signal(), Signal()
        # Judged a cycle ahead: a word of ``kept`` is written, and all of them move up.
        moves, changes = Signal(), Signal()
        m.d.comb += [
            reader.addr.eq(self.address), reader.en.eq(1),
            following.eq(Mux(snapshot, 0, place + moves)),
            self.busy.eq(soon | snapshot | pending | (place != TRACE_STRIDE - 1)),
        ]
        more = (following != TRACE_STRIDE - 1) & ~self.done
        m.d.sync += [
            self.word.eq(reader.data), place.eq(following), moves.eq(more), changes.eq(more | soon),
            # The counters of this very step are in two cycles later.
            soon.eq(self.issued), snapshot.eq(soon), pending.eq(self.done),
            writer.addr.eq(Mux(pending, Cat(C(TRACE_STRIDE - 1, place.shape()), written_of),
                               Cat(place, kept_of))),
            writer.data.eq(Mux(pending, written, kept[0])), writer.en.eq(pending | moves)]
        with m.If(soon):
            m.d.sync += kept_of.eq(self.issued_pass)
        with m.If(changes):
            m.d.sync += kept.eq(Mux(snapshot, self.values, kept.as_value() >> _WORD))
        with m.If(self.done):
            m.d.sync += [written.eq(self.values[0] | self.overflow << _WORD - 1),
                         written_of.eq(self.done_pass)]
