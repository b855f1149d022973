# SPDX-License-Identifier: Apache-2.0
"""Request check: session, sequence number, and the resulting answer code."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from .buffer import FRAME_MAX, FRAME_MIN, Head, Place
from .frames import ANSWER_HEAD, RECENT, REQUEST_HEAD, WORDS_MAX, Answer, Kind

__all__ = ["Judge"]


class Judge(wiring.Component):
    """Decide whether a frame is dropped, answered or executed.

    Latency 2 cycles from ``begin`` to the decision, throughput 1 frame in 3 cycles, no
    backpressure. Takes no parameters.

    Members
    -------
    begin : In(1), a frame of ``size`` : In bytes is complete; head : In(Head)
    valid : In(1), its CRC matches; broken : In(1), its COBS encoding is broken
    drops, answers, executes : Out(1), the decision, a single pulse; to : Out, buffer address to
        set with that pulse
    refuse : In(1), the core refuses a word of the request
    code : Out(Answer); session : Out(16); executed : Out(8), last executed sequence number
    """

    begin:    In(1)
    size:     In(Place)
    head:     In(Head)
    valid:    In(1)
    broken:   In(1)
    drops:    Out(1)
    answers:  Out(1)
    executes: Out(1)
    to:       Out(Place)
    refuse:   In(1)
    code:     Out(Answer, init=Answer.DONE)
    session:  Out(16)
    executed: Out(8)

    def elaborate(self, platform):
        m = Module()
        head    = self.head
        refused = Signal(RECENT)  # refused WRITEs, indexed by the low bits of their number
        own = refused.bit_select(head.sequence[:exact_log2(RECENT)], 1)
        whole = Signal()
        fits = Signal()
        was_refused = Signal()
        behind = Signal(8)  # requests since this one
        write, read, hello = (head.kind == kind for kind in (Kind.WRITE, Kind.READ, Kind.HELLO))
        size = FRAME_MIN + Mux(write, head.count << 2, 0)
        with m.FSM():
            with m.State("Wait-Frame"):
                with m.If(self.refuse):
                    m.d.sync += self.code.eq(Answer.REFUSED)
                    with m.If(write):
                        m.d.sync += own.eq(1)
                with m.If(self.begin):
                    m.next = "Check-Frame"
            with m.State("Check-Frame"):
                m.d.sync += [
                    whole.eq(self.valid & ~self.broken & (self.size >= FRAME_MIN)
                             & (self.size <= FRAME_MAX)),
                    fits.eq((hello | write | read) & (head.count <= WORDS_MAX)
                            & (self.size == size)),
                    behind.eq(self.executed - head.sequence), was_refused.eq(own)]
                m.next = "Judge"
            with m.State("Judge"):
                m.next = "Wait-Frame"
                self._judge(m, whole, fits, hello, read, behind, was_refused, refused)
        return m

    def _judge(self, m, whole, fits, hello, read, behind, was_refused, refused):
        """Decide; the first matching rule counts."""
        head, again = self.head, behind < RECENT
        own = refused.bit_select(head.sequence[:exact_log2(RECENT)], 1)
        m.d.comb += self.answers.eq(~self.drops & ~self.executes)
        m.d.sync += self.code.eq(Answer.DONE)
        with m.If(~whole):
            m.d.comb += self.drops.eq(1)
        with m.Elif(~fits | hello & (head.session == 0)):
            m.d.sync += self.code.eq(Answer.BAD)
        with m.Elif(hello):
            m.d.sync += [self.session.eq(head.session), self.executed.eq(head.sequence),
                         refused.eq(0)]
        with m.Elif((head.session != self.session) | (head.session == 0)):
            m.d.sync += self.code.eq(Answer.FOREIGN)
        with m.Elif(behind.all() | again & read):
            with m.If(~again):
                m.d.sync += [self.executed.eq(head.sequence), own.eq(0)]
            m.d.comb += [self.executes.eq(1),
                         self.to.eq(Mux(read, ANSWER_HEAD, REQUEST_HEAD))]
        with m.Elif(~again):
            m.d.sync += self.code.eq(Answer.AHEAD)
        with m.Elif(was_refused):
            m.d.sync += self.code.eq(Answer.REFUSED)
