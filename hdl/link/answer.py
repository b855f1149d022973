# SPDX-License-Identifier: Apache-2.0
"""Answers: add head and CRC to the words, then start the encoder."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .buffer import Edit, Head, Place, put
from .frames import ANSWER_HEAD, CRC_BYTES, Answer, Kind

__all__ = ["Answerer"]


class Answerer(wiring.Component):
    """Complete the answer in the buffer, and start the encoder that sends it.

    Latency 6 cycles for the head, 3 for each byte of the head and the words, 4 for the CRC, then
    until the encoder is no longer ``busy``; throughput one answer in that time, no backpressure.
    Takes no parameters.

    Members
    -------
    begin : In(1), make an answer; done : Out(1), the answer is sent
    head : In(Head), head of the request; code : In(Answer); session : In(16); executed : In(8)
    at : In, found : In(8), settled : In(1), edit : Out(Edit), see ``FrameBuffer``
    reads : Out(1), the CRC reads ``found``; sums : Out(1), it consumes ``found`` in this cycle
    crc : In(32)
    start : Out(1), start the encoder; busy : In(1), the encoder is busy
    """

    begin:    In(1)
    done:     Out(1)
    head:     In(Head)
    code:     In(Answer, init=Answer.DONE)
    session:  In(16)
    executed: In(8)
    at:       In(Place)
    found:    In(8)
    settled:  In(1)
    edit:     Out(Edit)
    sums:     Out(1)
    reads:    Out(1)
    crc:      In(8 * CRC_BYTES)
    start:    Out(1)
    busy:     In(1)

    def elaborate(self, platform):
        m = Module()
        head, edit, at = self.head, self.edit, self.at
        count  = Signal(8)
        length = Signal(Place)
        part   = Signal(range(CRC_BYTES))
        carries = (head.kind == Kind.READ) & (self.code == Answer.DONE)
        m.d.sync += [count.eq(Mux(carries, head.count, 0)),  # stable before the first use
                     length.eq(ANSWER_HEAD + (count << 2))]
        answer = Cat(self.code, head.sequence, self.session, self.executed, count)
        with m.FSM():
            with m.State("Wait-Begin"):
                with m.If(self.begin):
                    m.next = "Put-Head"
            with m.State("Put-Head"):
                m.d.comb += put(edit, answer.word_select(at[:3], 8))
                with m.If(at == ANSWER_HEAD - 1):
                    m.d.comb += [edit.steps.eq(0), edit.clears.eq(1)]
                    m.next = "Sum-Bytes"
            with m.State("Sum-Bytes"):
                m.d.comb += self.reads.eq(1)
                with m.If(self.settled):
                    with m.If(at == length):
                        m.next = "Put-Sum"
                    with m.Else():
                        m.d.comb += [self.sums.eq(1), edit.steps.eq(1)]
            with m.State("Put-Sum"):
                m.d.comb += put(edit, self.crc.word_select(part, 8))
                m.d.sync += part.eq(part + 1)
                with m.If(part == CRC_BYTES - 1):
                    m.next = "Wait-Encoder"
            with m.State("Wait-Encoder"):
                m.d.comb += self.start.eq(1)
                with m.If(~self.busy):
                    m.next = "Wait-Sent"
            with m.State("Wait-Sent"):
                with m.If(~self.busy):
                    m.d.comb += [self.done.eq(1), edit.clears.eq(1)]
                    m.next = "Wait-Begin"
        return m
