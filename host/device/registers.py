# SPDX-License-Identifier: Apache-2.0
"""A core reached through its address space: cells, program, registers and trace as words."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import (
    COUNTERS,
    PASS_STRIDE,
    PASS_WORDS,
    REGISTERS,
    TABLE_ENTRIES,
    TRACE_STRIDE,
    Control,
    Flag,
    Memory,
    Program,
    Region,
    Register,
    State,
    Status,
    Table,
    pack_place,
)

from .device import Device, RunResult, TraceRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Pass, TablePlace

__all__ = ["RegisterDevice"]

_WORD  = 4  # bytes
_CELLS = {Memory.X: Region.X.value, Memory.Y: Region.Y.value}


class RegisterDevice(Device):
    """A device with readable and writable words; the subclass defines the access and ``run``."""

    @abstractmethod
    def _write_words(self, address, words, first_mask=0xF, last_mask=0xF):
        """Write a non-empty uint32 array from a core byte address on.

        The masks are byte strobes for the first and the last word; a single word uses both.
        """

    @abstractmethod
    def _read_words(self, address, count) -> np.ndarray:
        """Return ``count`` words from a core byte address on, a uint32 array."""

    def write_cells(self, memory: Memory, start: int, cells: np.ndarray) -> None:
        cells = np.asarray(cells)
        self._check_cells(memory, start, len(cells))
        if len(cells):
            end    = start + len(cells)
            padded = np.zeros(start % 2 + len(cells) + end % 2, np.uint16)
            padded[start % 2:start % 2 + len(cells)] = cells
            self._write_words(_cell_address(memory, start), padded.view(np.uint32),
                              0xC if start % 2 else 0xF, 0x3 if end % 2 else 0xF)

    def read_cells(self, memory: Memory, start: int, count: int) -> np.ndarray:
        self._check_cells(memory, start, count)
        words = self._read_words(_cell_address(memory, start), (start % 2 + count + 1) // 2)
        return words.view(np.uint16)[start % 2:start % 2 + count]

    def load_program(self, passes: Program | Sequence[Pass], first: int = 0) -> None:
        self._check_passes(first, len(passes))
        words = np.zeros((len(passes), PASS_STRIDE), np.uint64)
        words[:, :PASS_WORDS] = np.array(Program(passes).words, np.uint64).reshape(-1, PASS_WORDS)
        if len(passes):
            self._write_words(Region.PROGRAM.value + 2 * _WORD * PASS_STRIDE * first,
                              words.view(np.uint32).ravel())

    def write_table(self, first: int, entries: np.ndarray) -> None:
        end = first + len(entries)
        if first % 2 or not 0 <= first <= end <= TABLE_ENTRIES:
            raise ValueError(f"Entries of tables must lie between 0 and {TABLE_ENTRIES - 1} from "
                             f"an even one on, not {first} to {end - 1}")
        padded = np.zeros(len(entries) + end % 2, np.int16)
        padded[:len(entries)] = entries
        if len(entries):
            self._write_words(Region.TABLES.value + _WORD * (first // 2), padded.view(np.uint32),
                              last_mask=0x3 if end % 2 else 0xF)

    def place_table(self, table: Table, place: TablePlace | None) -> None:
        if table is Table.NONE:
            raise ValueError("NONE has no place")
        self._write_words(Region.PLACES.value + _WORD * table.value,
                          np.array([pack_place(place)], np.uint32))

    def start(self, first: int = 0) -> None:
        """Start the program at pass ``first`` and return at once."""
        self._write_register(Register.IRQ_MASK, 1)
        self._write_register(Register.FIRST, first)
        self._write_register(Register.CONTROL, Control.START.value)

    def stop(self) -> None:
        """Stop the running program; within 1,000 cycles its state is FAULT and its status STOPPED.
        """
        self._write_register(Register.CONTROL, Control.STOP.value)

    def finish(self, first: int = 0) -> RunResult:
        """Return a finished program's RunResult, and clear the core."""
        status, flags = self._read_registers(Register.STATUS, 2)
        counters = self._read_registers(Register.CYCLES, len(COUNTERS))
        fields = REGISTERS[Register.STATUS].unpack(status)
        state, index = State(fields["state"]), fields["pass"]
        ran = index - first + (state is State.DONE)
        result = RunResult(
            state, Status(fields["status"]), fields["field"], index, Flag(flags),
            dict(zip(COUNTERS, counters, strict=True)), self._trace(first, ran))
        self._write_register(Register.CONTROL, Control.CLEAR.value)
        return result

    def _trace(self, first, count):
        records = self._read_trace(first, count).reshape(count, TRACE_STRIDE).tolist()
        return [TraceRecord(dict(zip(COUNTERS, record[:-1], strict=True)), bool(record[-1] >> 31),
                            record[-1] & 0x7FFF_FFFF)
                for record in records]

    def _read_trace(self, first, count):
        """Return the words of ``count`` trace records from pass ``first`` on."""
        return self._read_words(Region.TRACE.value + _WORD * TRACE_STRIDE * first,
                                TRACE_STRIDE * count)

    def _check_cells(self, memory, start, count):
        config = self.config
        size   = (config.x_bytes if memory is Memory.X else config.y_bytes) // 2
        if not 0 <= start <= start + count <= size:
            raise ValueError(f"Cells of {memory.name} must lie between 0 and {size - 1}, "
                             f"not {start} to {start + count - 1}")

    def _check_passes(self, first, count):
        if not 0 <= first <= first + count <= self.config.passes:
            raise ValueError(f"Passes must lie between 0 and {self.config.passes - 1}, "
                             f"not {first} to {first + count - 1}")

    def _read_registers(self, first, count):
        """Return ``count`` consecutive registers, ints."""
        return self._read_words(Region.REGISTERS.value + first.value, count).tolist()

    def _write_register(self, register, value):
        self._write_words(Region.REGISTERS.value + register.value, np.array([value], np.uint32))


def _cell_address(memory, start):
    return _CELLS[memory] + _WORD * (start // 2)
