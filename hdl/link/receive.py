# SPDX-License-Identifier: Apache-2.0
"""Frame receiver: writes decoded bytes into the buffer, and collects the request head."""

from amaranth import Cat, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .buffer import FRAME_MAX, WORD, Head, Place
from .cobs import Decoded
from .frames import REQUEST_HEAD

__all__ = ["FrameReceiver"]


class FrameReceiver(wiring.Component):
    """Write the bytes of a frame into the buffer, and feed them to the CRC.

    Latency 1 cycle a byte, throughput 1 byte a cycle between ``begin`` and ``done``; honours
    backpressure. Takes no parameters.

    Members
    -------
    begin : In(1), receive a frame; done : Out(1), the frame has ended
    i : In(stream of Decoded)
    at : In, number of bytes so far; ``FRAME_MAX + 1`` for a longer frame
    byte : Out(8); puts : Out(1), write it into the buffer; sums : Out(1), feed it to the CRC
    head : Out(Head), request head; next_word : In(1), advance its address by a word
    broken : Out(1), the frame is not valid COBS
    """

    begin:     In(1)
    done:      Out(1)
    i:         In(stream.Signature(Decoded))
    at:        In(Place)
    byte:      Out(8)
    puts:      Out(1)
    sums:      Out(1)
    head:      Out(Head)
    next_word: In(1)
    broken:    Out(1)

    def elaborate(self, platform):
        m = Module()
        come, head = self.i, self.head.as_value()
        m.d.comb += self.byte.eq(come.p.byte)
        with m.FSM(init="Wait-Byte"):
            with m.State("Wait-Byte"):
                m.d.comb += [come.ready.eq(1), self.sums.eq(come.valid & ~come.p.end)]
                with m.If(come.valid & come.p.end):
                    m.d.comb += self.done.eq(1)
                    m.d.sync += self.broken.eq(come.p.broken)
                    m.next = "Wait-Begin"
                with m.Elif(come.valid & (self.at <= FRAME_MAX)):
                    m.d.comb += self.puts.eq(1)
                    with m.If(self.at < REQUEST_HEAD):
                        m.d.sync += head.eq(Cat(head[8:], come.p.byte))
            with m.State("Wait-Begin"):
                with m.If(self.next_word):
                    m.d.sync += self.head.address.eq(self.head.address + WORD)
                with m.If(self.begin):
                    m.next = "Wait-Byte"
        return m
