# SPDX-License-Identifier: Apache-2.0
"""Sequence: start programs and transfers in the order set by their counts ``runs`` and
``moves``."""

from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.isa import State

from .records import Move, Run

__all__ = ["Sequence"]


class Sequence(wiring.Component):
    """Run programs in list order, and beside them transfers in list order.

    A program starts when enough transfers have ended, a transfer when enough programs have. Latency
    4 cycles from a command's end to the start of the next command; honours backpressure. Takes no
    parameters.

    Members
    -------
    runs : In(stream of Run), moves : In(stream of Move); a command is taken when
        its predecessor has ended
    run : Out(Run), the waiting or running program, with run_valid : Out(1);
        run_ends : Out(1), until this cycle
    moves_entry : Out(16), number of the waiting or running transfer, with moves_valid : Out(1);
        moves_end : Out(1), until this cycle
    start : Out(1), start the program at pass ``run.first``; state : In(State), program state
    moves_start : Out(1), start the transfer taken last; moved : In(1), it has ended
    fault : Out(1), the program has ended in a fault
    """

    runs:        In(stream.Signature(Run))
    moves:       In(stream.Signature(Move))
    run:         Out(Run)
    run_valid:   Out(1)
    run_ends:    Out(1)
    moves_entry: Out(16)
    moves_valid: Out(1)
    moves_end:   Out(1)
    start:       Out(1)
    state:       In(State)
    moves_start: Out(1)
    moved:       In(1)
    fault:       Out(1)

    def elaborate(self, platform):
        m = Module()
        runs, moves = Signal(16, name="runs_ended"), Signal(16, name="moves_ended")
        others = Signal(16)  # programs that the transfer waits for
        ready  = Signal(), Signal()  # to run, to move
        m.d.sync += [ready[0].eq(moves >= self.run.order.others), ready[1].eq(runs >= others)]
        m.d.comb += [self.runs.ready.eq(~self.run_valid), self.moves.ready.eq(~self.moves_valid)]
        with m.If(self.runs.ready):
            m.d.sync += [self.run.eq(self.runs.p), self.run_valid.eq(self.runs.valid)]
        with m.If(self.moves.ready):
            m.d.sync += [self.moves_entry.eq(self.moves.p.order.entry),
                         others.eq(self.moves.p.order.others),
                         self.moves_valid.eq(self.moves.valid)]
        with m.FSM(name="running"):
            with m.State("Compare"):
                with m.If(self.run_valid):
                    m.next = "Wait"
            with m.State("Wait"):
                with m.If(ready[0]):
                    m.d.comb += self.start.eq(1)
                    m.next = "Start"
            with m.State("Start"):
                m.next = "Started"
            with m.State("Started"):
                m.next = "Run"
            with m.State("Run"):
                m.d.comb += self.fault.eq(self.state == State.FAULT)
                m.d.comb += self.run_ends.eq(self.state == State.DONE)
                with m.If(self.run_ends):
                    m.d.sync += [runs.eq(runs + 1), self.run_valid.eq(0)]
                    m.next = "Compare"
        with m.FSM(name="moving"):
            with m.State("Compare"):
                with m.If(self.moves_valid):
                    m.next = "Wait"
            with m.State("Wait"):
                with m.If(ready[1]):
                    m.d.comb += self.moves_start.eq(1)
                    m.next = "Move"
            with m.State("Move"):
                m.d.comb += self.moves_end.eq(self.moved)
                with m.If(self.moved):
                    m.d.sync += [moves.eq(moves + 1), self.moves_valid.eq(0)]
                    m.next = "Compare"
        return m
