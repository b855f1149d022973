# SPDX-License-Identifier: Apache-2.0
"""Seat: the current output, its wait conditions, and its record reads."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.carry import SelectAdd
from xymac.hdl.config import SLOTS
from xymac.hdl.core.recall import Recall
from xymac.hdl.core.scale import Mode, mode_of
from xymac.hdl.core.step import ToIssue
from xymac.hdl.isa import Encoded, Memory
from xymac.hdl.limits import check_between, check_vendor

__all__ = ["IssueConfig", "Seat"]

#: Pass fields for issue, named as in ``Encoded``.
IssueConfig = data.StructLayout({name: Encoded[name].shape for name in (
    "op", "bias", "x_shape", "y_shape", "x_width", "y_width", "rounding", "acc_range", "beats",
    "reduce", "ranks", "fresh", "resume", "shift", "scale", "floor", "x_zero")})


class Seat(wiring.Component):
    """Accept an output once the current output has issued its last step, and prepare it.

    An output without wait conditions and records runs in the next cycle. Records are read row by
    row; each record except the bias is then sent on in a slot. Latency 1 cycle from ``i`` to
    ``current``, throughput 1 output a cycle; honours backpressure by ``taken``.

    Parameters
    ----------
    bias_rows : int, Y rows of a bias, 1 .. 3; TypeError unless an int, ValueError outside
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    coming : In(Encoded), a pass; loading : In(``SLOTS``), the slot that stores it, if any, at the
        latest two cycles before its first output
    live : In(``SLOTS``), passes launched and not written
    i : In(stream of ToIssue)
    taken : In(1), the last step of the current output is issued; flush : In(1), discard the output
    busy : In(1), a host read takes the slot; no_read, no_send : In(1), see ``Pace``
    unwritten : In(1), an issued output is not written, so ``wait`` holds; holding : In(1), sums
        are being saved, so ``resume`` holds; settled : In(1), the mode may change
    current : Out(ToIssue), the current output; config : Out(IssueConfig), its pass; mode :
        Out(Mode)
    vacant : Out(1), there is no output; prepare : Out(1), it waits or reads records; run : Out(1),
        it needs only its addresses
    waits : Out(1), it waits for earlier results or for a mode change; doomed : Out(1), it cannot
        run: it has no tap, or its records lie beyond Y
    read : Out(1), a record row is read; row : Out(12), its number; send : Out(1), a record is sent
        on; sent : Out(1), the first record has been sent
    """

    def __init__(self, *, bias_rows, vendor=None):
        self._bias_rows = check_between("Bias rows", bias_rows, 1, 3)
        self._vendor    = check_vendor(vendor)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS), "live": In(SLOTS),
            "i": In(stream.Signature(ToIssue)), "taken": In(1), "flush": In(1), "busy": In(1),
            "no_read": In(1), "no_send": In(1), "unwritten": In(1), "holding": In(1),
            "settled": In(1), "current": Out(ToIssue), "config": Out(IssueConfig),
            "mode": Out(Mode), "vacant": Out(1, init=1), "prepare": Out(1), "run": Out(1),
            "waits": Out(1), "doomed": Out(1), "read": Out(1),
            "row": Out(ToIssue["bias_row"].shape), "send": Out(1), "sent": Out(1)})

    def elaborate(self, platform):
        m = Module()
        offered, switches = self.i.p, self._switches(m)
        config   = Signal(IssueConfig, reset_less=True)
        recalled = self._recall(m, offered.slot)
        wait = Signal()
        switch = Signal()
        idle = offered.bias | offered.empty | offered.wait | offered.resume | switches
        m.d.comb += [self.i.ready.eq(self.vacant | self.taken), self.config.eq(config),
                     self.waits.eq(wait | switch)]
        with m.If(self.i.ready):
            m.d.sync += [
                self.vacant.eq(~self.i.valid), self.current.eq(offered), config.eq(recalled),
                self.prepare.eq(self.i.valid & idle), self.run.eq(self.i.valid & ~idle),
                wait.eq(offered.wait), switch.eq(switches),
                self.doomed.eq(offered.empty | (offered.bias & offered.bias_bad))]
        with m.If(self.prepare & ~self.unwritten):
            m.d.sync += wait.eq(0)
        with m.If(self.prepare & self.settled):
            m.d.sync += [switch.eq(0), self.mode.eq(mode_of(config))]
        unwritten = wait & self.unwritten
        # ``unwritten`` falls in time for a step of the next cycle: a record is not read sooner.
        ready = self.prepare & ~(wait & self._makes_records(m)) & ~switch & ~self.doomed
        done  = self._records(m, ready)
        with m.If(ready & done & ~unwritten & ~(self.current.resume & self.holding)):
            m.d.sync += [self.prepare.eq(0), self.run.eq(1)]
        with m.If(self.flush):
            m.d.sync += [self.prepare.eq(0), self.run.eq(0), self.vacant.eq(1)]
        return m

    def _recall(self, m, slot):
        """Fields of the pass in ``slot``."""
        m.submodules.fields = fields = Recall(IssueConfig)
        m.d.comb += [*(fields.value[name].eq(self.coming[name]) for name in IssueConfig.members),
                     fields.loading.eq(self.loading), fields.slot.eq(slot)]
        return fields.o

    def _switches(self, m):
        """Whether the offered output begins a pass with another mode."""
        differs = Signal(SLOTS)
        for index in range(SLOTS):
            mode = Signal(Mode, name=f"mode{index}", reset_less=True)
            with m.If(self.loading[index]):
                m.d.sync += mode.eq(mode_of(self.coming))
            m.d.sync += differs[index].eq(mode.as_value() != self.mode.as_value())
        return self.i.p.first & differs.bit_select(self.i.p.slot, 1)

    def _makes_records(self, m):
        """Whether an output has records, and another live pass writes Y and perhaps these.

        The answer is computed a cycle ahead, for the current and for the offered output.
        """
        makes, in_y = Signal(name="makes"), Signal(SLOTS, name="in_y")
        live_in_y   = in_y & self.live
        for index in range(SLOTS):
            with m.If(self.loading[index]):
                m.d.sync += in_y[index].eq(self.coming.z_memory == Memory.Y)
        others = [output.bias & (live_in_y & ~(1 << output.slot)).any()
                  for output in (self.i.p, self.current)]
        m.d.sync += makes.eq(Mux(self.i.ready, *others))
        return makes

    def _records(self, m, ready):
        """Read the records and send them on; returns whether the last row is read or being read."""
        rows = Signal(range(self._bias_rows + 1))  # remaining in the current record
        left = Signal(2)   # records before the bias
        held = Signal()    # a record has been read and must be sent
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
