# SPDX-License-Identifier: Apache-2.0
"""Queue: occupied slots, from fetch to the last written result."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.config import SLOTS
from xymac.hdl.core.loop_nest import LoopSlots
from xymac.hdl.core.step import Stall
from xymac.hdl.limits import check_slots

__all__ = ["Queue"]


class Queue(wiring.Component):
    """Launch checked passes on the loop sequencer in order, and free their slots in order.

    Readiness of the next pass is determined a cycle ahead; ``live`` follows a launch by a cycle.
    Latency 1 cycle from ``judged`` to ``launch``, throughput 1 pass in 2 cycles; honours
    backpressure by ``walking``.

    Parameters
    ----------
    slots : int, physical slots, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    start : In(1); flush : In(1), free all slots
    claim : In(a bit a slot), a load begins; judged : In(a bit a slot), the pass is valid
    full : Out(a bit a slot), from ``claim`` until the pass is written
    launch : Out(1), start a pass; loop_slots : Out(LoopSlots), its slot; walking : In(1), the loop
        sequencer is busy
    live : Out(``SLOTS``), launched and not written; oldest : Out(slot), the oldest pass; done :
        In(1), it is written
    waiting : Out(1), a checked pass is not launched yet; last : In(1), no further pass follows
    starved : Out(Stall), the stall cause while issue has no output
    """

    def __init__(self, *, slots):
        self._count = check_slots(slots)
        super().__init__({
            "start": In(1), "flush": In(1), "claim": In(slots), "judged": In(slots),
            "full": Out(slots), "launch": Out(1), "loop_slots": Out(LoopSlots), "walking": In(1),
            "live": Out(SLOTS), "done": In(1), "oldest": Out(range(slots)), "waiting": Out(1),
            "last": In(1), "starved": Out(Stall)})

    def elaborate(self, platform):
        m = Module()
        ready = Signal(self._count)  # checked, not launched
        launched = Signal()
        ahead = Signal()
        next_walk = Signal(range(self._count))
        # Each copy counts separately, so synthesis cannot merge them into a high fan-out net.
        walks = [Signal(range(self._count), name=f"walk{part}")
                 for part in range(len(self.loop_slots))]
        walk  = walks[0]
        m.d.comb += [
            *(copy.eq(each) for copy, each in zip(self.loop_slots, walks, strict=True)),
            next_walk.eq(walk + (launched & ~self.walking)), self.waiting.eq(ready.any()),
            self.launch.eq(ahead & ~self.walking & ~launched & ~self.flush)]
        m.d.sync += [
            ready.eq(ready | self.judged), self.full.eq(self.full | self.claim),
            ahead.eq((ready | self.judged).bit_select(next_walk, 1)),
            self.starved.eq(Mux(self.walking | launched, Stall.X,
                                Mux(self.last & ~self.waiting, Stall.DRAIN, Stall.FETCH)))]
        with m.If(launched):
            m.d.sync += [ready.bit_select(walk, 1).eq(0), self.live.bit_select(walk, 1).eq(1)]
        with m.If(self.launch):
            m.d.sync += launched.eq(1)
        with m.Elif(launched & ~self.walking):
            m.d.sync += [launched.eq(0), *(each.eq(each + 1) for each in walks)]
        with m.If(self.done):
            m.d.sync += [self.oldest.eq(self.oldest + 1),
                         self.full.bit_select(self.oldest, 1).eq(0),
                         self.live.bit_select(self.oldest, 1).eq(0)]
        with m.If(self.start | self.flush):
            m.d.sync += [launched.eq(0), ahead.eq(0), self.oldest.eq(0),
                         *(each.eq(0) for each in walks),
                         self.full.eq(0), ready.eq(0), self.live.eq(0)]
        with m.If(self.start):
            m.d.sync += self.starved.eq(Stall.FETCH)
        return m
