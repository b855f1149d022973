# SPDX-License-Identifier: Apache-2.0
"""Address generation: loop over the taps of an output and map both operands' addresses."""

from amaranth import Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.config import SLOTS
from xymac.hdl.isa import ADDRESS_BITS, Encoded
from xymac.hdl.limits import check_vendor
from xymac.hdl.ring import Ring

from .mapping import AddressMap, Mapped, map_config
from .taps import TapAddress, TapLoops

__all__ = ["Agu", "Job", "Tap"]

_OPERANDS = 2  # X and Y

#: The taps of an output: start addresses of X and Y, and the loop counts: rows and columns after
#: the padding clip, innermost taps.
Job = data.StructLayout({
    "start": data.ArrayLayout(signed(ADDRESS_BITS), _OPERANDS),
    "counts": data.ArrayLayout(unsigned(16), 3),
    "slot": range(SLOTS)})
#: The addresses of a tap; ``last`` marks the last tap of its job.
Tap = data.StructLayout({"x": Mapped, "y": Mapped, "last": 1})


class Agu(wiring.Component):
    """Generate the tap addresses of consecutive jobs without a gap.

    X and Y share three nested loops; each address is ``start`` plus the strides. A buffer holds the
    next job while the current job runs. A queue holds finished addresses: the loops step while it
    has room for every address in the pipeline, so the pipeline never stalls. Latency 13 cycles from
    a job to its first address, throughput 1 address a cycle and 1 job in 3 cycles, honours
    backpressure at both ends.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    coming : In(Encoded; ``last`` of Y is ``high``), a pass; loading : In(``SLOTS``), its slot;
        timing as for AddressMap and RecallParts
    flush : In(1), discard all jobs
    i : In(stream of Job); counts are at least 1
    o : Out(stream of Tap)
    """

    QUEUED = 16
    SHOWN  = 7  #: Cycles from an address to its tap in the queue.

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS), "flush": In(1),
            "i": In(stream.Signature(Job)),
            "o": Out(stream.Signature(Tap))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.loops = loops = TapLoops(vendor=self._vendor)
        job = self._wait(m, loops)
        slot, step = Signal(range(SLOTS), name="slot"), Signal(name="step")
        with m.If(loops.going.load):  # harmless without a job
            m.d.sync += slot.eq(job.slot)
        late = delay(m, slot, 1, name="slot")
        tap  = Signal(Tap)
        for index, (name, whole) in enumerate((("x", 0), ("y", 1))):
            operand = self.coming[name]
            m.submodules[f"taps_{name}"] = address = TapAddress(vendor=self._vendor)
            m.submodules[f"map_{name}"] = mapping = AddressMap(
                whole=whole, vendor=self._vendor)
            m.d.comb += [
                address.strides.eq(operand.taps), address.loading.eq(self.loading),
                address.start.eq(job.start[index]), address.slot.eq(slot),
                address.going.eq(loops.going),
                Value.cast(mapping.config).eq(map_config(operand.agu, operand.last)),
                mapping.loading.eq(self.loading),
                mapping.relative.eq(address.o), mapping.slot.eq(late), tap[name].eq(mapping.o)]
        m.d.comb += [tap.last.eq(delay(m, loops.over, 1 + AddressMap.LATENCY, name="last")),
                     step.eq(loops.step & ~self.flush)]
        valid = [step]
        for stage in range(1 + self.SHOWN):
            valid.append(Signal(name=f"valid{stage}"))
            m.d.sync += valid[-1].eq(valid[-2] & ~self.flush)
        self._queue(m, tap, valid[1 + AddressMap.LATENCY], valid[-1])
        m.d.comb += loops.room.eq(self._room(m, loops.step))
        return m

    def _wait(self, m, loops):
        """Hold a job until the loops take it; returns the job."""
        job = Signal(Job, name="job")
        waiting, arrived = Signal(name="waiting"), Signal(name="arrived")
        m.d.comb += [self.i.ready.eq(~waiting & ~arrived), loops.waiting.eq(waiting),
                     loops.counts.eq(job.counts), loops.flush.eq(self.flush)]
        m.d.sync += arrived.eq(self.i.valid & self.i.ready)
        with m.If(self.i.ready):
            m.d.sync += job.eq(self.i.p)
        with m.If(arrived):
            m.d.sync += waiting.eq(1)
        with m.Elif(loops.take):
            m.d.sync += waiting.eq(0)
        with m.If(self.flush):
            m.d.sync += [arrived.eq(0), waiting.eq(0)]
        return job

    def _queue(self, m, tap, put, show):
        """Queue taps for ``o``; an output register holds the oldest tap."""
        m.submodules.queue = queue = Ring(Tap)
        free = ~self.o.valid | self.o.ready
        m.d.comb += [queue.i.eq(tap), queue.put.eq(put), queue.show.eq(show),
                     queue.flush.eq(self.flush), queue.take.eq(queue.there & free)]
        with m.If(free):
            m.d.sync += [self.o.valid.eq(queue.there), self.o.p.eq(queue.o)]
        with m.If(self.flush):
            m.d.sync += self.o.valid.eq(0)

    def _room(self, m, step):
        """Whether the queue has room for another tap, counting the taps in the pipeline."""
        free  = Signal(range(self.QUEUED + 1), init=self.QUEUED)
        room  = Signal(init=1)
        taken = Signal()
        after = Signal.like(free)
        m.d.comb += after.eq(Mux(self.flush, self.QUEUED, free - step + taken))
        m.d.sync += [taken.eq(self.o.valid & self.o.ready & ~self.flush),
                     free.eq(after), room.eq(after != 0)]
        return room
