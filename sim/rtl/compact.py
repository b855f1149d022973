# SPDX-License-Identifier: Apache-2.0
"""Compact core in Verilator, with backdoor access to its memories."""

from pathlib import Path

import amaranth
import numpy as np

from xymac.hdl.compact.core import Compact
from xymac.hdl.compact.memory import PROGRAM, TRACE, X, Y
from xymac.hdl.isa import PASS_STRIDE, TRACE_STRIDE, Memory, Program

from .harness import build_harness

__all__ = ["CompactBackdoor", "compact_library"]

_HALVES = ("low_half", "high_half")  # memories that hold the 16-bit words
_HDL    = Path(__file__).resolve().parents[2] / "hdl"


def compact_library(*, trace=False):
    """Return the compact core's library; builds it if the hardware changed."""
    sources = [*sorted(_HDL.rglob("*.py")), amaranth.__version__]
    return build_harness(Compact, _HALVES, name="compact", sources=sources, trace=trace)


class CompactBackdoor:
    """``Backdoor`` for a simulated compact core.

    Parameters
    ----------
    harness : Harness on ``compact_library``
    """

    def __init__(self, harness):
        lower, upper = (harness.memory(name).reshape(-1) for name in _HALVES)
        self._cells   = {Memory.X: lower[X:], Memory.Y: upper[Y - len(lower):]}
        self._program = lower[PROGRAM:]
        self._trace   = lower[TRACE:]

    def write_cells(self, memory, start, cells):
        """Write uint16 words ``cells`` in linear order from word ``start`` on."""
        self._cells[memory][start:start + len(cells)] = cells

    def read_cells(self, memory, start, count):
        """Return ``count`` uint16 words in linear order from word ``start`` on."""
        return self._cells[memory][start:start + count].copy()

    def load_program(self, passes, first):
        """Write ``passes`` from pass ``first`` on."""
        stride = PASS_STRIDE * 4
        for index, words in enumerate(Program(passes).words, first):
            cells = np.array(words, np.uint64).view(np.uint16)
            self._program[stride * index:stride * index + len(cells)] = cells

    def read_trace(self, first, count):
        """Return the uint32 words of ``count`` trace records, from pass ``first`` on."""
        cells = 2 * TRACE_STRIDE  # 16-bit words in a record
        return self._trace[cells * first:cells * (first + count)].copy().view(np.uint32)
