# SPDX-License-Identifier: Apache-2.0
"""Counter bank: recent counts in registers, totals in distributed memory."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay, pick
from xymac.hdl.carry import GatedAdd
from xymac.hdl.limits import check_between, check_one_of, check_vendor

__all__ = ["Bank"]

_WORD = 32
#: Width of a recent count, with and without snapshots; the visits of a counter must be close
#: enough for this width.
_RECENT, _LONGER = 5, 6


class Bank(wiring.Component):
    """Count events in up to eight 32-bit counters, and visit a counter a cycle.

    A visit adds the recent count, the events since the previous visit, to the total in memory;
    ``o`` is the new total. A snapshot copies the recent counts of the first ``recorded`` counters
    and restarts them. A visit with ``keeps`` adds the copy instead, so ``o`` is the total at the
    snapshot. Latency 1 cycle, throughput 1 event of every counter and 1 visit a cycle, no
    backpressure: visits must come before a recent count overflows.

    Parameters
    ----------
    counters : int, 1, 2, 4 or 8
    recorded : int, counters with a snapshot copy, 1 .. counters
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    TypeError unless an int, ValueError outside the range.

    Members
    -------
    events : In(counters), a bit per counter
    snapshot : In(1); in this cycle only a visit with ``keeps``, or to a counter without a copy, is
        allowed
    anew : In(counters), restart the recent count: the counter is visited without ``keeps``,
        cleared, or copied in this cycle
    visits : In(1), visit counter ``number`` : In(counter); keeps : In(1), add its copy; fresh :
        In(1), start its total from 0
    o : Out(32), the new total, a cycle later
    """

    def __init__(self, *, counters, recorded, vendor=None):
        self._count  = check_one_of("Counters", counters, (1, 2, 4, 8))
        self._kept   = check_between("Recorded", recorded, 1, counters)
        self._vendor = check_vendor(vendor)
        super().__init__({
            "events": In(counters), "snapshot": In(1), "anew": In(counters),
            "number": In(range(counters)), "visits": In(1), "keeps": In(1), "fresh": In(1),
            "o": Out(_WORD)})

    def elaborate(self, platform):
        m = Module()
        recent = [self._count_recent(m, index) for index in range(self._count)]
        kept   = [Signal(_RECENT, name=f"kept{index}", reset_less=True)
                  for index in range(self._kept)]
        with m.If(self.snapshot):
            m.d.sync += [keep.eq(value) for keep, value in zip(kept, recent, strict=False)]
        kept += [Const(0)] * (self._count - self._kept)
        m.submodules.memory = memory = Memory(
            shape=_WORD, depth=self._count, init=[], attrs={"ram_style": "distributed"})
        m.submodules.add = add = GatedAdd(width=_WORD, vendor=self._vendor)
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        m.d.comb += [
            reader.addr.eq(self.number), writer.addr.eq(self.number), writer.en.eq(self.visits),
            add.term.eq(Mux(self.keeps, pick(kept, self.number), pick(recent, self.number))),
            add.acc.eq(reader.data), add.going.eq((~self.fresh).replicate(_WORD)),
            writer.data.eq(add.o)]
        m.d.comb += self.o.eq(delay(m, add.o, 1, name="sum"))
        return m

    def _count_recent(self, m, index):
        """Recent count of a counter; plain gates take less logic than a carry chain."""
        value = Signal(_RECENT if index < self._kept else _LONGER, name=f"recent{index}",
                       reset_less=True)
        anew, carry = self.anew[index], self.events[index]
        following   = [Mux(anew, carry, value[0] ^ carry)]
        for place in range(1, len(value)):
            carry = carry & value[place - 1]
            following.append(~anew & (value[place] ^ carry))
        m.d.sync += value.eq(Cat(following))
        return value
