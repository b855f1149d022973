# SPDX-License-Identifier: Apache-2.0
"""The board's end of the host link in Python, as ``xymac.hdl.link.frames`` says."""

import struct
import zlib

from xymac.hdl.link.frames import CRC_BYTES, RECENT, REQUEST_HEAD, WORDS_MAX, Answer, Kind

__all__ = ["Board", "decode_frame", "encode_frame", "request"]

_FRAME_MIN = REQUEST_HEAD + CRC_BYTES
_FRAME_MAX = _FRAME_MIN + 4 * WORDS_MAX
_GROUP     = 254  # longest COBS group, bytes


def _crc(text):
    return zlib.crc32(text).to_bytes(CRC_BYTES, "little")


def encode_frame(text, ahead=b""):
    """``text`` with its CRC, as COBS and with the zero byte.

    The CRC leaves out the bytes ``ahead`` of the text: a board takes such a frame for broken.
    """
    groups, coded = (ahead + text + _crc(text)).split(b"\0"), b""
    for number, group in enumerate(groups):
        while len(group) >= _GROUP:
            coded, group = coded + b"\xff" + group[:_GROUP], group[_GROUP:]
            if not group and number == len(groups) - 1:
                return coded + b"\0"
        coded += bytes([len(group) + 1]) + group
    return coded + b"\0"


def decode_frame(coded):
    """The frame without its CRC; None if the groups in ``coded`` or the CRC are wrong."""
    text, at = b"", 0
    while at < len(coded):
        count = coded[at] - 1
        text += coded[at + 1:at + 1 + count]
        at   += 1 + count
        if at < len(coded) and count < _GROUP:
            text += b"\0"
    if at != len(coded) or len(text) < CRC_BYTES or _crc(text[:-CRC_BYTES]) != text[-CRC_BYTES:]:
        return None
    return text[:-CRC_BYTES]


def request(kind, sequence, session, *, address=0, count=0, masks=0, words=()):
    """A request without its CRC; ``kind`` is an int or a Kind."""
    kind = getattr(kind, "value", kind)
    return struct.pack(f"<BBHIB{len(words)}I", kind, sequence, session, address | count << 24,
                       masks, *words)


class Board:
    """A board after reset.

    Parameters
    ----------
    core : function (write, address, data, mask) to (data, error), executes a request
    """

    def __init__(self, core):
        self._core    = core
        self._session = self._executed = 0
        self._refused = set()  # sequence numbers of refused WRITEs among the last executed
        self._coded   = b""

    def receive(self, coded):
        """Take bytes off the line; returns the answers to them, without CRC."""
        *frames, self._coded = (self._coded + coded).split(b"\0")
        texts = [decode_frame(frame) for frame in frames]
        return [self._answer(text) for text in texts
                if text is not None and _FRAME_MIN <= len(text) + CRC_BYTES <= _FRAME_MAX]

    def _answer(self, text):
        kind, sequence, session, place, masks = struct.unpack("<BBHIB", text[:REQUEST_HEAD])
        code, words = self._obey(kind, sequence, session, place, masks, text[REQUEST_HEAD:])
        return struct.pack(f"<BBHBB{len(words)}I", code.value, sequence, self._session,
                           self._executed, len(words), *words)

    def _obey(self, kind, sequence, session, place, masks, text):
        """The answer's code and words."""
        address, count = place & 0x3FFFFC, place >> 24
        if (kind not in [known.value for known in Kind] or count > WORDS_MAX
                or len(text) != 4 * count * (kind == Kind.WRITE.value)):
            return Answer.BAD, ()
        if kind == Kind.HELLO.value:
            if session == 0:
                return Answer.BAD, ()
            self._session, self._executed, self._refused = session, sequence, set()
            return Answer.DONE, ()
        if session != self._session or session == 0:
            return Answer.FOREIGN, ()
        recent = (self._executed - sequence) % 256 < RECENT
        if recent and kind == Kind.WRITE.value:
            return (Answer.REFUSED if sequence in self._refused else Answer.DONE), ()
        if not recent and sequence != (self._executed + 1) % 256:
            return Answer.AHEAD, ()
        if not recent:
            self._executed = sequence
            self._refused -= {(sequence - RECENT) % 256}
        code, words = self._execute(kind == Kind.WRITE.value, address, count, masks, text)
        if code is Answer.REFUSED and kind == Kind.WRITE.value:
            self._refused.add(sequence)
        return code, words

    def _execute(self, write, address, count, masks, text):
        results = []
        for index in range(count):
            mask = ((masks if index == 0 else 15) & (masks >> 4 if index == count - 1 else 15)) & 15
            word = int.from_bytes(text[4 * index:4 * index + 4], "little")
            results.append(self._core(write, (address + 4 * index) % (1 << 22), word, mask))
        if any(error for _, error in results):
            return Answer.REFUSED, ()
        return Answer.DONE, () if write else tuple(data for data, _ in results)
