"""Bench of hdl.link.Link: frames as bits of the line, answers and memory against sim.board.Board."""

import random

import cocotb
from cocotb.triggers import First, RisingEdge, Timer

from hdl.frames import WINDOW, WORDS_MAX, Answer, Kind
from hdl.hostport import Request, Response
from sim.board import Board, decode_frame, encode_frame, request
from sim.line import CYCLE, LineSource, receive_line
from sim.stream import decode, encode, start

BIT     = int(cocotb.plusargs["divisor"]) * CYCLE
BYTE    = 10 * BIT
SESSION = 0x1234
REFUSED = 0x3FF000  # the core refuses addresses from here on, but for the last word
TOP     = 0x3FFFFC


class Words:
    """What a core does: words by address, some of them without a zero byte."""

    def __init__(self):
        self.words, self.asked = {}, []

    def __call__(self, write, address, data, mask):
        self.asked.append((write, address, *((data, mask) if write else ())))
        before = self.words.get(address, 0x01010101 * (address >> 2 & 0xFF))
        if REFUSED <= address < TOP:
            return 0xDEADBEEF, 1
        if not write:
            return before, 0
        bits = sum(0xFF << 8 * byte for byte in range(4) if mask >> byte & 1)
        self.words[address] = before & ~bits | data & bits
        return 0xBAD0BAD0, 0  # which nobody should see


async def serve(dut, words, pause):
    """The core behind the link; with ``pause``, it takes up to 20 cycles a request."""
    rng = random.Random(81)
    dut.response__valid.value = dut.request__ready.value = 0
    while True:
        dut.request__ready.value = int(not pause)
        while not dut.request__valid.value:
            await RisingEdge(dut.request__valid)
            await RisingEdge(dut.clk)
        offered = int(dut.request__payload.value)
        for _ in range(rng.randrange(1, 10) if pause else 0):
            await RisingEdge(dut.clk)
            assert dut.request__valid.value, "the request was withdrawn"
            assert int(dut.request__payload.value) == offered, "the request changed"
        if pause:
            dut.request__ready.value = 1
            await RisingEdge(dut.clk)
        dut.request__ready.value = 0
        asked = decode(Request, offered)
        data, error = words(bool(asked["write"]), asked["address"], asked["data"], asked["mask"])
        for _ in range(rng.randrange(10) if pause else 0):
            await RisingEdge(dut.clk)
        dut.response__payload.value = encode(Response, {"data": data, "error": error})
        dut.response__valid.value = 1
        await RisingEdge(dut.clk)
        while not dut.response__ready.value:
            await RisingEdge(dut.clk)
        dut.response__valid.value = 0


class Host:
    """The host's end of the line, and the board as it should be."""

    def __init__(self, dut, pause):
        self.dut, self.found, self.expected = dut, [], []
        self.line, self.words, self.model = LineSource(dut.rx, BIT), Words(), Words()
        self.board = Board(self.model)
        dut.rx.value = 1
        self._tasks = [cocotb.start_soon(serve(dut, self.words, pause)),
                       cocotb.start_soon(self._listen())]

    async def _listen(self):
        frame = b""
        while True:
            byte = await receive_line(self.dut.tx, BIT)
            if byte:
                frame += bytes([byte])
            elif frame:
                self.found.append(decode_frame(frame))
                frame = b""

    async def send(self, coded):
        self.expected += self.board.receive(coded)
        for byte in coded:
            await self.line.send(byte)

    async def check(self, limit=3000):
        """Wait for the answers, at most ``limit`` times a byte; all must be as expected."""
        for _ in range(limit):
            if len(self.found) >= len(self.expected):
                break
            await Timer(BYTE, "ps")
        await Timer(30 * BYTE, "ps")  # for what should not come
        assert self.found == self.expected
        assert self.words.asked == self.model.asked
        assert self.words.words == self.model.words

    async def hello(self, sequence=0, session=SESSION):
        await self.send(encode_frame(request(Kind.HELLO, sequence, session)))
        await self.check()


