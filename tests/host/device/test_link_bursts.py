# SPDX-License-Identifier: Apache-2.0
"""Bursts of wrong bits in frames of the link: no request with one is executed, no answer taken."""

import random

from tests.support.fake.board import answer_frame
from tests.support.fake.port import with_burst
from tests.support.seed import SEED
from xymac.hdl.link.frames import WORDS_MAX, Answer, Kind
from xymac.host.device.link import _decode_answer
from xymac.sim.agents.link_model import Board, encode_frame, request

COUNT   = 2000  #: Frames in each direction without --stimuli.
SESSION = 0x5A17


def draw_request(rng):
    """Encoded WRITE or READ, the next of its session."""
    kind  = rng.choice([Kind.WRITE, Kind.READ])
    count = rng.choice([0, 1, 2, 3, rng.randrange(WORDS_MAX + 1)])
    words = [rng.choice([0, rng.getrandbits(32)]) for _ in range(count * (kind is Kind.WRITE))]
    return encode_frame(request(kind, 1, SESSION, address=4 * rng.randrange(1 << 20), count=count,
                                masks=0xFF, words=words))


def test_requests_with_bursts(stimuli, counted):
    """Nothing happens; the same request without them is executed afterwards."""
    count, rng = stimuli(COUNT), random.Random(SEED.value)
    for number in range(count):
        asked = []

        def core(*arguments, asked=asked):
            asked.append(arguments)
            return 0, False

        board = Board(core)
        board.receive(encode_frame(request(Kind.HELLO, 0, SESSION)))
        coded = draw_request(rng)
        wrong = with_burst(coded, rng)
        answers = board.receive(wrong)
        assert not asked, (number, coded.hex(), wrong.hex())
        assert not answers, (number, coded.hex(), wrong.hex())
        [answer] = board.receive(b"\0" + coded)
        assert answer[0] == Answer.DONE.value
    counted("requests of the link with bursts of errors", count)


def test_answers_with_bursts(stimuli, counted):
    """The host takes none for another answer."""
    count, rng = stimuli(COUNT), random.Random(SEED.value + 1)
    for number in range(count):
        words = rng.randbytes(4 * rng.choice([0, 1, 2, WORDS_MAX]))
        coded = answer_frame(Answer.DONE, rng.randrange(256), SESSION, rng.randrange(256), words)
        wrong = with_burst(coded, rng)
        for frame in wrong.split(b"\0"):
            assert _decode_answer(frame) is None, (number, coded.hex(), wrong.hex())
        assert _decode_answer(coded[:-1]) is not None
    counted("answers of the link with bursts of errors", count)
