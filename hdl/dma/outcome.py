# SPDX-License-Identifier: Apache-2.0
"""Outcome: a command list's state, and why it ended."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.isa import ListStatus, State

__all__ = ["Outcome"]

_SETTLES = 16  # cycles after which no read of X is on its way


class Outcome(wiring.Component):
    """Keep a list's state: idle, busy, done or fault.

    A list ends with its commands, at a bus error, at a program fault or at a stop. In the last
    three cases ``gives_up`` discards everything queued or under way; the state becomes fault when
    the program has ended and nothing is in flight. Latency 2 cycles from the last event to the
    state; no backpressure. Takes no parameters.

    Members
    -------
    begin, clear, stop : In(1); the entries are stable from the cycle before a stop on
    end : In(ListStatus), ended : In(1), from ``Decode``
    run_valid, move_valid : In(1), a command is queued or runs; run_entry, move_entry : In(16), the
        oldest such command; next_entry : In(16), the next command to queue, or the last command
    failed : In(1), a bus error during a transfer; fault : In(1), a program fault
    busy : In(1), the program runs; idle : In(1), nothing is in flight on the bus
    state : Out(State); status : Out(ListStatus), entry : Out(16), OK and 0 until a list has ended
    gives_up : Out(1); stops : Out(1), stop the program
    """

    begin:      In(1)
    clear:      In(1)
    stop:       In(1)
    end:        In(ListStatus)
    ended:      In(1)
    run_valid:  In(1)
    move_valid: In(1)
    run_entry:  In(16)
    move_entry: In(16)
    next_entry: In(16)
    failed:     In(1)
    fault:      In(1)
    busy:       In(1)
    idle:       In(1)
    state:      Out(State)
    status:     Out(ListStatus)
    entry:      Out(16)
    gives_up:   Out(1)
    stops:      Out(1)

    def elaborate(self, platform):
        m = Module()
        settles, empty = Signal(range(_SETTLES)), Signal()
        status, entry = Signal(ListStatus, name="why"), Signal(16, name="where")
        given_up = self.failed | self.fault | self.stop
        m.d.sync += empty.eq(self.ended & ~self.run_valid & ~self.move_valid)
        m.d.comb += self.stops.eq(self.gives_up & (status == ListStatus.STOPPED))
        earlier = Signal(name="run_is_earlier")
        m.d.sync += earlier.eq(self.run_entry < self.move_entry)
        with m.If((self.state == State.DONE) | (self.state == State.FAULT)):
            m.d.comb += [self.status.eq(status), self.entry.eq(entry)]
        with m.If(self.clear):
            m.d.sync += self.state.eq(State.IDLE)
        with m.If(self.begin):
            m.d.sync += [self.state.eq(State.BUSY), settles.eq(0), empty.eq(0)]
        with m.Elif((self.state == State.BUSY) & self.gives_up):
            m.d.sync += settles.eq(settles + ~settles.all())
            with m.If(settles.all() & ~self.busy & self.idle):
                m.d.sync += [self.state.eq(State.FAULT), self.gives_up.eq(0)]
        with m.Elif((self.state == State.BUSY) & (given_up | empty)):
            m.d.sync += [*self._blame(status, entry, earlier), self.gives_up.eq(given_up)]
            with m.If(~given_up):
                m.d.sync += self.state.eq(
                    Mux(self.end == ListStatus.OK, State.DONE, State.FAULT))
        return m

    def _blame(self, status, entry, earlier):
        """Statements that note status and entry, if the list ends in this cycle.

        ``earlier``: the program's command comes before the transfer's.
        """
        first = self.run_valid & (~self.move_valid | earlier)
        runs  = Mux(self.failed, 0, self.fault | (self.stop & first))
        moves = self.failed | (~self.fault & self.stop & ~first & self.move_valid)
        return [
            status.eq(Mux(self.failed, ListStatus.BUS, Mux(self.fault, ListStatus.PROGRAM, Mux(
                self.stop, ListStatus.STOPPED, self.end)))),
            entry.eq(Mux(runs, self.run_entry, Mux(moves, self.move_entry, self.next_entry)))]
