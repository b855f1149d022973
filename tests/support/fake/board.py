# SPDX-License-Identifier: Apache-2.0
"""The board's end of the host link, byte by byte; nothing of the host's end is used here."""

import zlib

from xymac.hdl.link.frames import RECENT, Answer, Kind

__all__ = ["FakeBoard", "answer_frame", "stuffed", "unstuffed"]


class FakeBoard:
    """The board's end of ``xymac.hdl.link.frames`` in front of a core."""

    def __init__(self, core):
        self.core = core
        self.reset()

    def reset(self):
        """Forget the session and what came of a frame."""
        self.session, self.executed, self._recent, self._bytes = 0, 0, [], bytearray()

    def receive(self, data):
        """Take bytes, the end of a frame at their own end alone; returns those of an answer."""
        self._bytes += data
        if not self._bytes.endswith(b"\0"):
            return b""
        frame, self._bytes = unstuffed(self._bytes[:-1]), bytearray()
        if frame is None or not 9 + 4 <= len(frame) <= 9 + 256 + 4:
            return b""
        if zlib.crc32(frame[:-4]) != int.from_bytes(frame[-4:], "little"):
            return b""
        answer, data = self._answer(frame[:-4])
        return answer_frame(answer, frame[1], self.session, self.executed, data)

    def _answer(self, frame):
        kind, sequence, count = frame[0], frame[1], frame[7]
        session, data = int.from_bytes(frame[2:4], "little"), frame[9:]
        known = kind in (one.value for one in Kind)
        if not known or count > 64 or len(data) != 4 * count * (kind == Kind.WRITE.value):
            return Answer.BAD, b""
        if kind == Kind.HELLO.value:
            if not session:
                return Answer.BAD, b""
            self.session, self.executed, self._recent = session, sequence, []
            return Answer.DONE, b""
        if session != self.session or not session:
            return Answer.FOREIGN, b""
        recent = [one for one, *_ in self._recent]
        if sequence in recent:
            if kind == Kind.WRITE.value:
                return self._recent[recent.index(sequence)][2], b""
            behind = self._recent[recent.index(sequence):]
            assert all(one[1] == kind for one in behind), "a write behind an unanswered read"
        elif sequence != (self.executed + 1) % 256:
            return Answer.AHEAD, b""
        else:
            self.executed = sequence
        answer, content = self._execute(kind, int.from_bytes(frame[4:7], "little"), count, frame[8],
                                        data)
        if sequence not in recent:
            self._recent = [*self._recent, (sequence, kind, answer)][-RECENT:]
        return answer, content

    def _execute(self, kind, address, count, masks, data):
        if kind == Kind.READ.value:
            words = [self.core.read(address + 4 * at) for at in range(count)]
            if None in words:
                return Answer.REFUSED, b""
            return Answer.DONE, b"".join(word.to_bytes(4, "little") for word in words)
        refused = False
        for at in range(count):
            mask = 0xF
            if at == 0:
                mask &= masks & 0xF
            if at == count - 1:
                mask &= masks >> 4
            word = int.from_bytes(data[4 * at:4 * at + 4], "little")
            refused |= self.core.write(address + 4 * at, word, mask)
        return (Answer.REFUSED if refused else Answer.DONE), b""


def answer_frame(answer, sequence, session, executed, data=b""):
    """An answer as it goes over the line."""
    head = bytes([answer.value, sequence, session & 0xFF, session >> 8, executed,
                  len(data) // 4]) + data
    return stuffed(head + zlib.crc32(head).to_bytes(4, "little")) + b"\0"


def stuffed(data):
    """COBS: each group is as long as its count says, of 254 bytes at most."""
    out = bytearray()
    for number, part in enumerate(data.split(b"\0")):
        # A group of 254 bytes has no zero behind it, so one that ends with data needs no more.
        is_last = number == data.count(b"\0")
        for at in range(0, max(len(part) + (not is_last), 1), 254):
            group = part[at:at + 254]
            out  += bytes([len(group) + 1]) + group
    return bytes(out)


def unstuffed(frame):
    """Inverse of ``stuffed``, None if it ends too early."""
    out, at, end = bytearray(), 0, len(frame)
    while at < end:
        size = frame[at]
        out += frame[at + 1:at + size]
        at  += size
        if size < 255 and at < end:
            out.append(0)
    return bytes(out) if at == end else None
