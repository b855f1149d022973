"""Notes: which pass has issued, which is written, and whether it overflowed."""

from amaranth import Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.config import SLOTS
from hdl.isa import BACK_MAX, Flag
from hdl.limits import check_passes, check_slots

__all__ = ["Notes"]


class Notes(wiring.Component):
    """Name the pass of a slot that has issued or is written, and keep the flags of a program.

    A pass of a loop overflowed if it did in any iteration. Latency 2 cycles from ``done`` to
    ``written``, 1 from ``slot`` to ``issued_pass``; throughput 1 pass in 3 cycles, no backpressure.

    Parameters
    ----------
    passes : int, of the program memory, a power of two from 2 to 256
    slots : int, passes that are held, 2 or 4

    TypeError for what is no int, ValueError otherwise.

    Members
    -------
    restart : In(1), a program starts, or its flags are cleared
    index : In(``SLOTS`` pass numbers), again : In(``SLOTS``), of the sequencer
    slot : In(slot), of a pass that issues; issued_pass : Out(pass number), 2 cycles later
    done : In(1), the oldest pass is written; overflow : In(1), of it
    hit : In(1), the host has written into a window
    written : Out(1), a pass is written: written_pass : Out(pass number), seen : Out(1), it
        overflowed
    flags : Out(Flag)
    """

    def __init__(self, *, passes, slots):
        self._count = check_slots(slots)
        number = unsigned(exact_log2(check_passes(passes)) + 1)
        super().__init__({
            "restart": In(1), "index": In(data.ArrayLayout(number, SLOTS)), "again": In(SLOTS),
            "slot": In(range(SLOTS)), "issued_pass": Out(number), "done": In(1),
            "overflow": In(1), "hit": In(1), "written": Out(1), "written_pass": Out(number),
            "seen": Out(1), "flags": Out(Flag)})

    def elaborate(self, platform):
        m = Module()
        place  = exact_log2(BACK_MAX + 1)  # bits of a place in a loop
        oldest = Signal(range(self._count))
        before = Signal(BACK_MAX + 1)  # whether a pass of a loop overflowed in an iteration before
        done = Signal()
        again = Signal()
        left = Signal()
        # The pass that is done next is known long before.
        coming, done_pass, known = Signal.like(self.written_pass, name="coming"), Signal.like(
            self.written_pass, name="done_pass"), Signal(name="known")
        overflow = Signal()
        hit = Signal()
        issued = Signal(range(SLOTS))
        seen = left | (again & known)
        m.d.comb += self.flags.eq(Flag.OVERFLOW.value * overflow | Flag.HOST_HIT.value * hit)
        m.d.sync += [
            issued.eq(self.slot), self.issued_pass.eq(self.index[issued]),
            coming.eq(self.index[oldest]), known.eq(before.bit_select(coming[:place], 1)),
            done.eq(self.done), done_pass.eq(coming),
            again.eq(self.again.bit_select(oldest, 1)), left.eq(self.overflow),
            self.written.eq(done), self.written_pass.eq(done_pass), self.seen.eq(seen)]
        with m.If(self.done):
            m.d.sync += oldest.eq(oldest + 1)
        with m.If(done):
            m.d.sync += overflow.eq(overflow | seen)
        with m.If(self.written):
            m.d.sync += before.bit_select(self.written_pass[:place], 1).eq(self.seen)
        with m.If(self.hit):
            m.d.sync += hit.eq(1)
        with m.If(self.restart):
            m.d.sync += [overflow.eq(0), hit.eq(0), oldest.eq(0)]
        return m
