"""Dispatch: an output of the walker goes to both address generators and to issue."""

from amaranth import Module, ResetInserter, Signal, signed
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from hdl.core.agu import Job
from hdl.core.walker import Output

__all__ = ["Dispatch"]


class Dispatch(wiring.Component):
    """Hand each output to both AGUs and, through a queue, to issue, all at once.

    An output without a tap has no addresses. Latency 1 cycle to issue, 0 to the AGUs, throughput
    an output in 2 cycles. Honours backpressure of all three: the queue covers the latency of the
    AGUs. Takes no parameters.

    Members
    -------
    i : In(stream of Output); taps : In(strides of the taps in X and in Y), count : In(16), of the
        innermost, with ``i``
    x, y : Out(streams of Job)
    o : Out(stream of Output)
    flush : In(1), forget what is queued
    """

    QUEUED = 8

    i:     In(stream.Signature(Output))
    taps:  In(data.ArrayLayout(data.ArrayLayout(signed(16), 3), 2))
    count: In(16)
    x:     Out(stream.Signature(Job))
    y:     Out(stream.Signature(Job))
    o:     Out(stream.Signature(Output))
    flush: In(1)

    def elaborate(self, platform):
        m = Module()
        queue = SyncFIFOBuffered(width=Output.size, depth=self.QUEUED)
        m.submodules.queue = ResetInserter(self.flush)(queue)
        output, take, pop = self.i.p, Signal(name="take"), Signal(name="pop")
        # Judged a cycle ahead, so not in the cycle after an output was taken.
        room, taken = Signal(name="room"), Signal(name="taken")
        m.d.sync += [room.eq(queue.w_rdy & self.x.ready & self.y.ready), taken.eq(take)]
        m.d.comb += [
            self.i.ready.eq(room & ~taken), take.eq(self.i.valid & self.i.ready),
            queue.w_data.eq(output), queue.w_en.eq(take), queue.r_en.eq(pop),
            self.o.p.eq(queue.r_data), self.o.valid.eq(queue.r_rdy & ~pop & ~self.flush)]
        # Popped a cycle late: issue takes an output every BANKS cycles at most.
        m.d.sync += pop.eq(self.o.valid & self.o.ready)
        for jobs, start, taps in ((self.x, output.x, self.taps[0]),
                                  (self.y, output.y, self.taps[1])):
            m.d.comb += [jobs.valid.eq(take & ~output.empty), jobs.p.start.eq(start),
                         jobs.p.rows.eq(output.rows), jobs.p.cols.eq(output.cols),
                         jobs.p.count.eq(self.count), jobs.p.taps.eq(taps),
                         jobs.p.slot.eq(output.slot)]
        return m
