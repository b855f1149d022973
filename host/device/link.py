# SPDX-License-Identifier: Apache-2.0
"""Host side of the host link: word reads and writes over an unreliable serial line."""

from __future__ import annotations

import secrets
import struct
import time
import zlib
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

from xymac.hdl.link.frames import (
    ANSWER_HEAD,
    CRC_BYTES,
    REQUEST_HEAD,
    WINDOW,
    WORDS_MAX,
    Answer,
    Kind,
)
from xymac.host.errors import InputError
from xymac.host.plural import plural

from .cobs import decode, encode
from .device import DeviceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from serial import Serial

__all__ = ["RETRIES", "TIMEOUT", "BoardError", "Link", "LinkError", "answer_bytes", "request_bytes"]

TIMEOUT = 0.5  #: Answer timeout, s.
RETRIES = 10   #: Consecutive timeouts that end a transfer.

_SPACE      = 1 << 22  # bytes
_WORD       = 4  # bytes
_SEQUENCES  = 256
_REQUEST    = struct.Struct("<BBHHBBB")  # kind, sequence, session, address (2), count, masks
_ANSWER     = struct.Struct("<BBHBB")    # kind, sequence, session, executed, count
_CODES      = 2  # COBS overhead in bytes: first code and terminating zero
_OPENING    = "opening the link"
_HINT       = ": is it the port of a board with a design of xymac, and its baud rate, --baud?"
_ANSWER_MAX = ANSWER_HEAD + _WORD * WORDS_MAX + CRC_BYTES + _CODES


def request_bytes(words: int) -> int:
    """Request size, bytes, to write ``words`` words without retransmissions."""
    return _frame_bytes(words, REQUEST_HEAD)


def answer_bytes(words: int) -> int:
    """Answer size, bytes, to read ``words`` words without retransmissions."""
    return _frame_bytes(words, ANSWER_HEAD)


