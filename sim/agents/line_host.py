# SPDX-License-Identifier: Apache-2.0
"""A host on the line of ``xymac.hdl.link`` in cocotb, and the core, seen against a Board."""


import cocotb
from cocotb.triggers import RisingEdge, Timer

from xymac.hdl.link.frames import Kind
from xymac.hdl.request import Request, Response
from xymac.sim.agents.seed import random_of

from .line import LineSource, receive_line
from .link_model import Board, decode_frame, encode_frame, request
from .stream import decode, encode

__all__ = ["REFUSED", "SESSION", "TOP", "LineHost", "Words"]

SESSION = 0x1234
REFUSED = 0x3FF000  # the core refuses addresses from here on, but for the last word
TOP     = 0x3FFFFC


class Words:
    """Core memory: words by address; some words have no zero byte."""

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
        return 0xBAD0BAD0, 0  # must never appear


async def serve(dut, words, pause):
    """The core behind the link; with ``pause``, it takes up to 20 cycles a request."""
    rng = random_of(81)
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


class LineHost:
    """The host's end of the line, and the expected board model.

    ``answers`` holds the received answers, None for a broken answer; ``expected`` the expected
    answers.

    Parameters
    ----------
    dut : a Link in cocotb; its core is ``serve``
    bit : int, bit time, ps
    pause : int, 1 for a slow core
    """

    def __init__(self, dut, bit, pause):
        self.dut, self.answers, self.expected = dut, [], []
        self.line, self.words, self.model = LineSource(dut.rx, bit), Words(), Words()
        self.board = Board(self.model)
        dut.rx.value = 1
        self._bit, self._pause, self._frame = bit, pause, b""
        self._begin()

    def _begin(self):
        self._tasks = [cocotb.start_soon(serve(self.dut, self.words, self._pause)),
                       cocotb.start_soon(self._listen())]

    async def _listen(self):
        while True:
            byte = await receive_line(self.dut.tx, self._bit)
            if byte:
                self._frame += bytes([byte])
            elif self._frame:
                self.answers.append(decode_frame(self._frame))
                self._frame = b""

    async def reset(self, sending):
        """Reset the board for two byte times, but not the task ``sending``; wait for it and for
        silence.

        The board must complete the frame of an interrupted answer.
        """
        for task in self._tasks:
            task.cancel()
        self.dut.rst.value = 1
        cut = bool(self._frame)
        await Timer(20 * self._bit, "ps")
        self._begin()
        self.dut.rst.value = 0
        await sending
        await Timer(200 * self._bit, "ps")
        assert self.answers in ([None] * cut, self.expected), "an answer after the reset"
        assert not self._frame, "the answer cut off has no end"
        self.answers.clear()

    def forget(self):
        """Continue with a reset board that has the same memory words."""
        self.board = Board(self.model)
        self.model.words = dict(self.words.words)
        for notes in (self.expected, self.answers, self.words.asked, self.model.asked):
            notes.clear()

    async def send(self, coded):
        """Send bytes, and record the expected answers."""
        self.expected += self.board.receive(coded)
        for byte in coded:
            await self.line.send(byte)

    async def check(self, limit=3000):
        """Wait for the answers, at most ``limit`` times a byte; all must be as expected."""
        for _ in range(limit):
            if len(self.answers) >= len(self.expected):
                break
            await Timer(10 * self._bit, "ps")
        await Timer(300 * self._bit, "ps")  # for unexpected answers
        assert self.answers == self.expected
        assert self.words.asked == self.model.asked
        assert self.words.words == self.model.words

    async def hello(self, sequence=0):
        """Begin a session, and see its answer."""
        await self.send(encode_frame(request(Kind.HELLO, sequence, SESSION)))
        await self.check()