async def connect(dut, pause=0):
    """A host on the line of a board after reset."""
    host = Host(dut, pause)
    await start(dut, limit=100_000)
    await Timer(2 * BYTE, "ps")
    return host


def random_words(rng, count):
    """Words full of zero bytes, with some, or with none: groups of COBS of all sizes."""
    choices = rng.choice([[0], [0, 1, 255], range(1, 256), range(256)])
    return [int.from_bytes(rng.choices(choices, k=4), "little") for _ in range(count)]


def random_request(rng, kind, sequence, session=SESSION):
    """A WRITE or READ that is whole."""
    count   = rng.choice([0, 1, 1, 2, 3, rng.randrange(WORDS_MAX), WORDS_MAX])
    address = rng.choice([0, 0x1000, 0x1000, 0x200000, TOP - 4, REFUSED - 8, TOP])
    masks   = rng.choice([0xFF, rng.randrange(256)])
    words   = random_words(rng, count) if kind is Kind.WRITE else ()
    return request(kind, sequence, session, address=address, count=count, masks=masks, words=words)


def spoilt(rng, text):
    """The line's bytes for a request that is not right in one of many ways."""
    coded = encode_frame(text)
    at, wrong = rng.randrange(len(coded)), bytearray(coded)
    wrong[at] ^= 1 << rng.randrange(8)
    head = bytearray(text)
    head[rng.choice([0, 0, 7])] = rng.choice([0, 1, 2, 3, 4, 65, 255])
    return rng.choice([
        bytes(wrong), coded[:at] + coded[at + 1:], coded[:at] + b"\0" + coded[at:],
        coded[:at] + bytes([rng.randrange(256)]) + coded[at:], coded[:at] + b"\0",
        coded[:-1] + b"\x01\x01" * rng.randrange(1, 200) + b"\0",
        encode_frame(text + bytes(4)), encode_frame(text + bytes(1)), encode_frame(text[:-1]),
        encode_frame(text[:rng.randrange(9)]), encode_frame(bytes(head)),
        encode_frame(text + bytes(range(256))), bytes(rng.randrange(1, 9)),
        encode_frame(b"\x02" + text[1:7] + b"\x40" + text[8:9] + bytes(257))])


def random_burst(rng, sequence):
    """Bytes of up to ``WINDOW`` requests, READs last; each is right, late, early or spoilt."""
    kinds = sorted((rng.choice([Kind.WRITE, Kind.READ]) for _ in range(rng.randint(1, WINDOW))),
                   key=lambda kind: kind.value)
    for number, kind in enumerate(kinds, start=sequence + 1):
        case = rng.randrange(12)
        off  = rng.choice([-256, -17, -16, -15, -1, 1, 2, 100]) if case == 0 else 0
        session = rng.choice([0, SESSION ^ 1, SESSION ^ 0x8000]) if case == 1 else SESSION
        text = random_request(rng, kind, (number + off) % 256, session)
        if case == 2 and (kind is Kind.WRITE):
            yield spoilt(rng, text)
        yield encode_frame(text)
        if case == 3:  # again, though it has been executed
            yield encode_frame(text)


@cocotb.test
@cocotb.parametrize(pause=[0, 1])
async def answers_are_the_protocols(dut, pause):
    """Random bursts: every answer, every request to the core, and the words in the end."""
    rng  = random.Random(82 + pause)
    host = await connect(dut, pause)
    await host.send(encode_frame(request(Kind.WRITE, 1, 0, count=1, words=[1])))
    await host.hello(0xF8)
    for _ in range(40):
        executed = host.expected[-1][4]
        for coded in random_burst(rng, executed):
            await host.send(coded)
        await host.check()

    codes = {answer[0] for answer in host.expected}
    assert codes == {code.value for code in Answer}
    assert len(host.words.asked) > 1000
    assert any(len(answer) > 260 and 0 not in answer[6:] for answer in host.expected)
