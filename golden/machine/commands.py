# SPDX-License-Identifier: Apache-2.0
"""Command lists: transfers between an image and the memories, and program runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import (
    COMMAND_BYTES,
    COMMANDS_MAX,
    Command,
    ListStatus,
    Opcode,
    Region,
    State,
)

from .footprint import of_move, of_run
from .order import HazardError, Order
from .regions import Regions

if TYPE_CHECKING:
    from .machine import Machine
    from .outcome import Outcome

__all__ = ["HazardError", "ListOutcome", "run_list"]


@dataclass(frozen=True)
class ListOutcome:
    """A command list's final state.

    Parameters
    ----------
    state, status, entry : fields of the list status register
    runs : tuple of Outcome, one per started RUN
    """

    state:  State
    status: ListStatus
    entry:  int
    runs:   tuple[Outcome, ...]


def run_list(machine: Machine, image: np.ndarray, first: int = 0) -> ListOutcome:
    """Run the command list at byte ``first`` of ``image``; returns a ``ListOutcome``.

    The result is valid for every execution order that the commands' counts allow. ``HazardError``
    if an unordered transfer and run conflict in a word, or if a STORE overwrites a command that the
    core may have fetched; ``ProgramError`` as in ``Machine.run``. ValueError if the core has no
    DMA, or if ``first`` is no multiple of 32. After a fault, the words that later commands write
    are undefined.

    Parameters
    ----------
    machine : Machine
    image : writable contiguous uint8 array, or bytearray
    first : int
    """
    if not machine.capabilities.dma:
        raise ValueError("The core has no DMA, so it runs no command list")
    if first % COMMAND_BYTES or first < 0:
        raise ValueError(f"A list must start at a multiple of {COMMAND_BYTES}, not at {first}")
    return _Run(machine, np.frombuffer(image, np.uint8), first).execute()


class _End(Exception):
    """Ends the list; the argument is its ListStatus."""


class _Run:
    """A running list."""

    def __init__(self, machine: Machine, image: np.ndarray, first: int) -> None:
        self._machine, self._image, self._first = machine, image, first
        self._regions = Regions(machine)
        self._order   = Order()
        self._runs    = []
        self._stores  = []  # (entry, first byte, end) of every STORE

    def execute(self) -> ListOutcome:
        entry = 0
        try:
            while True:
                self._execute(entry, self._fetch(entry))
                entry += 1
        except _End as end:
            status = end.args[0]
        state = State.DONE if status is ListStatus.OK else State.FAULT
        return ListOutcome(state, status, entry, tuple(self._runs))

    def _fetch(self, entry):
        """Fetch and decode command number ``entry``."""
        start = self._first + COMMAND_BYTES * entry
        if entry == COMMANDS_MAX:
            raise _End(ListStatus.ENDLESS)
        if start + COMMAND_BYTES > len(self._image):
            raise _End(ListStatus.OUTSIDE)
        for before, low, end in self._stores:
            if low < start + COMMAND_BYTES and start < end:
                raise HazardError(f"Command {before}, a STORE, writes command {entry}, which may "
                                  f"be fetched before", entry, before)
        try:
            command = Command.decode(self._image[start:start + COMMAND_BYTES].view("<u4"))
        except ValueError:
            raise _End(ListStatus.ILLEGAL) from None
        if not self._order.allows(command):
            raise _End(ListStatus.ILLEGAL)
        return command

    def _execute(self, entry, command):
        if command.opcode is Opcode.END:
            raise _End(ListStatus.OK)
        if command.is_move:
            self._move(entry, command)
            return
        if command.offset >= len(self._machine.program):
            raise _End(ListStatus.OUTSIDE)
        self._order.add(entry, command, of_run(self._machine, command.offset))
        self._runs.append(self._machine.run(command.offset))
        if self._runs[-1].state is not State.DONE:
            raise _End(ListStatus.PROGRAM)

    def _move(self, entry, command):
        """Copy or fill a transfer's rows."""
        found = self._regions.find(command.core)
        if found is None or (command.opcode is Opcode.STORE and found[0] is not Region.X):
            raise _End(ListStatus.OUTSIDE)
        region, offset = found
        cells = self._regions.bytes_of(region)
        core  = _starts(command, offset, command.core_stride, len(cells))
        outer = core * 0
        if command.opcode is not Opcode.FILL:
            outer = _starts(command, command.offset, command.stride, len(self._image))
        size = command.row_bytes
        rows = [self._regions.row(start, size, narrow=command.narrow) for start in core.tolist()]
        self._order.add(entry, command, of_move(command, region, rows))
        for row, outside in zip(rows, outer.tolist(), strict=True):
            if command.opcode is Opcode.STORE:
                self._image[outside:outside + size] = cells[row]
            elif command.opcode is Opcode.LOAD:
                cells[row] = self._image[outside:outside + size]
            else:
                cells[row] = 0
        if command.opcode is Opcode.STORE:
            self._stores.append((entry, int(outer.min()), int(outer.max()) + size))
        else:
            self._regions.commit(region, int(core.min()), int(core.max()) + size)


def _starts(command, start, stride, size):
    """Byte offset for each row in a space of ``size`` bytes, int64 [rows]."""
    starts = start + np.arange(command.rows, dtype=np.int64) * stride
    if starts.min() < 0 or starts.max() + command.row_bytes > size:
        raise _End(ListStatus.OUTSIDE)
    return starts
