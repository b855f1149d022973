"""Write-back: the addresses of Z, the write port of X and Y, and what is still in flight."""

from amaranth import Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import DelayLine, delay
from hdl.config import SLOTS
from hdl.isa import BANKS, Memory
from hdl.limits import check_vendor, check_ways

from .mapping import AddressMap, MapConfig
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
_Beat = data.StructLayout({
    "keep": 1, "hold": 1, "final": 1, "whole": 1, "sooner": 1, "end": 1, "last": 1,
    "short": 1, "slot": range(SLOTS)})
_Queued = data.StructLayout({"output": ToDrain, "short": 1})


class Writeback(wiring.Component):
    """Give every group of results its address and write it; let host writes into free cycles.

    ``arrived`` marks the banks of an output, one a cycle without a gap, as the first column
    delivers them. ``write`` stands ``OutputStage.LATENCY`` cycles later, when the first column's
    element does; a host write waits for a cycle without results. An output whose pass looks nothing
    up is ``short`` if no other output is in flight that is not: so all are written in order, and it
    ``OutputStage.SOONER`` cycles sooner. A write outside the window is dropped and so is everything
    after it, until ``flush``. That is its latency; throughput 1 group a cycle. Backpressure on
    outputs is ``room``, on the host its stream's.

    Parameters
    ----------
    ways : int, columns: 1, 2 or 4; TypeError for what is no int, ValueError otherwise
    vendor : None or "ecp5", see ``arith.DelayLine``; ValueError otherwise

    Members
    -------
    config : In(ZConfig), loading : In(``SLOTS``), a pass and the slot that takes it in this cycle
    i : In(stream of ToDrain), pushed when the last step of an output is issued, at least 4 cycles
        before its sum arrives
    room : Out(1), at least three more of ``DEPTH`` can be taken
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
    DEPTH = 24  # scaled sums of outputs that take BANKS cycles each

    def __init__(self, *, ways, vendor=None):
        self._ways, self._vendor = check_ways(ways), check_vendor(vendor)
        columns = data.ArrayLayout(16, ways)
        super().__init__({
            "config": In(ZConfig), "loading": In(SLOTS),
            "i": In(stream.Signature(ToDrain, always_ready=True)), "room": Out(1),
            "arrived": In(1), "keep": Out(1), "short": Out(1), "first": Out(1), "last": Out(1),
            "host": In(stream.Signature(HostWrite)),
            "elements": In(columns), "overflow": In(ways),
            "write": Out(Write(ways)), "data": Out(columns),
            "written": Out(1), "written_slot": Out(range(SLOTS)), "written_final": Out(1),
            "in_flight": Out(1), "unwritten": Out(1), "done": Out(1), "overflow_seen": Out(1),
            "fault": Out(1), "fault_slot": Out(range(SLOTS)), "flush": In(1)})

    def elaborate(self, platform):
        m = Module()
        self._finished = Signal()
        self._written = Signal()
        self._looked = Signal()
        self._written_y = Signal()
        take, queued = self._queue(m)
        head = queued.output
        m.submodules.map = mapping = AddressMap(tag=_Beat)
        beat = Signal(2)
        config = recall(m, self, head.slot, "memory", "stride", "hold", "folds", name="head")
        taken = Signal(name="taken")
        start    = Signal(ToDrain["relative"].shape)
        distance = Signal.like(start)
        more     = Signal(signed(16))
        arrived  = Signal()
        entry = Signal(mapping.i.payload.shape())
        valid = Signal()
        tag = Signal(_Beat)
        whole  = self.arrived & (beat + 1 == head.beats) & ~config.hold
        sooner = (config.memory == Memory.Y) & ~config.folds
        m.d.comb += [
            self.short.eq(queued.short), self.last.eq(head.last),
            self.first.eq(self.arrived & (beat == 0)),
            self.keep.eq(self.arrived & (beat < head.beats)),
            taken.eq(self.arrived & (beat == BANKS - 1)),
        ]
        m.d.comb += [mapping.config.eq(self.config.map), mapping.loading.eq(self.loading)]
        with m.If(self.arrived):
            m.d.sync += beat.eq(beat + 1)
        m.d.sync += [
            take.eq(self.arrived & (beat == BANKS - 2)),  # for the banks come without a gap
            tag.keep.eq(self.keep), tag.hold.eq(config.hold), tag.end.eq(taken),
            tag.last.eq(taken & head.last), tag.slot.eq(head.slot), tag.short.eq(queued.short),
            tag.final.eq(head.last & (beat + 1 == head.beats)),
            tag.whole.eq(whole & ~sooner), tag.sooner.eq(whole & sooner),
            arrived.eq(self.arrived), start.eq(head.relative), more.eq(config.stride),
            # A cycle later, for the distance of a beat is a sum of its own.
            valid.eq(arrived), entry.relative.eq(start + distance), entry.slot.eq(tag.slot),
            entry.tag.eq(tag),
        ]
        with m.If(arrived):
            m.d.sync += distance.eq(Mux(tag.end, 0, distance + more))
        # Both sides of a write meet.
        longer = OutputStage.LATENCY - AddressMap.LATENCY - 4
        assert longer == OutputStage.SOONER
        m.submodules.line = line = DelayLine(entry.shape(), longer, vendor=self._vendor)
        short  = valid & entry.tag.short
        m.d.comb += line.i.eq(entry)
        m.d.sync += [mapping.i.valid.eq(
                         short | delay(m, valid & ~entry.tag.short, longer, name="valid")),
                     mapping.i.payload.eq(Mux(short, entry, line.o))]
        m.d.comb += self._written_y.eq(delay(m, mapping.i.valid & mapping.i.p.tag.sooner,
                                             AddressMap.LATENCY + 1 - self.Y_SOONER, name="sooner"))
        self._write(m, mapping.o)
        self._finish(m, mapping.o)
        return m

    def _queue(self, m):
        """Outputs between their last step and their sums; returns (take, head)."""
        m.submodules.queue = queue = SyncFIFOBuffered(width=_Queued.size, depth=self.DEPTH)
        head, take, push = Signal(_Queued, name="head"), Signal(name="take"), Signal(name="push")
        queued = Signal(_Queued)
        count, writes = (Signal(range(self.DEPTH + 1), name=name) for name in ("count", "writes"))
        after, left   = Signal.like(count, name="after"), Signal.like(count, name="left")
        full, pushed, writing = Signal(name="full"), Signal(name="pushed"), Signal(name="writing")
        looks = recall(m, self, self.i.p.slot, "looks", name="pushed").looks
        m.d.comb += [
            push.eq(self.i.valid), self.room.eq(~full),
            queue.w_en.eq(pushed),  # long before its sum comes
            head.eq(queue.r_data), queue.r_en.eq(take), queue.w_data.eq(queued),
            after.eq(count + pushed - self._finished),
            left.eq(writes + writing - self._written - self._written_y),
        ]
        m.d.sync += [pushed.eq(push), queued.output.eq(self.i.p),
                     queued.short.eq(~looks & ~self._longs(m, pushed & ~queued.short)),
                     count.eq(after),
                     self.in_flight.eq(push | (after != 0)),
                     writing.eq(push & ~self.i.p.hold), writes.eq(left),
                     self.unwritten.eq((push & ~self.i.p.hold) | (left != 0)),
                     full.eq(after >= self.DEPTH - 2)]
        return take, head

    def _longs(self, m, pushed):
        """Whether an output is in flight that is not short. Two are pushed ``BANKS`` cycles apart
        at least."""
        count = Signal(range(self.DEPTH + 1))
        left = Signal(range(self.DEPTH + 1))
        any_ = Signal()
        m.d.comb += left.eq(count + pushed - self._looked)
        m.d.sync += [count.eq(left), any_.eq(left != 0)]
        return any_

    def _write(self, m, mapped):
        """Decode the group's address; a host write takes the cycle if no result does."""
        tag = mapped.p.tag
        config = recall(m, self, tag.slot, "memory", "wide", name="mapped")
        group, index = mapped.p.address, Signal(15, name="index")
        bits   = exact_log2(self._ways)
        of_row = Signal(15)
        result = Signal()
        bank   = Signal(BANKS)
        offered, host = self._offer(m)
        m.d.comb += [
            index.eq(group[2:]),
            of_row.eq(Mux(config.memory == Memory.Y, index >> bits, index)),
            bank.eq(1 << group[:2]),
            result.eq(mapped.valid & tag.keep & ~tag.hold & ~mapped.p.bad & ~self.fault),
            self.host.ready.eq(offered & ~result),
            self.written.eq(result), self.written_slot.eq(tag.slot),
            self.written_final.eq(tag.final),
        ]
        write = self.write
        m.d.sync += [write.x.eq(0), write.y.eq(0), write.host.eq(~result)]
        with m.If(result):
            m.d.sync += [
                write.x.eq(config.memory == Memory.X), write.y.eq(config.memory == Memory.Y),
                write.row.eq(Mux(config.wide, of_row, of_row >> 1)),
                write.bytes.eq(Mux(config.wide, 0b11, Mux(of_row[0], 0b10, 0b01))),
                write.way.eq(1 << index[:bits]), write.bank.eq(bank), write.column.eq(~0)]
        with m.Elif(offered):
            m.d.sync += [
                write.x.eq(host.x), write.y.eq(host.y), write.row.eq(host.row),
                write.bytes.eq(host.bytes), write.way.eq(host.way), write.bank.eq(host.bank),
                write.column.eq(host.column)]
        cell = delay(m, self.host.p.data, 2, name="cell")
        from_host = write.host
        for index in range(self._ways):
            m.d.comb += self.data[index].eq(Mux(from_host, cell, self.elements[index]))
            cell = delay(m, cell, 1, name=f"cell{index}")
            from_host = delay(m, from_host, 1, name=f"from_host{index}")

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

    def _finish(self, m, mapped):
        """Collect faults and overflow; tell when outputs and passes are written."""
        tag = mapped.p.tag
        with m.If(self.flush):
            m.d.sync += self.fault.eq(0)
        with m.Elif(mapped.valid & tag.keep & mapped.p.bad & ~self.fault):
            m.d.sync += [self.fault.eq(1), self.fault_slot.eq(tag.slot)]
        stopped = self.fault | (tag.keep & mapped.p.bad)  # such a pass is never done
        last = delay(m, mapped.valid & tag.last & ~stopped, self._ways, name="last")
        seen = self.overflow[0]
        for column in range(1, self._ways):
            seen = delay(m, seen, 1, name=f"seen{column}") | self.overflow[column]
        sticky = Signal()
        # A step issued in the cycle after the fall of unwritten reads X just after its last write;
        # and a reduction that goes on says so a cycle after its last group is written.
        ended = mapped.valid & tag.end
        m.d.sync += [self._finished.eq(ended), self._looked.eq(ended & ~tag.short),
                     self._written.eq(mapped.valid & tag.whole)]
        m.d.sync += [sticky.eq(Mux(last | self.flush, 0, sticky | seen)),
                     self.done.eq(last), self.overflow_seen.eq(sticky | seen)]
