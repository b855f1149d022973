# SPDX-License-Identifier: Apache-2.0
"""Notes: numbers of the issued and the written pass, and the overflow flags."""

from amaranth import Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay, pick
from xymac.hdl.config import SLOTS
from xymac.hdl.isa import BACK_MAX, Flag
from xymac.hdl.limits import check_passes, check_slots

__all__ = ["Notes"]

_BITS = 4  # of a word of distributed memory


class Notes(wiring.Component):
    """Translate the slot of an issued or written pass to its number; keep the program flags.

    A pass in a loop counts as overflowed after an overflow in any iteration. Latency 1 cycle from
    ``done`` to ``written``, 2 cycles from ``slot`` to ``issued_pass``; throughput 1 pass in 4
    cycles, no backpressure.

    Parameters
    ----------
    passes : int, capacity of program memory, a power of two from 2 to 256
    slots : int, physical slots, 2 or 4

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    restart : In(1), clear the flags and restart with the first slot
    index : In(``SLOTS`` pass numbers), again : In(``SLOTS``), see ``Sequencer``
    slot : In(slot), the issuing pass; issued_pass : Out(pass number), 2 cycles later
    done : In(1), the oldest pass is written; overflow : In(1), it overflowed
    hit : In(1), the host has written into a window
    written : Out(1), a cycle after ``done``; written_pass : Out(pass number), its number, and
        seen : Out(1), it overflowed in this or an earlier iteration, both a cycle after ``written``
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
        oldest = Signal(range(self._count), name="oldest")
        overflow, hit = Signal(name="overflow_flag"), Signal(name="hit_flag")
        # The next pass to finish is known well ahead.
        coming = delay(m, pick(list(self.index)[:self._count], oldest), 1, name="coming")
        again  = delay(m, pick(list(self.again)[:self._count], oldest), 1, name="again")
        left   = delay(m, self.overflow, 1, name="left")
        issued = delay(m, self.slot, 1, name="issued")
        seen   = left | (again & self._remember(m, coming))
        m.d.comb += self.flags.eq(Flag.OVERFLOW.value * overflow | Flag.HOST_HIT.value * hit)
        m.d.sync += [self.issued_pass.eq(pick(self.index, issued)), self.written.eq(self.done),
                     self.seen.eq(seen)]
        with m.If(self.done):
            m.d.sync += oldest.eq(oldest + 1)
        with m.If(self.written):
            m.d.sync += overflow.eq(overflow | seen)
        with m.If(self.hit):
            m.d.sync += hit.eq(1)
        with m.If(self.restart):
            m.d.sync += [overflow.eq(0), hit.eq(0), oldest.eq(0)]
        return m

    def _remember(self, m, coming):
        """Whether the pass of the previous cycle overflowed in an earlier iteration.

        The memory has a bit for every pass in a loop, four bits a word. A write changes a single
        bit of the word read before.
        """
        m.submodules.before = memory = Memory(
            shape=_BITS, depth=(BACK_MAX + 1) // _BITS, init=[],
            attrs={"ram_style": "distributed"})
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        low  = exact_log2(_BITS)
        word = delay(m, reader.data, 1, name="word")
        m.d.comb += self.written_pass.eq(delay(m, coming, 1, name="pass"))
        place = self.written_pass[:low]
        own   = 1 << place
        m.d.comb += [
            reader.addr.eq(coming >> low), writer.addr.eq(self.written_pass >> low),
            writer.data.eq(Mux(self.seen, word | own, word & ~own)),
            writer.en.eq(delay(m, self.written, 1, name="written"))]
        return word.bit_select(place, 1)
