# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.link: frames as line bits; answers and memory against a model of the link."""


import cocotb
from cocotb.triggers import Timer

from xymac.hdl.link.frames import WINDOW, WORDS_MAX, Answer, Kind
from xymac.sim.agents.line import CYCLE
from xymac.sim.agents.line_host import REFUSED, SESSION, TOP, LineHost, Words
from xymac.sim.agents.link_model import Board, encode_frame, request
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

BIT  = int(cocotb.plusargs["divisor"]) * CYCLE
BYTE = 10 * BIT


async def connect(dut, pause=0):
    """Connect a host to a board after reset."""
    host = LineHost(dut, BIT, pause)
    await start(dut, limit=100_000)
    await Timer(2 * BYTE, "ps")
    return host


def random_words(rng, count):
    """Words with all, some or no zero bytes, for COBS groups of all sizes."""
    choices = rng.choice([[0], [0, 1, 255], range(1, 256), range(256)])
    return [int.from_bytes(rng.choices(choices, k=4), "little") for _ in range(count)]


def random_request(rng, kind, sequence, session=SESSION):
    """A valid WRITE or READ."""
    count   = rng.choice([0, 1, 1, 2, 3, rng.randrange(WORDS_MAX), WORDS_MAX])
    address = rng.choice([0, 0x1000, 0x1000, 0x200000, TOP - 4, REFUSED - 8, TOP])
    masks   = rng.choice([0xFF, rng.randrange(256)])
    words   = random_words(rng, count) if kind is Kind.WRITE else ()
    return request(kind, sequence, session, address=address, count=count, masks=masks, words=words)


def spoil(rng, text):
    """Encoded request bytes, corrupted in every way."""
    coded = encode_frame(text)
    at, wrong = rng.randrange(len(coded)), bytearray(coded)
    wrong[at] ^= 1 << rng.randrange(8)
    last = 0  # position of the last group's count
    while last + coded[last] < len(coded) - 1:
        last += coded[last]
    yield from (bytes(wrong), coded[:at] + coded[at + 1:], coded[:at] + b"\0" + coded[at:],
                coded[:at] + bytes([rng.randrange(256)]) + coded[at:], coded[:at] + b"\0",
                coded[:-1] + b"\x01\x01" * rng.randrange(1, 200) + b"\0",
                coded[:last] + bytes([coded[last] + 1]) + coded[last + 1:], bytes(9))
    for length in (2, 16, 32, 33, 64):  # bursts of wrong bits, the first and the last inverted
        length = min(length, 8 * len(coded))
        burst  = (1 | rng.getrandbits(length) | 1 << length - 1) << rng.randrange(
            8 * len(coded) - length + 1)
        yield (int.from_bytes(coded, "little") ^ burst).to_bytes(len(coded), "little")
    for size in (0, 1, 8, 9, len(text) - 1):
        yield encode_frame(text[:size])
    for size in (1, 4, 256):
        yield encode_frame(text + bytes(range(size)))
    longest = bytes([Kind.WRITE.value]) + text[1:7] + bytes([WORDS_MAX]) + text[8:9]
    yield encode_frame(longest + bytes(4 * WORDS_MAX + 1))
    for place, value in ((0, 0), (0, 1), (0, 3), (0, 4), (0, 0x82), (7, 65), (7, 255)):
        yield encode_frame(text[:place] + bytes([value]) + text[place + 1:])
    yield encode_frame(request(Kind.HELLO, text[1] ^ 0x40, 0))


def random_burst(rng, sequence):
    """Bytes for up to ``WINDOW`` requests, READs last; each is valid, late, early or corrupt."""
    kinds = sorted((rng.choice([Kind.WRITE, Kind.READ]) for _ in range(rng.randint(1, WINDOW))),
                   key=lambda kind: kind.value)
    for number, kind in enumerate(kinds, start=sequence + 1):
        case = rng.randrange(12)
        off  = rng.choice([-256, -17, -16, -15, -1, 1, 2, 100]) if case == 0 else 0
        session = rng.choice([0, SESSION ^ 1, SESSION ^ 0x8000]) if case == 1 else SESSION
        text = random_request(rng, kind, (number + off) % 256, session)
        if case == 2 and (kind is Kind.WRITE):
            yield rng.choice([*spoil(rng, text)])
        yield encode_frame(text)
        if case == 3:  # repeat an executed request
            yield encode_frame(text)


@cocotb.test
@cocotb.parametrize(pause=[0, 1])
async def answers_are_the_protocols(dut, pause):
    """Random bursts: check every answer, every request to the core, and the final words."""
    rng  = random_of(82 + pause)
    host = await connect(dut, pause)
    await host.send(encode_frame(request(Kind.WRITE, 1, 0, count=1, words=[1])))
    await host.hello(0xF8)
    for _ in range(60):
        executed = host.expected[-1][4]
        for coded in random_burst(rng, executed):
            await host.send(coded)
        await host.check()

    codes = {answer[0] for answer in host.expected}
    assert codes == {code.value for code in Answer}
    assert len(host.words.asked) > 500


@cocotb.test
async def spoilt_frames(dut):
    """Each kind of corrupt frame, followed by valid frames."""
    rng    = random_of(85)
    host   = await connect(dut)
    await host.hello()
    number = 0
    for words in (1, 2, 7):
        for way in range(len([*spoil(rng, bytes(9))])):
            number = (number + 1) % 256
            text   = request(Kind.WRITE, number, SESSION, address=4 * way, count=words, masks=0xFF,
                             words=random_words(rng, words))
            for coded in ([*spoil(rng, text)][way], encode_frame(text), encode_frame(text)):
                await host.send(coded)
        await host.check()


