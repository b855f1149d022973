"""Write-back: the addresses of Z, the write port of X and Y, and what is still in flight."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay
from hdl.carry import SelectAdd
from hdl.config import SLOTS
from hdl.isa import ADDRESS_BITS, BANKS, Memory
from hdl.limits import check_vendor, check_ways
from hdl.ring import Ring

from .agu import AddressMap, MapConfig
from .output import OutputStage
from .recall import recall
from .step import ToDrain
from .xmem import Write

__all__ = ["HostWrite", "Writeback", "ZConfig"]

#: What the block needs of a pass; ``stride`` goes from one beat of an output to the next. A pass
#: that ``folds`` makes scalars of what it writes.
ZConfig = data.StructLayout({
    "map": MapConfig, "memory": Memory, "wide": 1, "stride": signed(16), "hold": 1, "looks": 1,
    "folds": 1})
#: A write of the host to one cell; ``row`` counts rows of X or of Y, ``way`` selects within Y.
HostWrite = data.StructLayout({
    "y": 1, "row": unsigned(12), "way": unsigned(2), "lane": unsigned(4), "bytes": unsigned(2),
    "data": 16})
#: An output that is pushed, and what its pass says: it is ``short``; its last group goes to Y
#: (``sooner``), where it may be read sooner.
_Pushed   = data.StructLayout({"drain": ToDrain, "short": 1, "sooner": 1})
_Arriving = data.StructLayout({"beats": unsigned(3), "last": 1, "short": 1, "sooner": 1})
_Placed   = data.StructLayout({"relative": signed(ADDRESS_BITS), "slot": range(SLOTS),
                               "beats": unsigned(3), "last": 1, "short": 1})
#: A group: to be written or held (``keep``), the last of these (``whole``), the ``end`` of its
#: output, which is the ``last`` of its pass.
_Group = data.StructLayout({"keep": 1, "whole": 1, "end": 1, "last": 1, "short": 1,
                            "slot": range(SLOTS)})
#: An output is finished, one that looked up; one is written.
_Gone = data.StructLayout({"finished": 1, "looked": 1, "written": 1})


class Writeback(wiring.Component):
    """Give every group of results its address and write it; let host writes into free cycles.

    ``arrived`` marks the banks of an output, one a cycle without a gap, as the first column
    delivers them. ``write`` stands ``OutputStage.LATENCY`` cycles later, when the first column's
    element does; a host write waits for a cycle without results. An output whose pass looks nothing
    up is ``short`` if no other output is in flight that is not: so all are written in order, and it
    ``OutputStage.SOONER`` cycles sooner. A write outside the window is dropped and so is everything
    after it, until ``flush``. That is its latency; throughput 1 group a cycle. No backpressure on
    outputs, for their sums come in time; the host's is its stream's.

    Parameters
    ----------
    ways : int, columns: 1, 2 or 4; TypeError for what is no int, ValueError otherwise
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    config : In(ZConfig), loading : In(``SLOTS``), a pass and the slot that takes it in this cycle
    i : In(stream of ToDrain), pushed when the last step of an output is issued, at least 4 cycles
        before its sum arrives, and no more than ``DEPTH`` in flight
    arrived : In(1)
    keep : Out(1), the arriving sum is written; short : Out(1), of its output; first : Out(1), it is
        the output's first sum, last : Out(1), and the output the last of its pass
    host : In(stream of HostWrite)
    elements : In(``ways`` of 16), from the output stages, column ``c`` ``c`` cycles late
    overflow : In(``ways``), likewise
    write : Out(Write), data : Out(``ways`` of 16)
    written : Out(1), a group of results is written in the next cycle; written_slot : Out(slot), of
        its pass; written_final : Out(1), it is the last of its pass
    in_flight : Out(1), something issued is not finished; unwritten : Out(1), it will be written.
        Low only when a read may follow
    done : Out(1), the last result of a pass is written; overflow_seen : Out(1) of that pass
    fault : Out(1), fault_slot : Out(slot)
    flush : In(1), forget the fault and the overflow of its pass
    """

    Y_SOONER = 6  #: Cycles that a step reads Y later than X, and than Y is written.
    DEPTH = Ring.DEPTH  #: Outputs in flight at most.
    _WAIT = OutputStage.LATENCY - OutputStage.SOONER - AddressMap.LATENCY - 2  # for an address
    _READ = Y_SOONER - AddressMap.LATENCY - 2  # of these, after Y may be read

    def __init__(self, *, ways, vendor=None):
        self._ways, self._vendor = check_ways(ways), check_vendor(vendor)
        columns = data.ArrayLayout(16, ways)
        super().__init__({
            "config": In(ZConfig), "loading": In(SLOTS),
            "i": In(stream.Signature(ToDrain, always_ready=True)),
            "arrived": In(1), "keep": Out(1), "short": Out(1), "first": Out(1), "last": Out(1),
            "host": In(stream.Signature(HostWrite)),
            "elements": In(columns), "overflow": In(ways),
            "write": Out(Write(ways)), "data": Out(columns),
            "written": Out(1), "written_slot": Out(range(SLOTS)), "written_final": Out(1),
            "in_flight": Out(1), "unwritten": Out(1), "done": Out(1), "overflow_seen": Out(1),
            "fault": Out(1), "fault_slot": Out(range(SLOTS)), "flush": In(1)})

    def elaborate(self, platform):
        m = Module()
        gone, sooner = Signal(_Gone, name="gone"), Signal(name="sooner")
        output, pushed = self._push(m, gone, sooner)
        go = self._arrive(m, output, pushed, sooner)
        group, mapped = self._place(m, output, pushed, go)
        config = recall(m, self, group.slot, "memory", "wide", "hold", "folds", name="mapped")
        self._write(m, group, mapped, config)
        self._finish(m, group, mapped, config, gone)
        return m

    def _push(self, m, gone, sooner):
        """Count what is in flight; returns an output with what its pass says, and a mark."""
        output = Signal(_Pushed, name="output")
        pushed, writing = Signal(name="pushed"), Signal(name="writing")
        longs = Signal(name="longs")
        config = recall(m, self, self.i.p.slot, "looks", "memory", "folds", name="coming")
        writes = self.i.valid & ~self.i.p.hold
        m.d.sync += [
            pushed.eq(self.i.valid), writing.eq(writes), output.drain.eq(self.i.p),
            # Two outputs are pushed at least ``BANKS`` cycles apart, so longs is right.
            output.short.eq(~config.looks & ~longs),
            output.sooner.eq((config.memory == Memory.Y) & ~config.folds & ~self.i.p.hold),
            longs.eq(_count(m, "long", pushed & ~output.short, gone.looked)),
            self.in_flight.eq(self.i.valid | _count(m, "output", pushed, gone.finished)),
            self.unwritten.eq(writes | _count(m, "write", writing, gone.written, sooner))]
        return output, pushed

    def _arrive(self, m, output, pushed, sooner):
        """Judge the banks of an output that arrive; returns a mark for the address of each.

        A mark waits where it takes a bit, rather than the address.
        """
        m.submodules.arriving = ring = Ring(_Arriving)
        head, beat = Signal(_Arriving, name="head"), Signal(2, name="beat")
        m.d.comb += [
            *(ring.i[name].eq(output.drain[name]) for name in ("beats", "last")),
            ring.i.short.eq(output.short), ring.i.sooner.eq(output.sooner), ring.put.eq(pushed),
            ring.take.eq(self.arrived & (beat == BANKS - 2)),  # the banks come without a gap
            self.short.eq(head.short), self.last.eq(head.last),
            self.first.eq(self.arrived & (beat == 0)),
            self.keep.eq(self.arrived & (beat < head.beats))]
        m.d.sync += head.eq(ring.o)
        with m.If(self.arrived):
            m.d.sync += beat.eq(beat + 1)
        marks = Cat(self.arrived, self.arrived & head.sooner & (beat + 1 == head.beats))
        long  = delay(m, Mux(head.short, 0, marks), OutputStage.SOONER, name="long")
        near  = delay(m, long | Mux(head.short, marks, 0), self._WAIT - self._READ, name="near")
        m.d.comb += sooner.eq(near[1])
        return delay(m, near[0], self._READ, name="go")

    def _place(self, m, output, pushed, go):
        """Give every group its address; returns the group and its mapped address."""
        m.submodules.placed = ring = Ring(_Placed)
        m.submodules.map = mapping = AddressMap(whole=1, vendor=self._vendor)
        m.submodules.step = step = SelectAdd(width=ADDRESS_BITS, vendor=self._vendor)
        beat, head = Signal(2, name="place"), ring.o
        relative   = Signal(signed(ADDRESS_BITS), name="relative")
        group      = Signal(_Group, name="group")
        config     = recall(m, self, head.slot, "stride", name="placing")
        m.d.comb += [
            *(ring.i[name].eq(output.drain[name])
              for name in ("relative", "slot", "beats", "last")),
            ring.i.short.eq(output.short), ring.put.eq(pushed),
            ring.take.eq(go & (beat == BANKS - 1)),
            step.term.eq(Mux(beat == 0, 0, config.stride)), step.high.eq(head.relative),
            step.low.eq(relative), step.select.eq((beat == 0).replicate(ADDRESS_BITS)),
            mapping.config.eq(self.config.map), mapping.loading.eq(self.loading),
            mapping.relative.eq(relative), mapping.slot.eq(group.slot)]
        with m.If(go):
            m.d.sync += [beat.eq(beat + 1), relative.eq(step.o)]
        m.d.sync += [
            group.keep.eq(go & (beat < head.beats)), group.whole.eq(go & (beat + 1 == head.beats)),
            group.end.eq(ring.take), group.last.eq(head.last), group.short.eq(head.short),
            group.slot.eq(head.slot)]
        return delay(m, group, AddressMap.LATENCY, name="mapped"), mapping.o

    def _write(self, m, group, mapped, config):
        """Decode the group's address; a host write takes the cycle if no result does."""
        index  = mapped.address[2:]
        bits   = exact_log2(self._ways)
        of_row = Signal(15)
        result = Signal()
        offered, host = self._offer(m)
        m.d.comb += [
            of_row.eq(Mux(config.memory == Memory.Y, index >> bits, index)),
            result.eq(group.keep & ~config.hold & ~mapped.bad & ~self.fault),
            self.host.ready.eq(offered & ~result),
            self.written.eq(result), self.written_slot.eq(group.slot),
            self.written_final.eq(group.whole & group.last)]
        write = self.write
        m.d.sync += write.host.eq(~result)
        with m.If(result):
            m.d.sync += [
                write.x.eq(config.memory == Memory.X), write.y.eq(config.memory == Memory.Y),
                write.row.eq(Mux(config.wide, of_row, of_row >> 1)),
                write.bytes.eq(Mux(config.wide, 0b11, Mux(of_row[0], 0b10, 0b01))),
                write.way.eq(1 << index[:bits]), write.bank.eq(1 << mapped.address[:2]),
                write.column.eq(~0)]
        with m.Else():
            m.d.sync += [
                write.x.eq(host.x & offered), write.y.eq(host.y & offered), write.row.eq(host.row),
                write.bytes.eq(host.bytes), write.way.eq(host.way), write.bank.eq(host.bank),
                write.column.eq(host.column)]
        cell = delay(m, self.host.p.data, 2, name="cell")
        from_host = write.host
        for column in range(self._ways):
            m.d.comb += self.data[column].eq(Mux(from_host, cell, self.elements[column]))
            cell = delay(m, cell, 1, name=f"cell{column}")
            from_host = delay(m, from_host, 1, name=f"from_host{column}")

    def _offer(self, m):
        """The host's write, decoded, a cycle after it is offered; it stands there until taken."""
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
        """Collect faults and overflow; tell when outputs and passes are written."""
        astray = group.keep & mapped.bad
        with m.If(self.flush):
            m.d.sync += self.fault.eq(0)
        with m.Elif(astray & ~self.fault):
            m.d.sync += [self.fault.eq(1), self.fault_slot.eq(group.slot)]
        # A pass at fault is never done.
        last = delay(m, group.end & group.last & ~self.fault & ~astray, self._ways, name="last")
        seen = self.overflow[0]
        for column in range(1, self._ways):
            seen = delay(m, seen, 1, name=f"seen{column}") | self.overflow[column]
        sticky = Signal()
        sooner = (config.memory == Memory.Y) & ~config.folds
        # A step issued in the cycle after the fall of unwritten reads X just after its last write;
        # and a reduction that goes on says so a cycle after its last group is written.
        m.d.sync += [
            gone.finished.eq(group.end), gone.looked.eq(group.end & ~group.short),
            gone.written.eq(group.whole & ~config.hold & ~sooner),
            sticky.eq(Mux(last | self.flush, 0, sticky | seen)),
            self.done.eq(last), self.overflow_seen.eq(sticky | seen)]


def _count(m, name, more, *less):
    """Whether any of what comes and goes is left after this cycle."""
    count, after = (Signal(range(Ring.DEPTH + 1), name=f"{name}{end}") for end in ("s", "s_left"))
    m.d.comb += after.eq(count + more - sum(less))
    m.d.sync += count.eq(after)
    return after != 0
