# SPDX-License-Identifier: Apache-2.0
"""Interface to everything that runs programs, and the golden machine as a device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.machine.commands import run_list
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import CoreConfig
from xymac.hdl.isa import COUNTERS, PLACES, TABLES, Flag, Memory
from xymac.host.errors import InputError, check_type, suggest
from xymac.host.extensions import list_extensions, load_extension
from xymac.host.sizes import read_config

from .results import DeviceError, ListResult, RunResult, TraceRecord

if TYPE_CHECKING:
    from typing import Any

    from xymac.hdl.isa import Program, Table, TablePlace

__all__ = ["MAX_CYCLES", "Device", "DeviceError", "ListResult", "MachineDevice", "RunResult",
           "TraceRecord", "check_device", "load_device", "open_device"]

GROUP      = "xymac.devices"  #: Entry points of devices.
MAX_CYCLES = 1_000_000_000  #: Longer runs are taken for hung.


class Device(ABC):
    """A core with its memories. Words are uint16 in the linear order of ``xymac.hdl.isa``.

    Another package can add a backend with a derived class and an entry point ``xymac.devices`` that
    names it; see ``xymac.host.extensions``. The command line passes only the CoreConfig, so other
    parameters need defaults. It raises InputError for problems that a user can fix, and DeviceError
    for failures of the core.

    Members
    -------
    exclusive : bool, class attribute: only one device can be open at a time
    """

    exclusive = False
    _written  = frozenset()  # tables of the core

    def __init__(self, config: CoreConfig) -> None:
        self.config = config

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, size {self.config.name}>"

    @abstractmethod
    def write_cells(self, memory: Memory, start: int, cells: np.ndarray) -> None:
        """Write a uint16 array to ``memory`` (Memory) from word ``start`` on."""

    @abstractmethod
    def read_cells(self, memory: Memory, start: int, count: int) -> np.ndarray:
        """Return ``count`` words from ``memory`` from word ``start`` on, a uint16 array."""

    @property
    def writes_tables(self) -> bool:
        """Whether the device class overrides ``write_table``."""
        return type(self).write_table is not Device.write_table

    def load_tables(self, tables: tuple[Table, ...]) -> None:
        """Write the core tables among ``tables`` (Table), each once per object, if tables are
        writable.

        Block RAM has no initial values in some FPGAs, and some tools ignore the Verilog's initial
        values.
        """
        if not (self.config.capabilities.tables and self.writes_tables):
            return
        for table in sorted({*tables} & TABLES.keys() - self._written, key=lambda each: each.value):
            self.write_table(PLACES[table].first, np.array(TABLES[table].values, np.int16))
            self.place_table(table, PLACES[table])
            self._written |= {table}

    def label(self, layers: dict[int, str]) -> None:  # noqa: B027 - without waveforms, no use
        """Name the layer for each pass of the programs run next, a dict {pass: name}.

        Passes are counted from the first program on.
        """

    @abstractmethod
    def load_program(self, passes: Program, first: int = 0) -> None:
        """Write passes to program memory; ValueError if a pass does not fit."""

    def write_table(self, first: int, entries: np.ndarray) -> None:
        """Write an int16 array to table memory from the even entry ``first`` on.

        DeviceError if the device has no writable tables.
        """
        raise DeviceError("The device has no tables that can be written")

    def place_table(self, table: Table, place: TablePlace | None) -> None:
        """Set the location of ``table`` (Table) to a TablePlace, or None for no location.

        Errors as for ``write_table``.
        """
        raise DeviceError("The device has no tables that can be written")

    @abstractmethod
    def run(self, first: int = 0, max_cycles: int = MAX_CYCLES) -> RunResult:
        """Run from pass ``first`` to the interrupt, then clear; returns a RunResult.

        DeviceError after ``max_cycles``.
        """

    def run_list(self, image: np.ndarray, first: int, max_cycles: int = MAX_CYCLES) -> ListResult:
        """Run the command list at byte ``first`` of ``image`` to the interrupt, then clear; returns
        a ListResult.

        ``image`` is a writable, contiguous uint8 array, the external memory. DeviceError after
        ``max_cycles``, or if the device cannot run lists.
        """
        raise DeviceError(f"A core of size {self.config.name} on this device runs no command "
                          f"lists: it has no DMA")

    @abstractmethod
    def close(self) -> None:
        """Release the device; it cannot be used afterwards."""


class MachineDevice(Device):
    """The golden machine as a device. It has no clock: its counters are 0."""

    def __init__(self, config: CoreConfig) -> None:
        super().__init__(config)
        self._machine = Machine(config)

    def write_cells(self, memory: Memory, start: int, cells: np.ndarray) -> None:
        self._range(memory, start, len(cells))[:] = cells

    def read_cells(self, memory: Memory, start: int, count: int) -> np.ndarray:
        return self._range(memory, start, count).copy()

    def load_program(self, passes: Program, first: int = 0) -> None:
        self._machine.load(passes, first)

    def write_table(self, first: int, entries: np.ndarray) -> None:
        self._machine.tables.write(first, entries)

    def place_table(self, table: Table, place: TablePlace | None) -> None:
        self._machine.tables.place(table, place)

    def run(self, first: int = 0, max_cycles: int = MAX_CYCLES) -> RunResult:
        outcome = self._machine.run(first)
        counts  = {str(name): 0 for name in COUNTERS}
        flags   = Flag.OVERFLOW if outcome.flagged else Flag(0)
        trace   = [TraceRecord(counts, overflow, 0) for overflow in outcome.overflow]
        return RunResult(outcome.state, outcome.status, outcome.field, outcome.pass_index, flags,
                         counts, trace)

    def run_list(self, image: np.ndarray, first: int, max_cycles: int = MAX_CYCLES) -> ListResult:
        if not self.config.dma:
            return super().run_list(image, first, max_cycles)
        outcome = run_list(self._machine, image, first)
        return ListResult(outcome.state, outcome.status, outcome.entry,
                          {str(name): 0 for name in COUNTERS})

    def close(self) -> None:
        vars(self).pop("_machine", None)

    def _range(self, memory, start, count):
        cells = self._machine.x if memory is Memory.X else self._machine.y
        if not 0 <= start <= start + count <= cells.size:
            raise ValueError(f"Cells of {memory.name} must lie between 0 and {cells.size - 1}, "
                             f"not {start} to {start + count - 1}")
        return np.asarray(cells[start:start + count])


def load_device(name: str) -> type[Device]:
    """Device class for the entry point ``name`` in the group ``xymac.devices``.

    InputError if it is missing or broken.
    """
    entries = list_extensions(GROUP)
    if name not in entries:
        raise InputError(f"Device must be one of {', '.join(entries) or 'none installed'}, "
                         f"not {name!r}{suggest(name, entries)}")
    return load_extension(entries[name], _check_device)


def _check_device(kind):
    if not (isinstance(kind, type) and issubclass(kind, Device)):
        raise TypeError(f"it must be a class derived from Device, not {kind!r}")


def open_device(name: str, config: CoreConfig | str, **options: Any) -> Device:
    """Open the device ``name`` (see ``load_device``) with device options.

    ``config`` is a CoreConfig, or a size as on the command line, see ``find_size``: ``"base"``.
    InputError if the device is missing, or its requirements are not met.
    """
    check_type("name", name, str)
    return load_device(name)(read_config(config), **options)


def check_device(device: object) -> None:
    """Raise InputError for an object without a device's CoreConfig."""
    if not hasattr(device, "config"):
        raise InputError(f"device must be a Device, not {type(device).__name__}: open_device opens "
                         f"one by its name")
