# SPDX-License-Identifier: Apache-2.0
"""Host link: requests to the core from frames on a UART, see ``xymac.hdl.link.frames``."""

from amaranth import Module, Mux
from amaranth.lib import crc, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.request import Request, Response

from .answer import Answerer
from .buffer import DEPTH, FrameBuffer
from .byte_queue import ByteQueue
from .cobs import CobsDecoder, CobsEncoder
from .judge import Judge
from .receive import FrameReceiver
from .uart import UartReceiver, UartTransmitter
from .words import WordMover

__all__ = ["Link"]


class Link(wiring.Component):
    """Execute and answer the requests of a host, frame by frame.

    A frame and its answer share a memory, so the link decodes a frame only when the previous answer
    has reached the transmitter. Meanwhile a queue holds up to 256 received bytes. A host that
    follows the protocol never fills the queue. An answer without words is shorter than its request,
    so bytes accumulate only during answers to READs, and only READs follow an unanswered READ.
    These are 7 READs of 15 bytes, and all 8 again if the host repeats them: 225 bytes. Any other
    host may lose bytes, which breaks frames and nothing else.

    A word takes up to 16 cycles plus the core's cycles. Every answer byte costs 6 cycles beyond its
    time on the line, before the first byte or between groups. Latency from the end of a request to
    the start of its answer: at most 60 cycles, plus the cycles of its words. Throughput: a byte in
    ``10 * divisor`` cycles, and one frame at a time. ``request`` honours backpressure; the line has
    none.

    Parameters
    ----------
    divisor : int, cycles a bit, at least 4; TypeError for another type, ValueError below 4

    Members
    -------
    rx : In(1), asynchronous; tx : Out(1)
    request : Out(stream of Request), one at a time
    response : In(stream of Response)
    """

    def __init__(self, *, divisor):
        self._receiver, self._transmitter = (
            UartReceiver(divisor=divisor), UartTransmitter(divisor=divisor))
        super().__init__({
            "rx": In(1, init=1), "tx": Out(1, init=1),
            "request": Out(stream.Signature(Request)),
            "response": In(stream.Signature(Response))})

    def elaborate(self, platform):
        m = Module()
        blocks = m.submodules
        blocks.buffer, blocks.receive, blocks.judge = FrameBuffer(), FrameReceiver(), Judge()
        blocks.words, blocks.answer = WordMover(), Answerer()
        blocks.crc = crc.catalog.CRC32_ISO_HDLC(data_width=8).create()
        blocks.decoder, blocks.encoder = CobsDecoder(), CobsEncoder(depth=DEPTH)
        self._line(m, blocks)
        self._share(m, blocks)
        receive, judge, words, answer = blocks.receive, blocks.judge, blocks.words, blocks.answer
        wiring.connect(m, words.request, wiring.flipped(self.request))
        wiring.connect(m, wiring.flipped(self.response), words.response)
        m.d.comb += [
            judge.begin.eq(receive.done), judge.head.eq(receive.head),
            judge.size.eq(blocks.buffer.at), judge.broken.eq(receive.broken),
            judge.valid.eq(blocks.crc.match_detected), judge.refuse.eq(words.refused),
            words.begin.eq(judge.executes), words.head.eq(receive.head),
            answer.begin.eq(judge.answers | words.done), answer.head.eq(receive.head),
            answer.code.eq(judge.code), answer.session.eq(judge.session),
            answer.executed.eq(judge.executed),
            receive.begin.eq(judge.drops | answer.done), receive.next_word.eq(words.next_word)]
        return m

    def _line(self, m, blocks):
        """Connect ``rx`` to the frame receiver, and the encoder to ``tx``."""
        blocks.uart_receiver, blocks.uart_transmitter = self._receiver, self._transmitter
        blocks.waiting = ByteQueue()
        wiring.connect(m, self._receiver.o, blocks.waiting.i)
        wiring.connect(m, blocks.waiting.o, blocks.decoder.i)
        wiring.connect(m, blocks.decoder.o, blocks.receive.i)
        wiring.connect(m, blocks.encoder.o, self._transmitter.i)
        m.d.comb += [self._receiver.rx.eq(self.rx), self.tx.eq(self._transmitter.tx)]

    def _share(self, m, blocks):
        """Connect the users of the buffer and the CRC; only one user is active at a time."""
        buffer, encoder, answer = blocks.buffer, blocks.encoder, blocks.answer
        receive, words, judge = blocks.receive, blocks.words, blocks.judge
        for user in (receive, answer):
            m.d.comb += user.at.eq(buffer.at)
        for user in (words, answer):
            m.d.comb += [user.found.eq(buffer.found), user.settled.eq(buffer.settled)]
        m.d.comb += [
            buffer.edit.eq(words.edit.as_value() | answer.edit.as_value()),
            buffer.moves.eq(judge.drops | judge.answers | judge.executes), buffer.to.eq(judge.to),
            buffer.lent.eq(encoder.busy),
            buffer.other.eq(encoder.address), encoder.length.eq(buffer.at),
            encoder.byte.eq(buffer.found), encoder.start.eq(answer.start),
            answer.busy.eq(encoder.busy), answer.crc.eq(blocks.crc.crc),
            blocks.crc.start.eq(buffer.at == 0), blocks.crc.valid.eq(
                receive.sums | answer.sums),
            blocks.crc.data.eq(Mux(answer.reads, buffer.found, receive.byte))]
        with m.If(receive.puts):
            m.d.comb += [buffer.edit.puts.eq(1), buffer.edit.byte.eq(receive.byte),
                         buffer.edit.steps.eq(1)]
