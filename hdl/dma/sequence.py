# SPDX-License-Identifier: Apache-2.0
"""Sequence: start programs and transfers in the order of their counts ``runs`` and ``moves``."""

from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.isa import State

from .records import Move, Run

__all__ = ["Sequence"]


class Sequence(wiring.Component):
    """Run programs in list order, and beside them transfers in list order.

    A program starts when enough transfers have ended, a transfer when enough programs have. Latency
    3 cycles from the end of a command to the start of the next one; honours backpressure. Takes no
    parameters.

    Members
    -------
    runs : In(stream of Run), moves : In(stream of Move); each is taken when it has ended
    start : Out(1), start the program at pass ``runs.p.first``; state : In(State), of the program
    moves_start : Out(1), start the transfer ``moves.p``; moved : In(1), it has ended
    fault : Out(1), the program has ended in a fault
    """

    runs:        In(stream.Signature(Run))
    moves:       In(stream.Signature(Move))
    start:       Out(1)
    state:       In(State)
    moves_start: Out(1)
    moved:       In(1)
    fault:       Out(1)

    def elaborate(self, platform):
        m = Module()
        runs, moves = Signal(16, name="runs_ended"), Signal(16, name="moves_ended")
        ready = Signal(), Signal()  # to run, to move
        m.d.sync += [ready[0].eq(moves >= self.runs.p.order.others),
                     ready[1].eq(runs >= self.moves.p.order.others)]
        with m.FSM(name="runs"):
            with m.State("Compare"):
                with m.If(self.runs.valid):
                    m.next = "Wait"
            with m.State("Wait"):
                with m.If(ready[0]):
                    m.next = "Start"
            with m.State("Start"):
                m.d.comb += self.start.eq(1)
                m.next = "Run"
            with m.State("Run"):
                m.d.comb += self.fault.eq(self.state == State.FAULT)
                with m.If(self.state == State.DONE):
                    m.d.comb += self.runs.ready.eq(1)
                    m.d.sync += runs.eq(runs + 1)
                    m.next = "Compare"
        with m.FSM(name="moves"):
            with m.State("Compare"):
                with m.If(self.moves.valid):
                    m.next = "Wait"
            with m.State("Wait"):
                with m.If(ready[1]):
                    m.d.comb += self.moves_start.eq(1)
                    m.next = "Move"
            with m.State("Move"):
                with m.If(self.moved):
                    m.d.comb += self.moves.ready.eq(1)
                    m.d.sync += moves.eq(moves + 1)
                    m.next = "Compare"
        return m
