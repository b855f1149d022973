"""Address generation: the tap loops of one operand, and the mapping into its window."""

from amaranth import Cat, Module, Mux, ResetInserter, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, pick
from hdl.config import SLOTS
from hdl.isa import ADDRESS_BITS, AguMode

__all__ = ["AddressMap", "Agu", "Job", "MapConfig", "Mapped"]

_RELATIVE = signed(ADDRESS_BITS)

#: What ``AddressMap`` needs of a pass.
MapConfig = data.StructLayout({
    "mode": AguMode, "order": unsigned(5), "low": unsigned(16), "high": unsigned(17),
    "last": _RELATIVE})
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


def Mapped(tag):
    """Layout of a mapped address: in the unit of its access, ``bad`` outside the window."""
    return data.StructLayout({"address": unsigned(17), "bad": 1, "tag": tag})


class AddressMap(wiring.Component):
    """Map a relative address into the window by the access mode, and check it.

    Latency ``LATENCY`` cycles, throughput 1 address a cycle, no backpressure.

    Parameters
    ----------
    tag : shape of what travels along unchanged; TypeError for what is none

    Members
    -------
    slots : In(``SLOTS`` MapConfig), stable while addresses of their pass are inside
    flush : In(1), forget what is inside
    i : In(stream of {relative, slot, tag}), always ready
    o : Out(stream of {address: 17 bits, bad, tag}), taken at once; ``bad`` marks an access outside
        the window
    """

    LATENCY = 7

    def __init__(self, *, tag):
        self._tag = tag
        super().__init__({
            "slots": In(data.ArrayLayout(MapConfig, SLOTS)),
            "flush": In(1),
            "i": In(stream.Signature(data.StructLayout({
                "relative": _RELATIVE, "slot": range(SLOTS), "tag": tag}), always_ready=True)),
            "o": Out(stream.Signature(Mapped(tag), always_ready=True)),
        })

    def elaborate(self, platform):
        m = Module()
        slot, valid, config = self.i.p.slot, self.i.valid, []
        for stage in range(1, self.LATENCY + 1):
            # Each stage's fields are selected a cycle ahead: no selection precedes an adder.
            config.append(Signal(MapConfig, name=f"config{stage}", reset_less=True))
            m.d.sync += config[-1].eq(pick(self.slots, slot))
            slot = delay(m, slot, 1, name=f"slot{stage}")
            before, valid = valid, Signal(name=f"valid{stage}")
            m.d.sync += valid.eq(before & ~self.flush)
        m.d.comb += [self.o.valid.eq(valid),
                     self.o.p.tag.eq(delay(m, self.i.p.tag, self.LATENCY, name="tag"))]
        self._wrap(m, delay(m, self.i.p.relative, 1, name="relative"), config)
        self._reverse(m, config)
        return m

    def _wrap(self, m, relative, config):
        """Stages 2 and 3: one step of modulo, both ways tried side by side."""
        plain, above, below = (Signal(_RELATIVE, name=name) for name in ("plain", "above", "below"))
        self._wrapped = wrapped = Signal(_RELATIVE)
        m.d.sync += [
            plain.eq(relative),
            above.eq(relative - config[0].high - 1),
            below.eq(relative + config[0].high + 1),
            wrapped.eq(plain),
        ]
        with m.If(config[1].mode == AguMode.MODULO):
            with m.If(plain < 0):
                m.d.sync += wrapped.eq(below)
            with m.Elif(above >= 0):
                m.d.sync += wrapped.eq(above)

    def _reverse(self, m, config):
        """Stages 4 to 7: check the window, reverse bits if asked, add the window's start."""
        left    = Signal(5)
        coarse  = Signal(16)
        fine    = Signal(16)
        amount  = Signal(2)
        linear  = [Signal(17, name=f"linear{n}") for n in range(3)]
        negative = Signal()
        over = Signal()
        bad = Signal()
        late = Signal()
        m.d.comb += left.eq(16 - config[2].order)
        m.d.sync += [
            negative.eq(self._wrapped < 0),
            over.eq((config[2].last - self._wrapped)[-1]),
            coarse.eq(self._wrapped[:16][::-1] >> Cat(left[:0], 0, 0, left[2:])),
            amount.eq(left[:2]),
            linear[0].eq(self._wrapped[:17]),
            bad.eq(negative | over),
            fine.eq(coarse >> amount),
            linear[1].eq(linear[0]),
            late.eq(bad),
            linear[2].eq(Mux(config[4].mode == AguMode.BIT_REVERSED, fine, linear[1])),
            self.o.p.bad.eq(late),
            self.o.p.address.eq(linear[2] + config[5].low),
        ]


class Agu(wiring.Component):
    """Walk the taps of one output after another without a gap.

    Three nested loops of ``rows`` x ``cols`` x ``count`` addresses, ``start`` plus the strides.
    A job waits in a buffer while the one before it runs. Addresses wait in a queue, so that nothing
    before it ever stalls: the loops step while fewer than ``QUEUED`` are behind them. Latency from
    job to first address ``AddressMap.LATENCY + 6`` cycles, throughput 1 address a cycle and a job
    in 3 cycles, honours backpressure at both ends. Takes no parameters.

    Members
    -------
    slots : In(``SLOTS`` MapConfig), as AddressMap needs them
    flush : In(1), forget all jobs
    i : In(stream of Job); rows, cols and count are at least 1
    o : Out(stream of {address, bad, tag}); the tag is 1 on the last address of a job
    """

    QUEUED = 16

    def __init__(self):
        super().__init__({
            "slots": In(data.ArrayLayout(MapConfig, SLOTS)),
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

        m.d.comb += mapping.slots.eq(self.slots)
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
