# SPDX-License-Identifier: Apache-2.0
"""Outcome: program state and final status."""

from amaranth import Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import SLOTS
from xymac.hdl.isa import State, Status
from xymac.hdl.limits import check_passes

__all__ = ["End", "Outcome"]


def End(passes):
    """Layout of a program end: its status, and the last pass or the pass at fault."""
    return data.StructLayout({"status": Status, "field": 4, "pass_": exact_log2(passes) + 1})


class Outcome(wiring.Component):
    """Keep the program state: idle, busy, done or fault.

    On a fault the state stays busy until all issued results are written. Latency 2 cycles from the
    last written result to the state, throughput 1 program at a time, no backpressure.

    Parameters
    ----------
    passes : int, capacity of program memory, a power of two from 2 to 256; TypeError unless an
        int, ValueError otherwise

    Members
    -------
    start, clear, stop : In(1)
    over : In(1), fetch has ended and all passes are written; end : In(End), the end in this case
    issue_fault : In(Status), z_fault : In(1), faults; issue_slot, z_slot : In(slot), their passes
    held : In(1), the oldest slot is full; oldest : In(slot); index : In(``SLOTS`` pass numbers)
    in_flight : In(1), an issued result is not written yet
    flush : Out(1), discard unissued work
    state : Out(State), status : Out(Status), field : Out(4), pass_ : Out(pass number)
    """

    def __init__(self, *, passes):
        number, slot = unsigned(exact_log2(check_passes(passes)) + 1), range(SLOTS)
        super().__init__({
            "start": In(1), "clear": In(1), "stop": In(1), "over": In(1), "end": In(End(passes)),
            "issue_fault": In(Status), "issue_slot": In(slot), "z_fault": In(1), "z_slot": In(slot),
            "held": In(1), "oldest": In(slot), "index": In(data.ArrayLayout(number, SLOTS)),
            "in_flight": In(1), "flush": Out(1), "state": Out(State), "status": Out(Status),
            "field": Out(4), "pass_": Out(number)})

    def elaborate(self, platform):
        m = Module()
        first = Signal(range(SLOTS))  # the pass at fault
        # A cycle late, for timing; a step may still issue while flush rises.
        over = Signal()
        flushed = Signal()
        quiet = Signal()
        stopping = Signal()
        m.d.sync += [stopping.eq((stopping | self.stop) & (self.state == State.BUSY)),
                     over.eq(self.over & ~self.start), flushed.eq(self.flush),
                     quiet.eq(flushed & ~self.in_flight)]
        with m.Switch(self.state):
            with m.Case(State.IDLE, State.DONE):
                with m.If(self.start):
                    m.d.sync += [self.state.eq(State.BUSY), self.status.eq(Status.OK),
                                 self.field.eq(0), self.pass_.eq(0)]
                with m.Elif(self.clear):
                    m.d.sync += self.state.eq(State.IDLE)
            with m.Case(State.BUSY):
                with m.If(self.flush):
                    self._fault(m, quiet, first)
                with m.Elif(self.z_fault | (self.issue_fault != Status.OK)):
                    m.d.sync += [self.flush.eq(1), self.status.eq(self.issue_fault),
                                 first.eq(self.issue_slot)]
                # Only a full slot has a pass number; if none is full, a claim follows soon.
                with m.Elif(stopping & self.held):
                    m.d.sync += [self.flush.eq(1), self.status.eq(Status.STOPPED),
                                 first.eq(self.oldest)]
                with m.Elif(over):
                    m.d.sync += [
                        self.state.eq(Mux(self.end.status == Status.OK, State.DONE, State.FAULT)),
                        self.status.eq(self.end.status), self.field.eq(self.end.field),
                        self.pass_.eq(self.end.pass_)]
            with m.Case(State.FAULT):
                m.d.sync += self.flush.eq(0)
                with m.If(self.clear):
                    m.d.sync += [self.state.eq(State.IDLE), self.status.eq(Status.OK),
                                 self.field.eq(0), self.pass_.eq(0)]
        return m

    def _fault(self, m, quiet, first):
        """Enter fault once all issued results are written; a write fault is the earlier fault."""
        with m.If(quiet):
            m.d.sync += [self.state.eq(State.FAULT), self.field.eq(0)]
            with m.If(self.z_fault):
                m.d.sync += [self.status.eq(Status.Z_ACCESS),
                             self.pass_.eq(self.index[self.z_slot])]
            with m.Else():
                m.d.sync += self.pass_.eq(self.index[first])
