"""Address generation: the tap loops of an output, and both operands' mapping into a window."""

from amaranth import Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay
from hdl.config import SLOTS
from hdl.isa import ADDRESS_BITS
from hdl.limits import check_vendor
from hdl.ring import Ring

from .mapping import AddressMap, MapConfig, Mapped
from .taps import TapAddress, TapLoops

__all__ = ["Agu", "AguConfig", "Job", "Tap"]

_OPERANDS = 2  # X and Y

#: What the block needs of a pass for X and for Y: the map, the strides of the taps.
AguConfig = data.ArrayLayout(data.StructLayout({
    "map": MapConfig, "taps": data.ArrayLayout(signed(16), 3)}), _OPERANDS)
#: The taps of one output: where they start, how many rows and columns the border leaves, and how
#: many there are innermost.
Job = data.StructLayout({
    "start": data.ArrayLayout(signed(ADDRESS_BITS), _OPERANDS),
    "counts": data.ArrayLayout(unsigned(16), 3),
    "slot": range(SLOTS)})
#: The addresses of a tap; whether it is the last of its job.
Tap = data.StructLayout({"x": Mapped, "y": Mapped, "last": 1})


class Agu(wiring.Component):
    """Walk the taps of one output after another without a gap.

    Three nested loops, ``start`` plus the strides, the same loops for X and Y. A job waits in a
    buffer while the one before it runs. Addresses wait in a queue, so that nothing before it ever
    stalls: the loops step while fewer than ``QUEUED`` are behind them. Latency from job to first
    address 13 cycles, throughput 1 address a cycle and a job in 3 cycles, honours backpressure
    at both ends.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    config : In(AguConfig; ``last`` of Y is ``high``), loading : In(``SLOTS``), a pass and the slot
        that takes it, as AddressMap and RecallParts need them
    flush : In(1), forget all jobs
    i : In(stream of Job); counts are at least 1
    o : Out(stream of Tap)
    """

    QUEUED = 16
    SHOWN  = 7  #: Cycles from an address to its tap in the queue.

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({
            "config": In(AguConfig), "loading": In(SLOTS),
            "flush": In(1),
            "i": In(stream.Signature(Job)),
            "o": Out(stream.Signature(Tap))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.loops = loops = TapLoops(vendor=self._vendor)
        job = self._wait(m, loops)
        slot, step = Signal(range(SLOTS), name="slot"), Signal(name="step")
        with m.If(loops.going.load):  # to no effect while there is no job
            m.d.sync += slot.eq(job.slot)
        late = delay(m, slot, 1, name="slot")
        tap  = Signal(Tap)
        for index, (name, whole) in enumerate((("x", 0), ("y", 1))):
            m.submodules[f"taps_{name}"] = address = TapAddress(vendor=self._vendor)
            m.submodules[f"map_{name}"] = mapping = AddressMap(
                whole=whole, vendor=self._vendor)
            m.d.comb += [
                address.strides.eq(self.config[index].taps), address.loading.eq(self.loading),
                address.start.eq(job.start[index]), address.slot.eq(slot),
                address.going.eq(loops.going),
                mapping.config.eq(self.config[index].map), mapping.loading.eq(self.loading),
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
        """Keep a job until it is taken."""
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
        """Keep taps until they are taken, the oldest in a register."""
        m.submodules.queue = queue = Ring(Tap)
        free = ~self.o.valid | self.o.ready
        m.d.comb += [queue.i.eq(tap), queue.put.eq(put), queue.show.eq(show),
                     queue.flush.eq(self.flush), queue.take.eq(queue.there & free)]
        with m.If(free):
            m.d.sync += [self.o.valid.eq(queue.there), self.o.p.eq(queue.o)]
        with m.If(self.flush):
            m.d.sync += self.o.valid.eq(0)

    def _room(self, m, step):
        """Whether one more tap may set out: all behind it find a place in the queue."""
        free  = Signal(range(self.QUEUED + 1), init=self.QUEUED)
        room  = Signal(init=1)
        taken = Signal()
        after = Signal.like(free)
        m.d.comb += after.eq(Mux(self.flush, self.QUEUED, free - step + taken))
        m.d.sync += [taken.eq(self.o.valid & self.o.ready & ~self.flush),
                     free.eq(after), room.eq(after != 0)]
        return room
