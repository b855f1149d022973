"""Host link: the frames of ``hdl.link.frames`` on a UART become requests to the core."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import crc, data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay
from hdl.request import Request, Response

from .cobs import CobsDecoder, CobsEncoder
from .frames import ANSWER_HEAD, CRC_BYTES, RECENT, REQUEST_HEAD, WORDS_MAX, Answer, Kind
from .uart import UartReceiver, UartTransmitter

__all__ = ["Link"]

_WORD      = Request["data"].width // 8      # all of these in bytes
_FRAME_MIN = REQUEST_HEAD + CRC_BYTES
_FRAME_MAX = _FRAME_MIN + _WORD * WORDS_MAX  # no answer is longer
_DEPTH     = 16 * -(-(_FRAME_MAX + 1) // 16) # memories are 16 deep
_WAITING   = 256
_NO_BLOCK  = {"ram_style": "distributed"}    # a full device has no block RAM to spare

_Head = data.StructLayout({"kind": Kind, "sequence": 8, "session": 16, "address": 24, "count": 8,
                           "first": _WORD, "last": _WORD})


class _Waiting(wiring.Component):
    """A queue of ``_WAITING`` bytes; one that comes when it is full is dropped.

    Latency 1 cycle, throughput 1 byte a cycle, honours backpressure. Takes no parameters.

    Members
    -------
    i : In(stream of 8 bits), always ready; o : Out(stream of 8 bits)
    """

    i: In(stream.Signature(8, always_ready=True))
    o: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.bytes = bytes_ = Memory(shape=8, depth=_WAITING, init=[], attrs=_NO_BLOCK)
        writer, reader = bytes_.write_port(), bytes_.read_port(domain="comb")
        level  = Signal(range(_WAITING + 1))
        put    = self.i.valid & (level != _WAITING)
        take   = self.o.valid & self.o.ready
        m.d.comb += [writer.data.eq(self.i.payload), writer.en.eq(put), self.o.valid.eq(level != 0),
                     self.o.payload.eq(reader.data)]
        m.d.sync += [level.eq(level + put - take), writer.addr.eq(writer.addr + put),
                     reader.addr.eq(reader.addr + take)]
        return m


class Link(wiring.Component):
    """Execute the requests of a host, one frame after the other, and answer them.

    A frame and its answer share one memory, so a frame is decoded when the answer to the one before
    has been handed to the transmitter. Bytes that come meanwhile wait as they came, 256 of them at
    most, and no byte is lost if the host keeps to the rules: an answer without words is shorter
    than its request, so only the answers of READs let bytes pile up. Behind a READ without an
    answer there are only READs, 7 of 15 bytes each on the line, and as many as 8 when the host
    sends again: 225. A host that does otherwise loses bytes, which breaks frames and nothing else.

    A word takes up to 16 cycles and those of the core. Of an answer each byte takes 6 cycles more
    than its time on the line, before the first byte is sent or between its groups. Latency from the
    end of a request to the start of its answer: 60 cycles at most, and those of its words.
    Throughput that of the line, a byte in ``10 * divisor`` cycles, and one frame at a time. The
    line has no backpressure, ``request`` has.

    Parameters
    ----------
    divisor : int, cycles a bit, at least 4; TypeError for what is no int, ValueError below

    Members
    -------
    rx : In(1), of any clock; tx : Out(1)
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
        m.submodules.decoder = self._decoder = CobsDecoder()
        m.submodules.encoder = self._encoder = CobsEncoder(depth=_DEPTH)
        m.submodules.crc     = self._crc     = crc.catalog.CRC32_ISO_HDLC(data_width=8).create()
        self._at    = Signal(range(_DEPTH))   # address in the memory
        self._part  = Signal(range(_WORD))    # of a word
        self._head  = Signal(_Head)
        self._left  = Signal(range(WORDS_MAX + 1))
        self._number = self._head.sequence[:exact_log2(RECENT)]
        self._first = Signal()                # no word of this request has been asked for
        self._word  = Signal(8 * _WORD)
        self._code  = Signal(Answer, init=Answer.DONE)
        self._session, self._executed = Signal(16), Signal(8)
        self._refused = Signal(RECENT)        # WRITEs executed last, by their number
        self._line(m)
        self._memory(m)
        with m.FSM():
            self._receive(m)
            self._judge(m)
            self._execute(m)
            self._answer(m)
        return m

    def _line(self, m):
        """The way of bytes from ``rx`` to the decoder and from the encoder to ``tx``."""
        m.submodules.receiver    = receiver    = self._receiver
        m.submodules.transmitter = transmitter = self._transmitter
        m.submodules.waiting     = waiting     = _Waiting()
        wiring.connect(m, receiver.o, waiting.i)
        wiring.connect(m, waiting.o, self._decoder.i)
        wiring.connect(m, self._encoder.o, transmitter.i)
        m.d.comb += [receiver.rx.eq(self.rx), self.tx.eq(transmitter.tx)]

    def _memory(self, m):
        """The frame or its answer; ``_found`` is the byte at ``_at`` if ``_settled``."""
        m.submodules.frame = frame = Memory(shape=8, depth=_DEPTH, init=[], attrs=_NO_BLOCK)
        reader, writer = frame.read_port(domain="comb"), frame.write_port()
        self._found, self._settled, fetched = Signal(8), Signal(), Signal()
        byte = delay(m, reader.data, 1, name="byte")
        self._moved, self._put, self._byte  = Signal(), writer.en, writer.data
        m.d.sync += [self._found.eq(byte), fetched.eq(~self._moved),
                     self._settled.eq(fetched & ~self._moved)]
        m.d.comb += [
            reader.addr.eq(Mux(self._encoder.busy, self._encoder.address, self._at)),
            writer.addr.eq(self._at), self._byte.eq(self._decoder.o.p.byte),
            self._encoder.length.eq(self._at), self._encoder.byte.eq(self._found),
            self._crc.start.eq(self._at == 0)]

    def _go(self, m, address):
        m.d.comb += self._moved.eq(1)
        m.d.sync += self._at.eq(address)

    def _write(self, m, byte):
        """Put ``byte`` at ``_at`` and go on."""
        m.d.comb += [self._put.eq(1), self._byte.eq(byte)]
        self._go(m, self._at + 1)

    def _receive(self, m):
        """State that takes a frame; ``_at`` is how many bytes there are, one more if too many."""
        come, head = self._decoder.o, self._head.as_value()
        self._broken = Signal()
        with m.State("Wait-Byte"):
            m.d.comb += [come.ready.eq(1), self._crc.data.eq(come.p.byte),
                         self._crc.valid.eq(come.valid & ~come.p.end)]
            with m.If(come.valid & come.p.end):
                m.d.sync += self._broken.eq(come.p.broken)
                m.next = "Check-Frame"
            with m.Elif(come.valid & (self._at <= _FRAME_MAX)):
                self._write(m, come.p.byte)
                with m.If(self._at < REQUEST_HEAD):
                    m.d.sync += head.eq(Cat(head[8:], come.p.byte))

    def _judge(self, m):
        """States that find what to do with a frame: three conditions first, then the answer."""
        head = self._head
        whole, fits = Signal(), Signal()
        behind = Signal(8)  # requests since this one
        write, read = head.kind == Kind.WRITE, head.kind == Kind.READ
        hello = head.kind == Kind.HELLO
        again = behind < RECENT
        refused = Signal()
        size  = _FRAME_MIN + Mux(write, head.count << 2, 0)
        with m.State("Check-Frame"):
            m.d.sync += [
                whole.eq(self._crc.match_detected & ~self._broken & (self._at >= _FRAME_MIN)
                         & (self._at <= _FRAME_MAX)),
                fits.eq((hello | write | read) & (head.count <= WORDS_MAX) & (self._at == size)),
                behind.eq(self._executed - head.sequence),
                refused.eq(self._refused.bit_select(self._number, 1))]
            m.next = "Judge"
        with m.State("Judge"):
            m.d.sync += [self._left.eq(head.count), self._first.eq(1),
                         self._code.eq(Answer.DONE)]
            self._go(m, 0)
            m.next = "Put-Head"
            with m.If(~whole):
                m.next = "Wait-Byte"
            with m.Elif(~fits | hello & (head.session == 0)):
                m.d.sync += self._code.eq(Answer.BAD)
            with m.Elif(hello):
                m.d.sync += [self._session.eq(head.session), self._executed.eq(head.sequence),
                             self._refused.eq(0)]
            with m.Elif((head.session != self._session) | (head.session == 0)):
                m.d.sync += self._code.eq(Answer.FOREIGN)
            with m.Elif(behind.all() | again & read):
                with m.If(~again):
                    m.d.sync += [self._executed.eq(head.sequence),
                                 self._refused.bit_select(self._number, 1).eq(0)]
                self._go(m, Mux(read, ANSWER_HEAD, REQUEST_HEAD))
                m.next = "Next-Word"
            with m.Elif(~again):
                m.d.sync += self._code.eq(Answer.AHEAD)
            with m.Elif(refused):
                m.d.sync += self._code.eq(Answer.REFUSED)

    def _execute(self, m):
        """States that write words of the memory to the core, or read them from it."""
        head, write = self._head, self._head.kind == Kind.WRITE
        every = (1 << _WORD) - 1
        m.d.comb += [
            self.request.p.write.eq(write), self.request.p.address.eq(head.address),
            self.request.p.data.eq(self._word),
            self.request.p.mask.eq(Mux(self._first, head.first, every)
                                   & Mux(self._left == 1, head.last, every))]
        shifted = Cat(self._word[8:], self._found)
        with m.State("Next-Word"):
            m.next = "Ask-Core"
            with m.If(self._left == 0):
                self._go(m, 0)
                m.next = "Put-Head"
            with m.Elif(write):
                m.next = "Get-Word"
        with m.State("Get-Word"):
            with m.If(self._settled):
                m.d.sync += [self._word.eq(shifted), self._part.eq(self._part + 1)]
                self._go(m, self._at + 1)
                with m.If(self._part == _WORD - 1):
                    m.next = "Ask-Core"
        with m.State("Ask-Core"):
            m.d.comb += self.request.valid.eq(1)
            with m.If(self.request.ready):
                m.next = "Wait-Core"
        with m.State("Wait-Core"):
            m.d.comb += self.response.ready.eq(1)
            with m.If(self.response.valid):
                m.d.sync += [self._word.eq(self.response.p.data), self._first.eq(0),
                             self._left.eq(self._left - 1), head.address.eq(head.address + _WORD)]
                with m.If(self.response.p.error):
                    m.d.sync += self._code.eq(Answer.REFUSED)
                    with m.If(write):
                        m.d.sync += self._refused.bit_select(self._number, 1).eq(1)
                m.next = "Put-Word"
                with m.If(write):
                    m.next = "Next-Word"
        with m.State("Put-Word"):
            self._write(m, self._word[:8])
            m.d.sync += [self._word.eq(shifted), self._part.eq(self._part + 1)]
            with m.If(self._part == _WORD - 1):
                m.next = "Next-Word"

    def _answer(self, m):
        """States that put head and CRC around the words, and hand all of it to the encoder."""
        head, count, length = self._head, Signal(8), Signal.like(self._at)
        carries = (head.kind == Kind.READ) & (self._code == Answer.DONE)
        m.d.sync += [count.eq(Mux(carries, head.count, 0)),  # known before they are needed
                     length.eq(ANSWER_HEAD + (count << 2))]
        answer = Cat(self._code, head.sequence, self._session, self._executed, count)
        with m.State("Put-Head"):
            self._write(m, answer.word_select(self._at[:3], 8))
            with m.If(self._at == ANSWER_HEAD - 1):
                self._go(m, 0)
                m.next = "Sum-Bytes"
        with m.State("Sum-Bytes"):
            m.d.comb += self._crc.data.eq(self._found)
            with m.If(self._settled):
                with m.If(self._at == length):
                    m.next = "Put-Sum"
                with m.Else():
                    m.d.comb += self._crc.valid.eq(1)
                    self._go(m, self._at + 1)
        with m.State("Put-Sum"):
            self._write(m, self._crc.crc.word_select(self._part, 8))
            m.d.sync += self._part.eq(self._part + 1)
            with m.If(self._part == CRC_BYTES - 1):
                m.next = "Wait-Encoder"
        with m.State("Wait-Encoder"):
            m.d.comb += self._encoder.start.eq(1)
            with m.If(~self._encoder.busy):
                m.next = "Wait-Sent"
        with m.State("Wait-Sent"):
            with m.If(~self._encoder.busy):
                self._go(m, 0)
                m.next = "Wait-Byte"
