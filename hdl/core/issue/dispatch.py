# SPDX-License-Identifier: Apache-2.0
"""Dispatch: send each loop sequencer output to the address generator and to issue."""

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.core.agu import Job
from xymac.hdl.core.loop_nest import Output
from xymac.hdl.core.step import ToIssue
from xymac.hdl.ring import Ring

__all__ = ["Dispatch"]

_SAME = tuple(name for name in ToIssue.members if name not in ("rows", "columns"))


class Dispatch(wiring.Component):
    """Send each output to the AGU and, through a queue, to issue.

    An output without taps makes no AGU job. Latency 2 cycles to issue, 0 cycles to the AGU,
    throughput 1 output in 2 cycles. Honours backpressure of both; the queue covers the AGU latency.
    Takes no parameters.

    Members
    -------
    i : In(stream of Output)
    jobs : Out(stream of Job)
    o : Out(stream of ToIssue)
    flush : In(1), empty the queue
    """

    i:     In(stream.Signature(Output))
    jobs:  Out(stream.Signature(Job))
    o:     Out(stream.Signature(ToIssue))
    flush: In(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = Ring(ToIssue)
        output, take, pop = self.i.p, Signal(name="take"), Signal(name="pop")
        # ``room`` is a cycle old, so no output is accepted right after another output.
        room, taken = Signal(name="room"), Signal(name="taken")
        m.d.sync += [room.eq(~queue.half & self.jobs.ready), taken.eq(take & ~self.flush)]
        m.d.comb += [
            self.i.ready.eq(room & ~taken), take.eq(self.i.valid & self.i.ready),
            # The outer tap loop of a slide counts columns.
            queue.i.rows.eq(output.cols), queue.i.columns.eq(output.rows),
            *(queue.i[name].eq(output[name]) for name in _SAME),
            queue.put.eq(take), queue.show.eq(taken), queue.take.eq(pop),
            queue.flush.eq(self.flush),
            self.o.p.eq(queue.o), self.o.valid.eq(queue.there & ~pop & ~self.flush)]
        # Popped a cycle late: issue takes at most an output in BANKS cycles.
        m.d.sync += pop.eq(self.o.valid & self.o.ready)
        job = self.jobs.p
        m.d.comb += [
            self.jobs.valid.eq(take & ~output.empty), Value.cast(job.start).eq(
                Cat(output.x, output.y)),
            Value.cast(job.counts).eq(Cat(output.rows, output.cols, output.count)),
            job.slot.eq(output.slot)]
        return m
