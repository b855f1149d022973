# SPDX-License-Identifier: Apache-2.0
"""Serial ports that lose, damage, repeat and delay what they carry, with a clock of their own."""

import random

import numpy as np

from tests.support.seed import random_of
from xymac.host.device.link import Link

from .board import FakeBoard, unstuffed
from .core import SparseCore

__all__ = ["FAULTS", "DeafPort", "FakePort", "Line", "Recorder", "ScriptedPort", "numbers",
           "opened", "scripted", "with_burst"]

#: What can happen to the bytes of one call: a name each of the methods of Line.
FAULTS = ("flip", "drop", "repeat", "insert", "cut", "lose", "twice", "late", "burst")


def with_burst(data, rng):
    """``data`` with a burst of 1 to 64 wrong bits, of which the first and the last are inverted;
    ``rng`` is a ``random.Random``."""
    length = min(rng.choice([1, 2, 3, 8, 16, 31, 32, 33, 64]), 8 * len(data))
    wrong  = 1 | rng.getrandbits(length) | 1 << length - 1
    place  = rng.randrange(8 * len(data) - length + 1)
    return (int.from_bytes(data, "little") ^ wrong << place).to_bytes(len(data), "little")


class Line:
    """One direction of a line: damages some of the frames that pass, and counts the faults.

    Parameters
    ----------
    rate : float, part of the frames that are damaged
    faults : names out of ``FAULTS``
    """

    def __init__(self, rate=0.0, faults=FAULTS, seed=0):
        self.rate, self.faults = rate, faults
        self.counts  = dict.fromkeys(FAULTS, 0)
        self.passed  = 0
        self._random = random.Random(seed)  # a line on which no word is lost too often

    def carry(self, data):
        """Returns the bytes that arrive of ``data``, and by how many timeouts they are late."""
        self.passed += len(data)
        arrived, late = bytearray(), 0.0
        for frame in data.split(b"\0")[:-1]:
            frame += b"\0"
            if self._random.random() < self.rate:
                fault = self._random.choice(self.faults)
                self.counts[fault] += 1
                if fault == "late":
                    late += self._random.uniform(0.3, 1.5)
                else:
                    frame = self._damaged(fault, bytearray(frame))
            arrived += frame
        return bytes(arrived), late

    def _damaged(self, fault, frame):
        at = self._random.randrange(len(frame))
        if fault == "flip":
            for _ in range(self._random.choice([1, 1, 1, 2, 5])):
                frame[self._random.randrange(len(frame))] ^= 1 << self._random.randrange(8)
        elif fault == "drop":
            del frame[at]
        elif fault == "repeat":
            frame.insert(at, frame[at])
        elif fault == "insert":
            frame[at:at] = self._random.randbytes(self._random.choice([1, 1, 2, 30]))
        elif fault == "burst":
            frame = bytearray(with_burst(frame, self._random))
        elif fault == "cut":
            del frame[at:at + self._random.randrange(1, 40)]
        return {"lose": bytearray(), "twice": frame * 2}.get(fault, frame)


class FakePort:
    """An open serial port with a board behind it, and a clock that waiting moves.

    Parameters
    ----------
    board : FakeBoard, or None: nobody there
    there, back : Line from and to the host
    """

    name = "fake0"

    def __init__(self, board, there=None, back=None):
        self.board, self.there, self.back = board, there or Line(), back or Line()
        self.timeout, self.closed, self.now = None, False, 0.0
        self.before   = None  #: Called before every byte that the board takes.
        self._coming  = bytearray()
        self._arrival = 0.0   # of the last byte that is under way

    def clock(self):
        """Seconds of this port."""
        return self.now

    def write(self, data):
        """Send bytes; the board's answers are under way at once."""
        arrived, late = self.there.carry(data)
        for piece in self._pieces(arrived) if self.board else ():
            if self.before:
                self.before()
            answer, delay = self.back.carry(self.board.receive(piece))
            late += delay
            self._coming += answer
        if late:
            self._arrival = max(self.now, self._arrival) + 4 * late * self.timeout
        return len(data)

    def _pieces(self, data):
        """``data`` in the parts that the board takes at once."""
        if self.before:
            return [data[at:at + 1] for at in range(len(data))]
        *frames, rest = data.split(b"\0")
        return [*(frame + b"\0" for frame in frames), *([rest] if rest else [])]

    @property
    def in_waiting(self):
        """Bytes that have come."""
        return len(self._coming) if self.now >= self._arrival else 0

    def read(self, size):
        """Return 1 to ``size`` bytes, or none after the timeout."""
        if not self.in_waiting:
            ends = self.now + self.timeout
            self.now = min(ends, max(self.now, self._arrival)) if self._coming else ends
            if not self.in_waiting:
                return b""
        data = bytes(self._coming[:size])
        del self._coming[:size]
        return data

    def close(self):
        """Close."""
        self.closed = True


class Recorder(FakePort):
    """Keeps the decoded requests of every call of ``write``."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.calls = []

    def write(self, data):
        self.calls.append([unstuffed(frame) for frame in data.split(b"\0") if frame])
        return super().write(data)


class DeafPort(Recorder):
    """The board hears one call and no other."""

    def write(self, data):
        if len(self.calls) == 1:
            self.board = None
        return super().write(data)


class ScriptedPort(Recorder):
    """Loses requests by their place among those sent, answers by their place among those given.

    ``more`` are frames that come before the answers to the next call.
    """

    requests, answers, more = (), (), b""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sent, self.given = -1, -1
        self.there = self.back = self

    def carry(self, data):
        """Stands in for both lines."""
        if not data:
            return b"", 0
        if data is self._sending:
            self.sent, first = self.sent + data.count(b"\0"), self.sent + 1
            frames = data.split(b"\0")[:-1]
            return b"".join(frame + b"\0" for at, frame in enumerate(frames, first)
                            if at not in self.requests), 0
        self.given += 1
        return b"" if self.given in self.answers else data, 0

    def write(self, data):
        self._coming += self.more
        self.more = b""
        self._sending = data
        return super().write(data)


def scripted(**script):
    """Opened without faults; then places count from 0."""
    port = ScriptedPort(FakeBoard(SparseCore()))
    link = Link(port, clock=port.clock)
    port.sent, port.given = -1, -1
    port.calls.clear()
    for name, value in script.items():
        setattr(port, name, value)
    return link, port


def opened(core=None, there=None, back=None):
    """A Link to a new board, its port and the core."""
    core = core or SparseCore()
    port = Recorder(FakeBoard(core), there, back)
    return Link(port, clock=port.clock), port, core


def numbers(count, seed=0):
    """Random words, the same for one seed."""
    return random_of(seed).integers(0, 1 << 32, count, dtype=np.uint32)