@cocotb.test
@cocotb.parametrize(kind=[Kind.WRITE, Kind.READ])
async def sequence_numbers(dut, kind):
    """All sequence numbers near the last executed number, and sessions with one wrong bit."""
    host = await connect(dut)
    await host.send(encode_frame(request(kind, 1, 0, count=1, masks=0xFF,
                                         words=[1] * (kind is Kind.WRITE))))
    for executed in (0, 7, 254):
        await host.hello(executed)
        for off, session in [*((off, SESSION) for off in (*range(2, 257 - 18, 16),
                                                          *range(2, 6), *range(-18, 2))),
                             *((1, SESSION ^ 1 << bit) for bit in range(16)), (1, 0)]:
            await host.send(encode_frame(request(
                kind, (executed + off) % 256, session, address=0x400 + 4 * abs(off), count=1,
                masks=0xFF, words=[0x5A000000 + off % 256] * (kind is Kind.WRITE))))
        await host.check()


@cocotb.test
async def groups_of_all_lengths(dut):
    """Zero bytes around the longest COBS group's end, or none; also an empty last group."""
    host = await connect(dut)
    await host.hello(1)
    plain = bytes(range(1, 256)) + b"\x01"
    texts = [plain, bytes(256), *(plain[:at] + b"\0" + plain[at + 1:] for at in (
        0, 5, 6, 245, 246, 247, 248, 249, 250, 255))]
    for number, text in enumerate(texts, start=1):
        words = [int.from_bytes(text[at:at + 4], "little") for at in range(0, len(text), 4)]
        coded = encode_frame(request(Kind.WRITE, 2 * number, SESSION, address=0x111110, count=64,
                                     masks=0xFF, words=words))
        ends_full = coded[-256:-254] == b"\xff" + coded[-255:-254]
        await host.send(coded[:-1] + b"\x01\0" if ends_full else coded)
        await host.send(encode_frame(request(Kind.READ, 2 * number + 1, SESSION, address=0x111110,
                                             count=61 if number == 1 else 64)))
        await host.check()

    assert [answer[0] for answer in host.answers] == [Answer.DONE.value] * len(host.answers)
    assert 0 not in host.answers[2], "an answer should be one full group"


@cocotb.test
@cocotb.parametrize(kind=[Kind.WRITE, Kind.READ], pause=[0, 1])
async def full_window(dut, kind, pause):
    """The most unanswered long requests, sent twice without a pause: no request is lost."""
    rng  = random_of(83)
    host = await connect(dut, pause)
    await host.hello(255)
    texts = [request(kind, number, SESSION, address=0x100000 + 256 * number, count=WORDS_MAX,
                     masks=0xFF, words=random_words(rng, 64) if kind is Kind.WRITE else ())
             for number in range(WINDOW)]
    for text in texts + texts:
        await host.send(encode_frame(text))
    await host.check(20 * 270)

    assert [answer[0] for answer in host.answers] == [Answer.DONE.value] * (1 + 2 * WINDOW)


@cocotb.test
async def frames_beyond_the_longest(dut):
    """Bytes behind the longest frame never become a request, whatever a counter of them holds."""
    rng  = random_of(86)
    host = await connect(dut)
    await host.hello()
    for number, count in enumerate((*range(244, 280), 500, *range(508, 516), 1020, 1024), 1):
        text = request(Kind.WRITE, number, SESSION, address=4 * number, count=2, masks=0xFF,
                       words=random_words(rng, 2))
        await host.send(encode_frame(text, ahead=bytes(count)))
        await host.send(encode_frame(text))
    await host.check()


@cocotb.test
async def too_many_bytes(dut):
    """A host that does not wait loses requests, but every answer is right and the link goes on."""
    host  = await connect(dut)
    await host.hello()
    texts = [request(Kind.READ, number, SESSION, address=4 * number, count=WORDS_MAX)
             for number in range(1, 46)]
    for text in texts:
        await host.send(encode_frame(text))
    seen = -1
    while seen != len(host.answers):
        seen = len(host.answers)
        await Timer(600 * BYTE, "ps")

    assert 10 < len(host.answers) < len(texts)
    assert set(host.answers) <= {*host.expected} | {
        answer for number in range(1, 46) for answer in ahead_of(texts, number)}
    host.forget()
    await host.send(b"\0")  # the end of the last request may have been lost
    await host.hello(9)
    await host.send(encode_frame(texts[9]))
    await host.check()


def ahead_of(texts, executed):
    """Answers to ``texts`` from a board with last executed number ``executed``."""
    board = Board(Words())
    board.receive(encode_frame(request(Kind.HELLO, executed, SESSION)))
    for text in texts:
        yield from (answer for answer in board.receive(encode_frame(text))
                    if answer[0] == Answer.AHEAD.value)


@cocotb.test
@cocotb.parametrize(kind=[Kind.WRITE, Kind.READ])
async def reset(dut, kind):
    """A reset in a request, during execution or in an answer ends the session, nothing else."""
    rng  = random_of(84)
    host = await connect(dut)
    for _ in range(20):
        await host.hello()
        host.expected.clear()
        host.answers.clear()
        coded = encode_frame(request(kind, 1, SESSION, count=40, masks=0xFF,
                                     words=random_words(rng, 40) if kind is Kind.WRITE else ()))
        sending = cocotb.start_soon(host.send(coded))
        await Timer(rng.randrange((len(coded) + 10 if kind is Kind.WRITE else 150) * BYTE), "ps")
        await host.reset(sending)
        assert host.words.asked == host.model.asked[:len(host.words.asked)]
        host.forget()

        await host.send(b"\0" + encode_frame(request(Kind.WRITE, 1, SESSION)))
        await host.check()
        assert host.answers[-1][:5] == bytes([Answer.FOREIGN.value, 1, 0, 0, 0])
