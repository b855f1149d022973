# SPDX-License-Identifier: Apache-2.0
"""The rules of the host link, at the host's end."""

import struct
import zlib

import numpy as np
import pytest

from tests.support.fake.board import FakeBoard, answer_frame, stuffed, unstuffed
from tests.support.fake.core import SparseCore
from tests.support.fake.port import (
    DeafPort,
    FakePort,
    Line,
    ScriptedPort,
    numbers,
    opened,
    scripted,
)
from xymac.hdl.link.frames import WINDOW, WORDS_MAX, Answer
from xymac.host.device.link import RETRIES, TIMEOUT, Link, LinkError

SPACE = 1 << 22


def test_requests_byte_by_byte():
    link, port, _ = opened()
    ((hello,),) = port.calls
    session = int.from_bytes(hello[2:4], "little")
    port.calls.clear()

    link.write(0x123454, [0x11223344, 0xFFFFFFFF], first_mask=0xC, last_mask=0x3)
    link.read(0x3FFFFC, 1)

    def request(kind, sequence, address, count, masks, data=b""):
        body = struct.pack("<BBHHBBB", kind, sequence, session, address & 0xFFFF, address >> 16,
                           count, masks) + data
        return body + struct.pack("<I", zlib.crc32(body))

    first = hello[1]
    assert hello == request(1, first, 0, 0, 0)
    assert port.calls == [
        [request(2, first + 1, 0x123454, 2, 0x3C, bytes.fromhex("44332211ffffffff"))],
        [request(3, first + 2, 0x3FFFFC, 1, 0)]]


def test_sessions_are_random_and_not_0(monkeypatch):
    sessions = {opened()[1].board.session for _ in range(20)}
    assert len(sessions) > 15
    assert 0 not in sessions
    for lowest, session in ((0, 1), (-1, 0xFFFF)):
        monkeypatch.setattr("xymac.host.device.link.secrets.randbelow",
                            lambda n, at=lowest: range(n)[at])
        assert opened()[1].board.session == session


def test_a_frame_that_an_earlier_program_left_is_ended():
    port = FakePort(FakeBoard(SparseCore()))
    port.board.receive(b"\x05\x01\x02")
    Link(port, clock=port.clock)
    assert port.now == 0


def test_answers_to_an_earlier_program_are_ignored():
    """Before the answer to HELLO nothing counts, not even of the same number."""
    port = ScriptedPort(FakeBoard(SparseCore()))
    port.more = b"".join(answer_frame(answer, number, 77, 9)
                         for answer in Answer for number in range(256))
    assert Link(port, clock=port.clock).read(0, 1).tolist() == [0]
    assert port.now == 0


def test_a_frame_without_its_end_is_ended(monkeypatch):
    """The zero that is sent first ends it, so that what comes again is not lost with it."""
    link, port, core = opened()
    cut = [-1]
    monkeypatch.setattr(port.there, "carry", lambda data: (data[:cut.pop() if cut else None], 0))
    link.write(0, [5])
    assert port.now == TIMEOUT
    assert core.words == {0: 5}


@pytest.mark.parametrize("count", [1, 2, 3, 63, 64, 65, 128, 129, 700])
def test_words_and_strobes(count):
    link, _, core = opened()
    for masks in range(256):
        if count > 3 and masks not in (0xFF, 0x3C, 0x70, 0x0F):
            continue
        core.writes.clear()
        words, strobes = numbers(count, masks), np.full(count, 0xF)
        strobes[0]  &= masks & 0xF
        strobes[-1] &= masks >> 4
        link.write(0x1000, words, masks & 0xF, masks >> 4)
        assert core.writes == [(0x1000 + 4 * at, int(words[at]), strobes[at])
                               for at in range(count)]
    words = link.read(0x1000, count)
    assert words.dtype == np.uint32
    assert words.tolist() == [core.words[0x1000 + 4 * at] for at in range(count)]


def test_no_words():
    link, port, core = opened()
    link.write(0, [])
    assert link.read(0, 0).tolist() == []
    assert len(port.calls) == 1
    assert not core.writes


def test_ends_of_the_space():
    link, _, _ = opened()
    link.write(SPACE - 4 * 130, numbers(130))
    np.testing.assert_array_equal(link.read(SPACE - 4 * 130, 130), numbers(130))


