"""Bank of counters: what they counted last in registers, all before in distributed memory."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, pick
from hdl.carry import GatedAdd
from hdl.limits import check_between, check_one_of, check_vendor

__all__ = ["Bank"]

_WORD = 32
#: Bits of what a counter has counted since its last visit, of one that a snapshot keeps and of
#: another: so many cycles are between its visits at most.
_RECENT, _LONGER = 5, 6


class Bank(wiring.Component):
    """Count events in a few counters of 32 bits; visit one of them a cycle.

    A visit adds to the memory what the counter has counted since the visit before, and ``o`` is
    the sum. A snapshot keeps that for all counters but the last ones, and they count anew: the
    visit that ``keeps`` adds what was kept, so its sum is the value of the cycle of the snapshot.
    Latency 1 cycle, throughput 1 event of every counter and 1 visit a cycle, no backpressure: the
    visits must be near enough.

    Parameters
    ----------
    counters : int, 1, 2, 4 or 8
    recorded : int, how many of them a snapshot keeps, 1 .. counters
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    TypeError for what is no int, ValueError outside.

    Members
    -------
    events : In(counters)
    snapshot : In(1), with no visit in this cycle but one that ``keeps`` or is of a counter that
        no snapshot keeps
    anew : In(counters), which of them are visited in this cycle but for what was kept, or begin
        at 0, or are kept now
    number : In(counter), visits : In(1), keeps : In(1), fresh : In(1), it was 0 before
    o : Out(32), a cycle later
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
        """What a counter has counted since it began anew; a carry chain takes more logic."""
        value = Signal(_RECENT if index < self._kept else _LONGER, name=f"recent{index}",
                       reset_less=True)
        anew, carry = self.anew[index], self.events[index]
        following   = [Mux(anew, carry, value[0] ^ carry)]
        for place in range(1, len(value)):
            carry = carry & value[place - 1]
            following.append(~anew & (value[place] ^ carry))
        m.d.sync += value.eq(Cat(following))
        return value
