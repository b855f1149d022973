# SPDX-License-Identifier: Apache-2.0
"""Word transfer between the buffer and the core."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.request import Request, Response

from .buffer import WORD, Edit, Head, put
from .frames import WORDS_MAX, Kind

__all__ = ["WordMover"]

_EVERY = (1 << WORD) - 1


class WordMover(wiring.Component):
    """Execute a WRITE or a READ word by word.

    Latency 2 cycles for a request without words; throughput a word in at most 16 cycles plus the
    core's cycles. ``request`` honours backpressure. Takes no parameters.

    Members
    -------
    begin : In(1), execute the request ``head`` : In(Head); done : Out(1), execution is complete
    found : In(8), settled : In(1), edit : Out(Edit), see ``FrameBuffer``
    request : Out(stream of Request), response : In(stream of Response)
    next_word : Out(1), a word is complete; refused : Out(1), with ``next_word``: the core refused
        that word
    """

    begin:     In(1)
    head:      In(Head)
    done:      Out(1)
    found:     In(8)
    settled:   In(1)
    edit:      Out(Edit)
    request:   Out(stream.Signature(Request))
    response:  In(stream.Signature(Response))
    next_word: Out(1)
    refused:   Out(1)

    def elaborate(self, platform):
        m = Module()
        left  = Signal(range(WORDS_MAX + 1))
        first = Signal()             # the next word is the first word of the request
        word  = Signal(8 * WORD)
        part  = Signal(range(WORD))  # byte index in the word
        head, write, edit = self.head, self.head.kind == Kind.WRITE, self.edit
        m.d.comb += [
            self.request.p.write.eq(write), self.request.p.address.eq(head.address),
            self.request.p.data.eq(word),
            self.request.p.mask.eq(Mux(first, head.first, _EVERY)
                                   & Mux(left == 1, head.last, _EVERY))]
        shift = [word.eq(Cat(word[8:], self.found)), part.eq(part + 1)]
        with m.FSM():
            with m.State("Wait-Request"):
                m.d.sync += [left.eq(head.count), first.eq(1)]
                with m.If(self.begin):
                    m.next = "Next-Word"
            with m.State("Next-Word"):
                m.next = "Ask-Core"
                with m.If(left == 0):
                    m.d.comb += [self.done.eq(1), edit.clears.eq(1)]
                    m.next = "Wait-Request"
                with m.Elif(write):
                    m.next = "Get-Word"
            with m.State("Get-Word"):
                with m.If(self.settled):
                    m.d.sync += shift
                    m.d.comb += edit.steps.eq(1)
                    with m.If(part == WORD - 1):
                        m.next = "Ask-Core"
            with m.State("Ask-Core"):
                m.d.comb += self.request.valid.eq(1)
                with m.If(self.request.ready):
                    m.next = "Wait-Core"
            with m.State("Wait-Core"):
                m.d.comb += [self.response.ready.eq(1), self.next_word.eq(self.response.valid),
                             self.refused.eq(self.response.valid & self.response.p.error)]
                with m.If(self.response.valid):
                    m.d.sync += [word.eq(self.response.p.data), first.eq(0), left.eq(left - 1)]
                    m.next = "Put-Word"
                    with m.If(write):
                        m.next = "Next-Word"
            with m.State("Put-Word"):
                m.d.comb += put(edit, word[:8])
                m.d.sync += shift
                with m.If(part == WORD - 1):
                    m.next = "Next-Word"
        return m