@pytest.mark.parametrize("kind", ["writing", "reading"])
def test_window_resending_and_silence(kind):
    """8 requests, the same 8 after every timeout, and an error after the last of them."""
    port = DeafPort(FakeBoard(SparseCore()))
    link = Link(port, clock=port.clock)

    with pytest.raises(LinkError, match=rf"^The board on fake0 has not answered for "
                                        rf"{RETRIES * TIMEOUT} s while {kind} 1,000 words from "
                                        rf"0x40 on$"):
        link.write(0x40, numbers(1000)) if kind == "writing" else link.read(0x40, 1000)

    _, *calls = port.calls
    assert len(calls) == RETRIES
    assert all(call == calls[0] for call in calls)
    assert [frame[1] for frame in calls[0]] == [(2 + at) % 256 for at in range(WINDOW)]
    assert port.now == RETRIES * TIMEOUT
    with pytest.raises(LinkError, match=r"^The link over fake0 has failed before and must be op"):
        link.read(0, 1)


def test_ahead_is_answered_at_once():
    """The third request is lost: it and all behind it come again, in no time, once."""
    link, port = scripted(requests=(2,))
    words = numbers(8 * WORDS_MAX)
    link.write(0, words)

    assert port.now == 0
    assert [[frame[1] for frame in call] for call in port.calls] == [
        [2, 3, 4, 5, 6, 7, 8, 9], [4, 5, 6, 7, 8, 9]]
    assert [data for _, data, _ in port.board.core.writes] == words.tolist()


def test_a_lost_answer_is_waited_for_once():
    """What was executed is not executed again, and the window does not move past the gap."""
    link, port = scripted(answers=(1,))
    words = numbers(12 * WORDS_MAX)
    link.write(0, words)

    assert port.now == TIMEOUT
    assert [3] in [[frame[1] for frame in call] for call in port.calls]
    assert [data for _, data, _ in port.board.core.writes] == words.tolist()
    sent = [frame[1] for call in port.calls for frame in call]
    assert max(sent[:sent.index(3, 2)]) == 3 + WINDOW - 1


def test_answers_that_are_not_meant_are_ignored():
    """Damaged, of another number or session, too long or too short, and those of long ago."""
    session = 77
    link, port = scripted()
    mine  = port.board.session
    wrong = np.uint32(0xBADBAD).tobytes()
    good  = answer_frame(Answer.DONE, 2, mine, 2, wrong)
    body  = unstuffed(good[:-1])
    port.more = b"".join([
        b"\0\0", b"\x01\0", b"\x03\x81\0", bytes([good[0], good[1] ^ 1]) + good[2:],
        *(stuffed(body[:at] + bytes([body[at] ^ 1]) + body[at + 1:]) + b"\0"
          for at in range(len(body))), good[:-2] + b"\0", good[:9] + good[10:],
        answer_frame(Answer.DONE, 9, mine, 2, wrong), answer_frame(Answer.DONE, 1, mine, 2, wrong),
        answer_frame(Answer.DONE, 2, session, 2, wrong), answer_frame(Answer.DONE, 2, mine, 2),
        answer_frame(Answer.DONE, 2, mine, 2, 2 * wrong),
        answer_frame(Answer.REFUSED, 1, mine, 2), answer_frame(Answer.BAD, 2, session, 2),
        answer_frame(Answer.REFUSED, 2, session, 2), answer_frame(Answer.FOREIGN, 9, 0, 2),
        answer_frame(Answer.AHEAD, 7, mine, 2), bytes(range(1, 256)) * 4])
    port.board.core.words[8] = 0xC0FFEE

    assert link.read(8, 1).tolist() == [0xC0FFEE]
    assert port.now == TIMEOUT  # The answer was the end of what came last.
    port.more = answer_frame(Answer.DONE, 2, mine, 2, wrong)
    assert link.read(8, 1).tolist() == [0xC0FFEE]


def test_an_answer_counts_once():
    """Each answer comes twice; the second is none to a later request."""
    link, port, core = opened(back=Line(1.0, ["twice"]))
    words = numbers(3000)
    link.write(0, words)
    np.testing.assert_array_equal(link.read(0, 3000), words)
    assert port.now == 0
    assert len(core.writes) == 3000


def test_an_answer_without_its_end_takes_no_other_with_it():
    class Endless(Line):
        """Loses the end of the first frame that passes once it is ``armed``."""

        armed = False

        def carry(self, data):
            data, self.armed = data[:-1] if self.armed else data, False
            return data, 0.0

    link, port, core = opened(back=(line := Endless()))
    core.words[0] = 77
    port.calls.clear()
    line.armed = True
    assert link.read(0, 1).tolist() == [77]
    assert len([call for call in port.calls if call]) == 2
