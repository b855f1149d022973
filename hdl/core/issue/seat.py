"""Seat: the output at hand, what it waits for, and the records that it reads before."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import pick
from hdl.carry import SelectAdd
from hdl.config import SLOTS
from hdl.core.scale import Mode, mode_of
from hdl.core.step import ToIssue
from hdl.isa import Encoded, Memory
from hdl.limits import check_between, check_vendor

__all__ = ["Seat"]


class Seat(wiring.Component):
    """Take an output when the one at hand has issued its last step, and prepare it.

    An output that waits for nothing and reads no record runs in the cycle after. Records are read
    row by row, and all but the bias are handed on, a slot each. Latency 1 cycle from ``i`` to
    ``current``, throughput an output a cycle; honours backpressure by ``taken``.

    Parameters
    ----------
    bias_rows : int, rows of Y that a bias takes, 1 .. 3; TypeError for what is no int, ValueError
        outside
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    slots : In(``SLOTS`` Encoded); live : In(``SLOTS``), passes that are launched and not written
    i : In(stream of ToIssue)
    taken : In(1), the last step of an output of the loop sequencer is issued; flush : In(1)
    busy : In(1), a host read is at hand; no_read, no_send : In(1), of ``Pace``
    unwritten, holding : In(1), what a pass waits for, and one that resumes; settled : In(1), the
        mode may change
    current : Out(ToIssue), config : Out(Encoded), of the pass at hand; mode : Out(Mode)
    vacant : Out(1), no output is at hand; prepare : Out(1), it waits, or reads records; run :
        Out(1), nothing but its addresses is missing
    waits : Out(1), for what is written or for another mode; doomed : Out(1), it cannot run: no tap
        is left, or its records lie beyond Y
    read : Out(1), a row of a record is read, row : Out(12), which; send : Out(1), a record is
        handed on, sent : Out(1), not the first
    """

    def __init__(self, *, bias_rows, vendor=None):
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        self._vendor    = check_vendor(vendor)
        super().__init__({
            "slots": In(data.ArrayLayout(Encoded, SLOTS)), "live": In(SLOTS),
            "i": In(stream.Signature(ToIssue)), "taken": In(1), "flush": In(1), "busy": In(1),
            "no_read": In(1), "no_send": In(1), "unwritten": In(1), "holding": In(1),
            "settled": In(1), "current": Out(ToIssue), "config": Out(Encoded), "mode": Out(Mode),
            "vacant": Out(1, init=1), "prepare": Out(1), "run": Out(1), "waits": Out(1),
            "doomed": Out(1), "read": Out(1), "row": Out(ToIssue["bias_row"].shape), "send": Out(1),
            "sent": Out(1)})

    def elaborate(self, platform):
        m = Module()
        offered, switches = self.i.p, self._switches(m)
        config = Signal(Encoded, reset_less=True)
        wait = Signal()
        switch = Signal()
        resume = Signal()
        idle = offered.bias | offered.empty | offered.wait | offered.resume | switches
        m.d.comb += [self.i.ready.eq(self.vacant | self.taken), self.config.eq(config),
                     self.waits.eq(wait | switch)]
        with m.If(self.i.ready):
            m.d.sync += [
                self.vacant.eq(~self.i.valid), self.current.eq(offered),
                config.eq(pick(self.slots, offered.slot)),
                self.prepare.eq(self.i.valid & idle), self.run.eq(self.i.valid & ~idle),
                wait.eq(offered.wait), resume.eq(offered.resume), switch.eq(switches),
                self.doomed.eq(offered.empty | (offered.bias & offered.bias_bad))]
        with m.If(self.prepare & ~self.unwritten):
            m.d.sync += wait.eq(0)
        with m.If(self.prepare & ~self.holding):
            m.d.sync += resume.eq(0)
        with m.If(self.prepare & self.settled):
            m.d.sync += [switch.eq(0), self.mode.eq(mode_of(config))]
        unwritten = wait & self.unwritten
        ready = (self.prepare & ~(unwritten & self._makes_records(m)) & ~switch & ~self.doomed)
        done  = self._records(m, ready)
        with m.If(ready & done & ~unwritten & ~(resume & self.holding)):
            m.d.sync += [self.prepare.eq(0), self.run.eq(1)]
        with m.If(self.flush):
            m.d.sync += [self.prepare.eq(0), self.run.eq(0), self.vacant.eq(1)]
        return m

    def _switches(self, m):
        """Whether the output that is offered begins a pass of another mode."""
        differs = Signal(SLOTS)
        for bit, slot in zip(differs, self.slots, strict=True):
            m.d.sync += bit.eq(mode_of(slot) != self.mode.as_value())
        return self.i.p.first & differs.bit_select(self.i.p.slot, 1)

    def _makes_records(self, m):
        """Whether a pass other than that of the output at hand may be writing records.

        That is decided a cycle ahead, both for the output at hand and for the one that is offered.
        """
        makes  = Signal()
        in_y   = self.live & Cat(slot.z_memory == Memory.Y for slot in self.slots)
        others = [(in_y & ~(1 << output.slot)).any() for output in (self.i.p, self.current)]
        m.d.sync += makes.eq(Mux(self.i.ready, *others))
        return makes

    def _records(self, m, ready):
        """Read the records and hand them on; returns whether the last row is being read, or was."""
        rows = Signal(range(self._bias_rows + 1))  # left of the record at hand
        left = Signal(2)   # records before the bias
        held = Signal()    # one is read and to be handed on
        last = self.read & (rows == 1)
        m.d.comb += [
            self.read.eq(ready & (rows != 0) & ~held & ~self.no_read & ~self.busy),
            self.send.eq(self.prepare & held & ~self.no_send & ~self.busy)]
        m.submodules.next_row = row = SelectAdd(width=len(self.row), vendor=self._vendor)
        m.d.comb += [row.term.eq(~self.i.ready), row.high.eq(self.i.p.bias_row),
                     row.low.eq(self.row), row.select.eq(self.i.ready.replicate(len(self.row)))]
        with m.If(self.i.ready | self.read):
            m.d.sync += self.row.eq(row.o)
        with m.If(self.i.ready):
            m.d.sync += [rows.eq(Mux(self.i.p.bias, self._bias_rows, 0)), held.eq(0),
                         self.sent.eq(0), left.eq(self.i.p.records)]
        with m.If(self.read):
            m.d.sync += [rows.eq(rows - 1), held.eq(last & (left != 0))]
        with m.If(self.send):
            m.d.sync += [held.eq(0), self.sent.eq(1), rows.eq(self._bias_rows), left.eq(left - 1)]
        return ~held & (left == 0) & ((rows == 0) | last)