def _frame_bytes(words, head):
    return _WORD * words + -(-words // WORDS_MAX) * (head + CRC_BYTES + _CODES)


class BoardError(DeviceError, InputError):
    """A board that needs the user's attention: missing, busy, or too slow."""


class LinkError(BoardError):
    """The board does not answer, or answers incorrectly; the link must be reopened."""


@dataclass(eq=False)
class _Request:
    """A pending request; ``count`` is its answer's word count, ``answer`` the answer bytes."""

    kind:     Kind
    sequence: int
    count:    int
    frame:    bytes
    answer:   bytes | None = None


class Port(Protocol):
    """The ``serial.Serial`` methods that a Link needs."""

    name:    str | None
    timeout: float | None

    @property
    def in_waiting(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> int | None: ...
    def close(self) -> None: ...


class Link:
    """Words of the core's 4 MiB address space over a serial port; see ``xymac.hdl.link.frames``.

    Opening it starts a new session. Every call returns after the board has answered all its
    requests, so a read never overtakes a write. Damaged, repeated and foreign frames are ignored.
    After a LinkError or an interrupt the link must be reopened.

    Parameters
    ----------
    timeout : float, seconds without an answer before requests are sent again
    clock : function without arguments, seconds

    LinkError if the board refuses a request, loses the session or does not answer.
    """

    def __init__(self, port: Serial | Port, *, timeout: float = TIMEOUT,
                 clock: Callable = time.monotonic) -> None:
        self.name = port.name
        self._port, self._timeout, self._clock = port, timeout, clock
        port.timeout   = timeout / 4
        self._session  = 1 + secrets.randbelow(0xFFFF)
        self._sequence = 0
        self._partial  = b""
        self._window   = deque()
        self._broken   = False
        self._transfer(_OPENING, [(Kind.HELLO, 0, 0, 0, b"")])

    def write(self, address: int, words: np.ndarray, first_mask: int = 0xF,
              last_mask: int = 0xF) -> None:
        """Write 32-bit words (ints or an array) from a byte address on.

        The masks are byte strobes for the first and the last word; a single word uses both.
        """
        words = _check_words(words)
        _check_range(address, words.size)
        for mask in (first_mask, last_mask):
            if not 0 <= mask <= 0xF:
                raise ValueError(f"A mask must be between 0 and 15, not {mask!r}")
        self._transfer(f"writing {plural(words.size, 'word')} from {address:#x} on",
                       _writes(address, words, first_mask, last_mask))

    def read(self, address: int, count: int) -> np.ndarray:
        """Return ``count`` words from a byte address on, a uint32 array."""
        _check_range(address, count)
        parts = ((Kind.READ, address + _WORD * at, min(WORDS_MAX, count - at), 0, b"")
                 for at in range(0, count, WORDS_MAX))
        data  = self._transfer(f"reading {plural(count, 'word')} from {address:#x} on", parts)
        return np.frombuffer(data, "<u4").astype(np.uint32)

    def close(self) -> None:
        """Close the port."""
        self._port.close()

    def _transfer(self, doing, parts):
        """Execute requests (kind, address, count, masks, data); returns the answers' data."""
        if self._broken:
            raise LinkError(f"The link over {self.name} has failed before and must be opened again")
        self._broken, self._doing = True, doing
        self._hear()
        pending, answers = map(self._request, parts), []
        try:
            while self._fill(pending):
                for frame in self._receive():
                    self._take(frame)
                while self._window and self._window[0].answer is not None:
                    answers.append(self._window.popleft().answer)
                self._keep_time()
        except OSError as error:
            raise LinkError(f"The port {self.name} failed while {doing}: {error}") from error
        self._broken = False
        return b"".join(answers)

    def _request(self, part):
        kind, address, count, masks, data = part
        self._sequence = (self._sequence + 1) % _SEQUENCES
        head = _REQUEST.pack(kind.value, self._sequence, self._session, address & 0xFFFF,
                             address >> 16, count, masks)
        body = head + data
        # A zero ends an unfinished frame of an earlier program before HELLO.
        start = b"\0" * (kind is Kind.HELLO)
        frame = encode(body + zlib.crc32(body).to_bytes(CRC_BYTES, "little"))
        return _Request(kind, self._sequence, count if kind is Kind.READ else 0,
                        start + frame + b"\0")

    def _fill(self, pending):
        """Send requests while the window has space; returns whether requests are pending."""
        fresh = list(islice(pending, WINDOW - len(self._window)))
        if fresh:
            self._window.extend(fresh)
            self._send(fresh)
        return bool(self._window)

    def _send(self, requests, before=b""):
        self._port.write(before + b"".join(request.frame for request in requests))
        self._since = self._clock()

    def _send_again(self):
        """Resend all unanswered requests, after a zero that ends a damaged frame."""
        self._send([request for request in self._window if request.answer is None], b"\0")

    def _receive(self):
        """Wait for bytes; returns the completed frames."""
        data = self._partial + self._port.read(max(1, self._port.in_waiting))
        *frames, partial = data.split(b"\0")
        self._partial = partial[-_ANSWER_MAX:]
        return frames

    def _take(self, frame):
        """Process a frame from the board."""
        fields = _decode_answer(frame)
        if fields is None:
            return
        answer, sequence, session, data = fields
        request = next((one for one in self._window
                        if one.sequence == sequence and one.answer is None), None)
        if request is None:
            return
        if session != self._session:
            if answer is Answer.FOREIGN and request.kind is not Kind.HELLO:
                raise LinkError(f"The board on {self.name} was reset, or another program took it, "
                                f"while {self._doing}")
        elif answer is Answer.DONE and len(data) == _WORD * request.count:
            request.answer = data
            self._hear()
        elif answer is Answer.AHEAD and not self._hurried:
            self._hurried = True
            self._send_again()
        elif answer is Answer.REFUSED:
            raise LinkError(f"The core on {self.name} refused a word while {self._doing}")
        elif answer is Answer.BAD:
            raise LinkError(f"The board on {self.name} did not understand a request while "
                            f"{self._doing}")

    def _hear(self):
        """Restart the timeout: the board made progress."""
        self._since, self._silences, self._hurried = self._clock(), 0, False

    def _keep_time(self):
        """Resend requests after a timeout; LinkError after too many timeouts."""
        if not self._window or self._clock() - self._since < self._timeout:
            return
        self._silences, self._hurried = self._silences + 1, False
        if self._silences == RETRIES:
            raise LinkError(f"The board on {self.name} has not answered for "
                            f"{RETRIES * self._timeout:.1f} s while {self._doing}"
                            f"{_HINT if self._doing == _OPENING else ''}")
        self._partial = b""  # drop an incomplete answer, which would corrupt the next
        self._send_again()


def _writes(address, words, first_mask, last_mask):
    for at in range(0, words.size, WORDS_MAX):
        part = words[at:at + WORDS_MAX]
        low  = first_mask if at == 0 else 0xF
        high = last_mask if at + part.size == words.size else 0xF
        yield Kind.WRITE, address + _WORD * at, part.size, low | high << 4, part.tobytes()


def _decode_answer(frame):
    """A frame's answer, sequence, session and data; None if it is damaged."""
    body = decode(frame)
    if body is None or len(body) < ANSWER_HEAD + CRC_BYTES:
        return None
    body, crc = body[:-CRC_BYTES], int.from_bytes(body[-CRC_BYTES:], "little")
    kind, sequence, session, _, count = _ANSWER.unpack_from(body)
    data = body[ANSWER_HEAD:]
    if crc != zlib.crc32(body) or len(data) != _WORD * count or kind not in _KINDS:
        return None
    return _KINDS[kind], sequence, session, data


_KINDS = {answer.value: answer for answer in Answer}


def _check_words(words):
    words = np.atleast_1d(words)
    if words.size and words.dtype.kind not in "iu":
        raise TypeError(f"Words must be ints, not {words.dtype}")
    if words.size and not 0 <= int(words.min()) <= int(words.max()) < 1 << 32:
        raise ValueError(f"A word must be between 0 and {(1 << 32) - 1}, not "
                         f"{int(words.min())} to {int(words.max())}")
    return np.ascontiguousarray(words, "<u4")


def _check_range(address, count):
    if address % _WORD or not 0 <= address <= address + _WORD * count <= _SPACE:
        raise ValueError(f"Words must lie at multiples of {_WORD} between 0 and {_SPACE - 1:#x}, "
                         f"not {count} from {address:#x} on")
