# SPDX-License-Identifier: Apache-2.0
"""The golden machine as a core with a DMA for a C program, over two pipes: see ``pipe.c``."""

import contextlib
import os
import struct
import subprocess

import numpy as np

from tests.support.seed import random_of
from xymac.golden.machine.commands import run_list
from xymac.golden.machine.machine import Machine
from xymac.hdl.isa import REGISTERS, Control, ListStatus, Register, State

__all__ = ["ADDRESS", "GoldenCore", "run_beside"]

ADDRESS = 0x4000_0000  #: The image, for the core.
_READ, _WRITE, _MAP, _FLUSH, _INVALIDATE, _WAIT = range(6)


class GoldenCore:
    """Registers, external memory and lists of a core.

    Parameters
    ----------
    config : CoreConfig
    content : uint8 array or None, external memory before the program starts, or of a program that
        maps its memory; without, such a program gets noise
    ends : bool, whether lists end
    address : int, the answer to a program that maps its memory; 0 for a refusal
    """

    def __init__(self, config, content=None, *, ends=True, address=ADDRESS):
        self._machine = Machine(config)
        for memory in (self._machine.x, self._machine.y):
            memory[:] = random_of(memory.size).integers(0, 1 << 16, memory.size)
        self._memory, self._given = content, content is not None
        self._ends, self._address   = ends, address
        self._words   = {register.value: 0 for register in Register}
        self._words  |= config.capabilities.words()
        self.lists, self.windows = [], []  # first bytes of lists, and sizes
        self.flushed, self.read  = 0, 0    # bytes moved

    def serve(self, calls, answers):
        """Answer calls until the program ends."""
        while len(call := calls.read(12)) == 12:
            kind, first, second = struct.unpack("<3I", call)
            answers.write(self._answer(kind, first, second, calls))
            answers.flush()

    def _answer(self, kind, first, second, calls):
        if kind == _READ:
            return struct.pack("<I", self._words[first])
        if kind == _WAIT:
            return struct.pack("<I", self._words[Register.IRQ_MASK.value] and self._state in (
                State.DONE, State.FAULT))
        if kind == _WRITE:
            self._write(first, second)
        elif kind == _MAP:
            if not self._given:
                self._memory = random_of(1).integers(0, 256, first, np.uint8)
            return struct.pack("<I", self._address)
        elif kind == _FLUSH:
            self.flushed += second
            behind = max(0, first + second - self._memory.size)
            self._memory = np.append(self._memory, np.zeros(behind, np.uint8))
            self._memory[first:first + second] = np.frombuffer(calls.read(second), np.uint8)
        elif kind == _INVALIDATE:
            self.read += second
            return self._memory[first:first + second].tobytes()
        return b""

    @property
    def _state(self):
        return State(self._words[Register.LIST_STATUS.value] & 0xF)

    def _write(self, offset, word):
        if offset != Register.CONTROL.value:
            self._words[offset] = word
        elif word == Control.CLEAR.value and self._state is not State.BUSY:
            self._set()
        elif word == Control.STOP.value and self._state is State.BUSY:
            self._set(State.FAULT, ListStatus.STOPPED, 1)
        elif word == Control.LIST.value and self._state is State.IDLE:
            self._start()

    def _start(self):
        base, size, first = (self._words[register.value] for register in (
            Register.BASE, Register.SIZE, Register.LIST))
        assert base == (self._address or ADDRESS)
        assert size == self._memory.size or (self._given and size < self._memory.size)
        self.lists.append(first)
        self.windows.append(size)
        if not self._ends:
            self._set(State.BUSY)
            return
        outcome = run_list(self._machine, self._memory[:size], first)
        self._set(outcome.state, outcome.status, outcome.entry)
        if outcome.runs:
            last = outcome.runs[-1]
            self._words[Register.STATUS.value] = REGISTERS[Register.STATUS].pack(**{
                "state": last.state.value, "status": last.status.value, "field": last.field,
                "pass": last.pass_index})

    def _set(self, state=State.IDLE, status=ListStatus.OK, entry=0):
        self._words[Register.STATUS.value] = 0
        self._words[Register.LIST_STATUS.value] = REGISTERS[Register.LIST_STATUS].pack(
            state=state.value, status=status.value, entry=entry)


def run_beside(core, program, *arguments, given=b"", interrupt=False):
    """Exit code and output (bytes) of a program whose core is a GoldenCore.

    ``given`` is its input; with ``interrupt`` the driver waits for the interrupt, else it polls.
    """
    call_end, call_start     = os.pipe()
    answer_end, answer_start = os.pipe()
    theirs = call_start, answer_end
    (program.parent / "given").write_bytes(given)
    with (open(call_end, "rb") as calls, contextlib.suppress(BrokenPipeError),
          open(answer_start, "wb") as answers, open(program.parent / "given", "rb") as stdin,
          open(program.parent / "printed", "wb") as stdout):
        process = subprocess.Popen(
            [program, *arguments], stdin=stdin, stdout=stdout, pass_fds=theirs,
            env=os.environ | ({"XYMAC_INTERRUPT": "1"} if interrupt else {}) | {
                "XYMAC_CALLS": f"/dev/fd/{call_start}", "XYMAC_ANSWERS": f"/dev/fd/{answer_end}"})
        for number in theirs:
            os.close(number)
        try:
            core.serve(calls, answers)
        finally:
            code = process.wait(60)
    return code, (program.parent / "printed").read_bytes()
