"""Outcome: the state of a program, and how it ends."""

from amaranth import Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.config import SLOTS
from hdl.isa import State, Status
from hdl.limits import check_passes

__all__ = ["End", "Outcome"]


def End(passes):
    """Layout of how a program ends: why, and at which pass, the last one or one that cannot run."""
    return data.StructLayout({"status": Status, "field": 4, "pass_": exact_log2(passes) + 1})


class Outcome(wiring.Component):
    """Idle, busy, done or fault; a fault first lets what was issued be written.

    Latency 2 cycles from the last result to the state, throughput one program at a time, no
    backpressure.

    Parameters
    ----------
    passes : int, of the program memory, a power of two from 2 to 256; TypeError for what is no int,
        ValueError otherwise

    Members
    -------
    start, clear, stop : In(1)
    over : In(1), all passes are written that there will be; end : In(End)
    issue_fault : In(Status), z_fault : In(1); issue_slot, z_slot : In(slot)
    held : In(1), a pass is in a slot, oldest : In(slot), the first; index : In(``SLOTS`` pass
        numbers)
    in_flight : In(1), something issued is not written
    flush : Out(1)
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
        first = Signal(range(SLOTS))  # of the pass that ends it
        # A cycle late, to part conditions from what follows; a step may go while flush rises.
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
                # Only a slot in use has a number; if there is none, the next is claimed soon.
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
        """Wait until all issued results are written; a write outside its window came first."""
        with m.If(quiet):
            m.d.sync += [self.state.eq(State.FAULT), self.field.eq(0)]
            with m.If(self.z_fault):
                m.d.sync += [self.status.eq(Status.Z_ACCESS),
                             self.pass_.eq(self.index[self.z_slot])]
            with m.Else():
                m.d.sync += self.pass_.eq(self.index[first])
