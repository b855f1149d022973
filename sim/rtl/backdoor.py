# SPDX-License-Identifier: Apache-2.0
"""Backdoor access to X, Y, program and trace inside the simulated memories."""

import numpy as np

from xymac.hdl.core.lane import main_rows
from xymac.hdl.isa import PASS_STRIDE, PASS_WORDS, TRACE_STRIDE, Memory, Program

__all__ = ["Backdoor", "memory_names"]

_PROGRAM     = "program"
_TRACE       = "trace"
_WORD_CELLS  = 4  # 16-bit words in a 64-bit program word
_TRACE_CELLS = 2  # 16-bit words in a 32-bit trace word


def memory_names(config):
    """Memory names inside the core ``config``."""
    lanes = range(config.lanes)
    tails = [f"y_tail_{lane}" for lane in lanes if config.y_rows > main_rows(config.y_rows)]
    mains = [f"y_main_{lane}" for lane in lanes]
    return [_PROGRAM, _TRACE, *(f"x_{lane}" for lane in lanes), *mains, *tails]


class Backdoor:
    """Access a simulated core's memories without simulating a cycle.

    Parameters
    ----------
    harness : Harness, the core's, built with ``memory_names(config)``
    config : CoreConfig
    """

    def __init__(self, harness, config):
        self._lanes  = config.lanes
        self._passes = harness.memory(_PROGRAM).reshape(-1, _WORD_CELLS)  # at any row width
        self._trace  = harness.memory(_TRACE).reshape(-1, _TRACE_CELLS)
        names = memory_names(config)
        self._slices = {}
        for memory, prefixes in ((Memory.X, ["x"]), (Memory.Y, ["y_main", "y_tail"])):
            self._slices[memory] = [
                [harness.memory(f"{prefix}_{lane}") for prefix in prefixes
                 if f"{prefix}_{lane}" in names] for lane in range(config.lanes)]

    def write_cells(self, memory, start, cells):
        """Write uint16 words ``cells`` in linear order from word ``start`` on."""
        first, count, offset = self._span(memory, start, len(cells))
        rows = self._rows(memory, first, count)
        rows.reshape(-1)[offset:offset + len(cells)] = cells
        for lane, parts in enumerate(self._slices[memory]):
            for part, source, target in _overlaps(parts, first, count):
                part[target] = rows[source, :, lane]

    def read_cells(self, memory, start, count):
        """Return ``count`` uint16 words in linear order from word ``start`` on."""
        first, rows, offset = self._span(memory, start, count)
        return self._rows(memory, first, rows).reshape(-1)[offset:offset + count].copy()

    def load_program(self, passes, first):
        """Write ``passes`` from pass ``first`` on."""
        for index, words in enumerate(Program(passes).words, first):
            start = index * PASS_STRIDE
            cells = np.array(words, np.uint64).view(np.uint16)
            self._passes[start:start + PASS_WORDS] = cells.reshape(PASS_WORDS, -1)

    def read_trace(self, first, count):
        """Return the uint32 words of ``count`` trace records, from pass ``first`` on."""
        words = self._trace[TRACE_STRIDE * first:TRACE_STRIDE * (first + count)]
        return words.copy().view(np.uint32)

    def _span(self, memory, start, count):
        """First row, row count, and offset of word ``start`` in these rows."""
        per_row = self._lanes * self._slices[memory][0][0].shape[1]
        first, offset = divmod(start, per_row)
        return first, -(-(offset + count) // per_row), offset

    def _rows(self, memory, first, count):
        """Copy ``count`` rows, shape (rows, ways, lanes)."""
        slices = self._slices[memory]
        rows   = np.empty((count, slices[0][0].shape[1], self._lanes), np.uint16)
        for lane, parts in enumerate(slices):
            for part, source, target in _overlaps(parts, first, count):
                rows[source, :, lane] = part[target]
        return rows


def _overlaps(parts, first, count):
    """Map rows ``first`` to ``first + count`` onto consecutive memories.

    Yields (memory, slice of the rows, slice of the memory).
    """
    begin = 0
    for part in parts:
        low, high = max(first, begin), min(first + count, begin + len(part))
        if low < high:
            yield part, slice(low - first, high - first), slice(low - begin, high - begin)
        begin += len(part)
