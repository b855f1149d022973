"""Address generation: the tap loops of one operand, and the mapping into its window."""

from amaranth import Cat, Module, Mux, ResetInserter, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from hdl.arith import delay
from hdl.config import SLOTS
from hdl.isa import ADDRESS_BITS

from .mapping import AddressMap, MapConfig, Mapped

__all__ = ["Agu", "Job"]

_RELATIVE = signed(ADDRESS_BITS)

#: The taps of one output: where they start, how many rows and columns the border leaves, how many
#: there are innermost, and their strides.
Job = data.StructLayout({
    "start": _RELATIVE, "rows": unsigned(16), "cols": unsigned(16), "count": unsigned(16),
    "taps": data.ArrayLayout(signed(16), 3), "slot": range(SLOTS)})
#: The loops of a job, outermost first: strides, whether they run once, and ``_SPARE`` less than the
#: indices left, which is negative when one more step brings a loop to its last index.
_Loops = data.StructLayout({
    "strides": data.ArrayLayout(signed(16), 3), "single": 3,
    "left": data.ArrayLayout(signed(17), 3), "slot": range(SLOTS)})
_SPARE = 3


class Agu(wiring.Component):
    """Walk the taps of one output after another without a gap.

    Three nested loops of ``rows`` x ``cols`` x ``count`` addresses, ``start`` plus the strides.
    A job waits in a buffer while the one before it runs. Addresses wait in a queue, so that nothing
    before it ever stalls: the loops step while fewer than ``QUEUED`` are behind them. Latency from
    job to first address ``AddressMap.LATENCY + 6`` cycles, throughput 1 address a cycle and a job
    in 3 cycles, honours backpressure at both ends. Takes no parameters.

    Members
    -------
    config : In(MapConfig), loading : In(``SLOTS``), as AddressMap needs them
    flush : In(1), forget all jobs
    i : In(stream of Job); rows, cols and count are at least 1
    o : Out(stream of {address, bad, tag}); the tag is 1 on the last address of a job
    """

    QUEUED = 16

    def __init__(self):
        super().__init__({
            "config": In(MapConfig), "loading": In(SLOTS),
            "flush": In(1),
            "i": In(stream.Signature(Job)),
            "o": Out(stream.Signature(Mapped(1))),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.map = mapping = AddressMap(tag=1)
        self._job     = Signal(Job)
        self._waiting = Signal()        # a job is there for the loops
        self._active  = Signal()        # the loops have an address
        self._over    = Signal(init=1)  # what comes next is a job, if there is one
        self._steps   = Signal(3)       # or else which loop steps; the loops inside start again
        arrived, take, step, move = (Signal(name=name) for name in (
            "arrived", "take", "step", "move"))

        m.d.comb += [mapping.config.eq(self.config), mapping.loading.eq(self.loading)]
        room = self._queue(m, mapping.o, step)
        m.d.comb += [
            mapping.flush.eq(self.flush),
            self.i.ready.eq(~self._waiting & ~arrived),
            step.eq(self._active & room), move.eq(~self._active | room),
            take.eq(self._waiting & self._over & move),
        ]
        m.d.sync += arrived.eq(self.i.valid & self.i.ready)
        with m.If(self.i.ready):
            m.d.sync += self._job.eq(self.i.p)
        with m.If(arrived):
            m.d.sync += self._waiting.eq(1)
        with m.Elif(take):
            m.d.sync += self._waiting.eq(0)
        chosen, run = self._select(m), Signal(_Loops, name="run")
        with m.If(move & self._over):  # to no effect while there is no job
            m.d.sync += run.eq(chosen)
        self._count(m, move, chosen, run)
        self._address(m, move, run, mapping.i.p.relative)
        m.d.comb += [
            mapping.i.valid.eq(delay(m, step & ~self.flush, 1, name="stepped")),
            mapping.i.p.tag.eq(delay(m, self._over, 1, name="tag")),
            mapping.i.p.slot.eq(delay(m, run.slot, 1, name="slot"))]
        with m.If(self.flush):
            m.d.sync += [arrived.eq(0), self._waiting.eq(0), self._active.eq(0), self._over.eq(1),
                         self._steps.eq(0)]
        return m

    def _select(self, m):
        """What the waiting job will load, made ready in the cycle in which it arrives."""
        job, chosen = self._job, Signal(_Loops, reset_less=True, name="chosen")
        m.d.sync += [chosen.strides.eq(job.taps), chosen.slot.eq(job.slot)]
        for level, count in enumerate((job.rows, job.cols, job.count)):
            m.d.sync += [chosen.left[level].eq(count - _SPARE), chosen.single[level].eq(count == 1)]
        return chosen

    def _queue(self, m, mapped, step):
        """Keep addresses until they are taken; returns whether one more may set out."""
        layout = self.o.payload.shape()
        queue  = SyncFIFOBuffered(width=layout.size, depth=self.QUEUED)
        m.submodules.queue = ResetInserter(self.flush)(queue)
        free = Signal(range(self.QUEUED + 1), init=self.QUEUED)
        room = Signal(init=1)
        after, taken = Signal.like(free, name="after"), Signal(name="taken")
        m.d.comb += [
            queue.w_data.eq(mapped.payload), queue.w_en.eq(mapped.valid),
            self.o.payload.eq(queue.r_data), self.o.valid.eq(queue.r_rdy),
            queue.r_en.eq(self.o.ready),
            after.eq(Mux(self.flush, self.QUEUED, free - step + taken)),
        ]
        m.d.sync += [taken.eq(self.o.valid & self.o.ready & ~self.flush),
                     free.eq(after), room.eq(after != 0)]
        return room

    def _count(self, m, move, chosen, run):
        """Count the loops; which of them steps next is decided a cycle ahead."""
        over, steps = self._over, self._steps
        left   = [Signal(signed(17), name=f"left{level}") for level in range(3)]
        ending = Signal(2)  # of the outer loops
        ends   = Signal(3)  # whether each loop has its last index after this move
        goes   = Signal()   # there is an address after this move
        with m.If(over):
            m.d.comb += ends.eq(chosen.single)
        with m.Else():
            m.d.comb += [
                ends[0].eq(Mux(steps[0], left[0] < 0, ending[0])),
                ends[1].eq(Mux(steps[1], left[1] < 0, Mux(steps[0], run.single[1], ending[1]))),
                ends[2].eq(Mux(steps[2], left[2] < 0, run.single[2]))]
        m.d.comb += goes.eq(self._waiting | ~over)
        with m.If(move):
            m.d.sync += [self._active.eq(goes), over.eq(~goes | ends.all()), ending.eq(ends),
                         steps.eq(Mux(goes, Cat(ends[1:].all() & ~ends[0], ends[2] & ~ends[1],
                                                ~ends[2]), 0))]
        for level, moves in enumerate((over | steps[0], ~steps[2], 1)):
            with m.If(move & moves):
                m.d.sync += left[level].eq(Mux(over, chosen.left[level],
                                               Mux(steps[level], left[level] - 1,
                                                   run.left[level])))

    def _address(self, m, move, run, relative):
        """The addresses of the loops, a cycle later than their counts.

        A loop that steps takes the loops inside along, so what steps next begins at the innermost
        address, unless that has gone on alone since: then, or for a job, at ``other``.
        """
        over, steps = self._over, self._steps
        address = [Signal(_RELATIVE, name=f"address{level}") for level in range(3)]
        moves   = [Signal(name=f"moves{level}") for level in range(3)]
        stride, moved = Signal(signed(16), name="stride"), Signal(_RELATIVE, name="moved")
        other, inner  = Signal(_RELATIVE, name="other"), Signal(name="inner")
        m.d.comb += [relative.eq(address[2]),
                     moved.eq(Mux(inner, address[2], other) + stride)]
        strides = [run.strides[level] & steps[level].replicate(len(stride)) for level in range(3)]
        m.d.sync += [
            stride.eq(strides[0] | strides[1] | strides[2]),  # of a job nothing steps
            other.eq(Mux(steps[0], address[0], Mux(steps[1], address[1], self._job.start))),
            inner.eq(steps[2] | (steps[1] & moves[1]) | (steps[0] & moves[0]))]
        for level, goes in enumerate((over | steps[0], ~steps[2], 1)):
            m.d.sync += moves[level].eq(move & goes)
            with m.If(moves[level]):
                m.d.sync += address[level].eq(moved)
