# SPDX-License-Identifier: Apache-2.0
"""Write-back: addresses of Z, the write port of X and Y, and the outputs in flight."""

from amaranth import Cat, Module, Mux, Signal, Value, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.carry import SelectAdd
from xymac.hdl.config import SLOTS
from xymac.hdl.isa import (
    ADDRESS_BITS,
    BANKS,
    Encoded,
    Memory,
    Op,
    Reduce,
    Table,
    reduce_of,
    table_of,
)
from xymac.hdl.limits import check_between, check_vendor, check_ways
from xymac.hdl.ring import Ring

from .agu import AddressMap, MapConfig, map_config
from .apart import WideWrite, copy_place, foresee, write_apart
from .output import OutputStage
from .recall import recall
from .step import ToDrain
from .xmem import Write

__all__ = ["HostWrite", "WideWrite", "Writeback"]

#: Pass fields; ``stride`` is the distance between consecutive vectors of an output. ``folds``: the
#: pass reduces its results to scalars; ``looks``: it uses a table.
_Config = data.StructLayout({
    "map": MapConfig, "memory": Memory, "wide": 1, "stride": signed(16), "hold": 1, "looks": 1,
    "folds": 1})
#: Host write of a 16-bit word; ``row`` is a row of X or Y, ``way`` selects the word within Y.
HostWrite = data.StructLayout({
    "y": 1, "row": unsigned(12), "way": unsigned(2), "lane": unsigned(4), "bytes": unsigned(2),
    "data": 16})
#: A pushed output. ``short``: it takes the bypass; ``sooner``: its last vector goes to Y, which
#: steps read later than X.
_Pushed   = data.StructLayout({"drain": ToDrain, "short": 1, "sooner": 1})
_Arriving = data.StructLayout({"beats": unsigned(3), "last": 1, "short": 1, "sooner": 1})
_Placed   = data.StructLayout({"relative": signed(ADDRESS_BITS), "slot": range(SLOTS),
                               "beats": unsigned(3), "last": 1, "short": 1})
#: A vector of results. ``keep``: written or saved; ``whole``: the output's last such vector;
#: ``end``: the output's last bank; ``last``: the output is the last of its pass.
_Group = data.StructLayout({"keep": 1, "whole": 1, "end": 1, "last": 1, "short": 1,
                            "slot": range(SLOTS)})
#: Events: an output ``finished``; an output with the long latency finished (``looked``); an
#: output is ``written``.
_Gone = data.StructLayout({"finished": 1, "looked": 1, "written": 1})


