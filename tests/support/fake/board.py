"""The board's end of the host link, byte by byte; nothing of the host's end is used here."""

import zlib

from hdl.link.frames import RECENT, Answer, Kind

__all__ = ["FakeBoard", "answer_frame", "stuffed", "unstuffed"]


class FakeBoard:
    """The board's end of ``hdl.link.frames`` in front of a core."""

    def __init__(self, core):
        self.core = core
        self.reset()

    def reset(self):
        """Forget the session and what came of a frame."""
        self.session, self.executed, self._recent, self._bytes = 0, 0, [], bytearray()

    def receive(self, byte):
        """Take a byte; returns the bytes of an answer, or none."""
        if byte:
            self._bytes.append(byte)
            return b""
        frame, self._bytes = unstuffed(self._bytes), bytearray()
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
    """COBS, byte by byte."""
    out, code_at, code = bytearray([0]), 0, 1
    for index, byte in enumerate(data):
        if byte:
            out.append(byte)
            code += 1
        if byte == 0 or (code == 255 and index + 1 < len(data)):
            out[code_at] = code
            code_at, code = len(out), 1
            out.append(0)
    out[code_at] = code
    return bytes(out)


def unstuffed(frame):
    """Inverse of ``stuffed``, None if it ends too early."""
    out, left, zero = bytearray(), 0, False
    for byte in frame:
        if left:
            out.append(byte)
            left -= 1
        else:
            if zero:
                out.append(0)
            left, zero = byte - 1, byte < 255
    return None if left else bytes(out)