class Writeback(wiring.Component):
    """Write every result vector to its address; host writes use the free cycles.

    ``arrives`` marks the banks of an output, in consecutive cycles, a cycle before the first column
    delivers them. ``write`` is valid ``OutputStage.LATENCY + 1`` cycles later, with the first
    column's element; a host write waits for a cycle without a vector. An output without a table is
    ``short`` if no longer output is in flight: it is written ``OutputStage.SOONER`` cycles sooner,
    and all writes stay in order. A write outside the window, and every write after it, is dropped
    until ``clear``. Latency from ``arrives`` to ``write`` as above, throughput 1 vector per cycle.
    Outputs have no backpressure, because their accumulators arrive on time; host writes have
    backpressure.

    Parameters
    ----------
    ways : int, columns: 1, 2 or 4; TypeError unless an int, ValueError otherwise
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise
    dma : int, 1 for the members ``wide``, ``write_y`` and ``data_y``; 0 omits them

    Members
    -------
    coming : In(Encoded), loading : In(``SLOTS``), a pass and the slot that stores it in this cycle
    i : In(stream of ToDrain), pushed at an output's last step, at least 4 cycles before its first
        accumulator arrives; at most ``DEPTH`` in flight
    arrives : In(1)
    keep : Out(1), the delivered accumulator is written or saved; short : Out(1), of its output
    last : Out(1), its output is the last of its pass
    soon : Out(1), the first accumulator of an output is delivered in the next cycle
    wide : In(stream of WideWrite), goes before a host write; write_y, data_y : Out, the write port
        of Y, while ``write`` and ``data`` are that of X
    host : In(stream of HostWrite)
    elements : In(``ways`` 16-bit words), from the output stages; column ``c`` is ``c`` cycles late
    overflow : In(``ways``), with ``elements``
    write : Out(Write), data : Out(``ways`` 16-bit words)
    written : Out(1), a result vector is written in the next cycle; written_slot : Out(slot)
    written_final : Out(1), it is the last vector of its pass
    folding : In(1), the reduction works on a written vector
    in_flight : Out(1), an issued output is not finished, or ``folding``
    unwritten : Out(1), one is still to be written, or ``folding``; low only if a read may follow
    done : Out(1), the last result of a pass is written; overflow_seen : Out(1), of this pass
    z_fault : Out(1), z_slot : Out(slot)
    clear : In(1), clear the fault and its pass's overflow
    """

    Y_SOONER = 6  #: Cycles by which a step reads Y later than X, and later than a write to Y.
    DEPTH = Ring.DEPTH  #: Outputs in flight at most.
    _WAIT = OutputStage.LATENCY - OutputStage.SOONER - AddressMap.LATENCY - 2  # cycles to address
    _READ = Y_SOONER - AddressMap.LATENCY - 2  # part of ``_WAIT`` after a read of Y is allowed

    def __init__(self, *, ways, vendor=None, dma=0):
        self._ways, self._vendor = check_ways(ways), check_vendor(vendor)
        self._dma = check_between("Dma", dma, 0, 1)
        columns = data.ArrayLayout(16, ways)
        wide    = {"wide": In(stream.Signature(WideWrite(ways))), "write_y": Out(Write(ways)),
                   "data_y": Out(columns)} if dma else {}
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS),
            "i": In(stream.Signature(ToDrain, always_ready=True)),
            "arrives": In(1), "keep": Out(1), "short": Out(1), "last": Out(1), "soon": Out(1),
            "host": In(stream.Signature(HostWrite)),
            "elements": In(columns), "overflow": In(ways),
            "write": Out(Write(ways)), "data": Out(columns),
            "written": Out(1), "written_slot": Out(range(SLOTS)), "written_final": Out(1),
            "folding": In(1), "in_flight": Out(1), "unwritten": Out(1), "done": Out(1),
            "overflow_seen": Out(1), "z_fault": Out(1), "z_slot": Out(range(SLOTS)),
            "clear": In(1)} | wide)

    def elaborate(self, platform):
        m = Module()
        gone, sooner = Signal(_Gone, name="gone"), Signal(name="sooner")
        coming = self._config(m), self.loading
        output, pushed = self._push(m, coming, gone, sooner)
        go = self._arrive(m, output, pushed, sooner)
        group, mapped, soon = self._place(m, coming, output, pushed, go)
        config = recall(m, *coming, group.slot, "memory", "wide", "hold", "folds", name="mapped")
        self._write(m, group, mapped, config, soon)
        self._finish(m, group, mapped, config, gone)
        return m

    def _config(self, m):
        """Fields of the pass being loaded."""
        pass_, config = self.coming, Signal(_Config, name="config")
        m.d.comb += [
            Value.cast(config.map).eq(map_config(pass_.z, pass_.z.high)),
            config.stride.eq(Mux(pass_.op == Op.SPREAD, pass_.z.outer[0], 1)),
            config.memory.eq(pass_.z_memory), config.wide.eq(pass_.z_width),
            config.hold.eq(pass_.hold), config.folds.eq(reduce_of(pass_) != Reduce.NONE),
            config.looks.eq(table_of(pass_) != Table.NONE)]
        return config

    def _push(self, m, coming, gone, sooner):
        """Count outputs in flight; returns the pushed output with its marks, and a strobe."""
        output = Signal(_Pushed, name="output")
        pushed, writing = Signal(name="pushed"), Signal(name="writing")
        longs, issued, awaited = (Signal(name=name) for name in ("longs", "issued", "awaited"))
        config = recall(m, *coming, self.i.p.slot, "looks", "memory", "folds", name="coming")
        writes = self.i.valid & ~self.i.p.hold
        m.d.sync += [
            pushed.eq(self.i.valid), writing.eq(writes), output.drain.eq(self.i.p),
            # Pushes are at least ``BANKS`` cycles apart, so ``longs`` is up to date.
            output.short.eq(~config.looks & ~longs),
            output.sooner.eq((config.memory == Memory.Y) & ~config.folds & ~self.i.p.hold),
            longs.eq(_count(m, "long", pushed & ~output.short, gone.looked)),
            issued.eq(self.i.valid | _count(m, "output", pushed, gone.finished)),
            awaited.eq(writes | _count(m, "write", writing, gone.written, sooner))]
        m.d.comb += [self.in_flight.eq(issued | self.folding),
                     self.unwritten.eq(awaited | self.folding)]
        return output, pushed

    def _arrive(self, m, output, pushed, sooner):
        """Mark arriving banks; returns a strobe for the address of each vector.

        Delay lines hold the strobe, which is 1 bit wide, rather than the address.
        """
        m.submodules.arriving = ring = Ring(_Arriving)
        head, beat = Signal(_Arriving, name="head"), Signal(range(BANKS), name="beat")
        arrived = Signal(name="arrived")
        m.d.comb += [
            *(ring.i[name].eq(output.drain[name]) for name in ("beats", "last")),
            ring.i.short.eq(output.short), ring.i.sooner.eq(output.sooner), ring.put.eq(pushed),
            ring.take.eq(arrived & (beat == BANKS - 2)),  # the banks arrive without a gap
            self.short.eq(head.short), self.last.eq(head.last),
            self.soon.eq(self.arrives & (~arrived | (beat == BANKS - 1))),
            self.keep.eq(arrived & (beat < head.beats))]
        m.d.sync += [head.eq(ring.o), arrived.eq(self.arrives)]
        with m.If(arrived):
            m.d.sync += beat.eq(beat + 1)
        marks = Cat(arrived, arrived & head.sooner & (beat + 1 == head.beats))
        long  = delay(m, Mux(head.short, 0, marks), OutputStage.SOONER, name="long")
        near  = delay(m, long | Mux(head.short, marks, 0), self._WAIT - self._READ, name="near")
        m.d.comb += sooner.eq(near[1])
        return delay(m, near[0], self._READ, name="go")

    def _place(self, m, coming, output, pushed, go):
        """Address every vector; returns its marks, its mapped address, and a DMA's ``foresee``."""
        m.submodules.placed = ring = Ring(_Placed)
        m.submodules.map = mapping = AddressMap(whole=1, vendor=self._vendor)
        m.submodules.step = step = SelectAdd(width=ADDRESS_BITS, vendor=self._vendor)
        beat, head = Signal(2, name="place"), ring.o
        relative   = Signal(signed(ADDRESS_BITS), name="relative")
        group      = Signal(_Group, name="group")
        config     = recall(m, *coming, head.slot, "stride", name="placing")
        m.d.comb += [
            *(ring.i[name].eq(output.drain[name])
              for name in ("relative", "slot", "beats", "last")),
            ring.i.short.eq(output.short), ring.put.eq(pushed),
            ring.take.eq(go & (beat == BANKS - 1)),
            step.term.eq(Mux(beat == 0, 0, config.stride)), step.high.eq(head.relative),
            step.low.eq(relative), step.select.eq((beat == 0).replicate(ADDRESS_BITS)),
            mapping.config.eq(coming[0].map), mapping.loading.eq(self.loading),
            mapping.relative.eq(relative), mapping.slot.eq(group.slot)]
        with m.If(go):
            m.d.sync += [beat.eq(beat + 1), relative.eq(step.o)]
        m.d.sync += [
            group.keep.eq(go & (beat < head.beats)), group.whole.eq(go & (beat + 1 == head.beats)),
            group.end.eq(ring.take), group.last.eq(head.last), group.short.eq(head.short),
            group.slot.eq(head.slot)]
        soon = foresee(m, coming, group, AddressMap.LATENCY - 1) if self._dma else None
        return delay(m, group, AddressMap.LATENCY, name="mapped"), mapping.o, soon

    def _write(self, m, group, mapped, config, soon):
        """Drive the write port from the vector's address, or from a host write in a free cycle."""
        index  = mapped.address[2:]
        of_row = Signal(15)
        result = Signal()
        offered, host = self._offer(m)
        free = offered & ~group.keep & (~self.wide.valid if self._dma else 1)
        m.d.comb += [
            of_row.eq(Mux(config.memory == Memory.Y, index >> exact_log2(self._ways), index)),
            result.eq(group.keep & ~config.hold & ~mapped.bad & ~self.z_fault),
            self.host.ready.eq(free), self.written.eq(result), self.written_slot.eq(group.slot),
            self.written_final.eq(group.whole & group.last)]
        if self._dma:
            write_apart(m, self, soon, result, config.memory == Memory.Y, free, host,
                        lambda write: self._result(write, config, index, of_row, mapped))
            return
        write = self.write
        m.d.sync += write.host.eq(~result)
        with m.If(result):
            m.d.sync += [
                write.x.eq(config.memory == Memory.X), write.y.eq(config.memory == Memory.Y),
                *self._result(write, config, index, of_row, mapped)]
        with m.Else():
            m.d.sync += [write.x.eq(host.x & free), write.y.eq(host.y & free),
                         *copy_place(write, host)]
        cell = delay(m, self.host.p.data, 2, name="cell")
        from_host = write.host
        for column in range(self._ways):
            m.d.comb += self.data[column].eq(Mux(from_host, cell, self.elements[column]))
            cell = delay(m, cell, 1, name=f"cell{column}")
            from_host = delay(m, from_host, 1, name=f"from_host{column}")

    def _result(self, write, config, index, of_row, mapped):
        """Statements that fill in the place of a result."""
        bits = exact_log2(self._ways)
        return [write.row.eq(Mux(config.wide, of_row, of_row >> 1)),
                write.bytes.eq(Mux(config.wide, 0b11, Mux(of_row[0], 0b10, 0b01))),
                write.way.eq(1 << index[:bits]), write.bank.eq(1 << mapped.address[:2]),
                write.column.eq(~0)]

    def _offer(self, m):
        """Decode the host write, a cycle after it is offered; it stays valid until accepted."""
        bits    = exact_log2(self._ways)
        offered = Signal()
        host    = Signal(Write(self._ways))
        request = self.host.p
        m.d.sync += [
            offered.eq(self.host.valid & ~self.host.ready),
            host.x.eq(~request.y), host.y.eq(request.y),
            host.row.eq(request.row), host.bytes.eq(request.bytes),
            host.way.eq(1 << request.way[:bits]),
            host.bank.eq(1 << request.lane[bits:]), host.column.eq(1 << request.lane[:bits])]
        return offered, host

    def _finish(self, m, group, mapped, config, gone):
        """Collect faults and overflow; report finished outputs and written passes."""
        astray = group.keep & mapped.bad
        with m.If(self.clear):
            m.d.sync += self.z_fault.eq(0)
        with m.Elif(astray & ~self.z_fault):
            m.d.sync += [self.z_fault.eq(1), self.z_slot.eq(group.slot)]
        # A faulty pass is never done.
        last = delay(m, group.end & group.last & ~self.z_fault & ~astray, self._ways, name="last")
        seen = self.overflow[0]
        for column in range(1, self._ways):
            seen = delay(m, seen, 1, name=f"seen{column}") | self.overflow[column]
        sticky = Signal()
        sooner = (config.memory == Memory.Y) & ~config.folds
        # A step issued in the cycle after ``unwritten`` falls reads X just after its last write.
        # A running reduction raises ``busy`` a cycle after its last vector is written.
        m.d.sync += [
            gone.finished.eq(group.end), gone.looked.eq(group.end & ~group.short),
            gone.written.eq(group.whole & ~config.hold & ~sooner),
            sticky.eq(Mux(last | self.clear, 0, sticky | seen)),
            self.done.eq(last), self.overflow_seen.eq(sticky | seen)]


def _count(m, name, more, *less):
    """Whether the count of ``more`` minus ``less`` events is nonzero after this cycle."""
    count, after = (Signal(range(Ring.DEPTH + 1), name=f"{name}{end}") for end in ("s", "s_left"))
    m.d.comb += after.eq(count + more - sum(less))
    m.d.sync += count.eq(after)
    return after != 0
