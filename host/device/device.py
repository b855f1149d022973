# SPDX-License-Identifier: Apache-2.0
"""Anything that runs programs: the golden machine here, the RTL and boards elsewhere."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.machine.machine import Machine
from xymac.hdl.isa import COUNTERS, PLACES, TABLES, Flag, Memory, State, Status
from xymac.host.errors import InputError
from xymac.host.extensions import list_extensions, load_extension

__all__ = ["MAX_CYCLES", "Device", "DeviceError", "MachineDevice", "RunResult", "TraceRecord",
           "load_device", "open_device"]

GROUP      = "xymac.devices"  #: Entry points of devices.
MAX_CYCLES = 1_000_000_000  #: Longer runs are taken for hung.


class DeviceError(RuntimeError):
    """A device did not do what it was asked to."""


@dataclass(frozen=True)
class TraceRecord:
    """What the core notes of one pass.

    Parameters
    ----------
    counters : dict by ``COUNTERS``, of the program up to the last step the pass issued
    overflow : bool, a finished sum left the accumulator's range
    written : int, cycle in which its last result was written
    """

    counters: dict
    overflow: bool
    written:  int


@dataclass(frozen=True)
class RunResult:
    """How a program ended.

    Parameters
    ----------
    state, status, field, pass_index : the status register
    flags : Flag
    counters : dict by ``COUNTERS``, from start to interrupt
    trace : list of TraceRecord, one for every finished pass, from the first
    """

    state:      State
    status:     Status
    field:      int
    pass_index: int
    flags:      Flag
    counters:   dict
    trace:      list

    def check(self):
        """Raise DeviceError unless the program ran to its end."""
        if self.state is not State.DONE:
            raise DeviceError(f"The program stopped in state {self.state.name} at pass "
                              f"{self.pass_index} with status {self.status.name}, "
                              f"field {self.field}")

    def then(self, second):
        """RunResult of two programs, the second one behind this one.

        Counters add up, passes are counted from the first one.
        """
        cycles = self.counters["cycles"]
        trace  = [replace(record, counters=_add(self.counters, record.counters),
                          written=cycles + record.written) for record in second.trace]
        return replace(second, pass_index=len(self.trace) + second.pass_index,
                       flags=self.flags | second.flags, trace=[*self.trace, *trace],
                       counters=_add(self.counters, second.counters))


def _add(first, second):
    return {name: first[name] + second[name] for name in first}


class Device(ABC):
    """A core with its memories. Cells are uint16 in the linear order of ``xymac.hdl.isa``.

    A class derived from this one, and an entry point ``xymac.devices`` that names it, is all that
    another package needs for a backend of its own; see ``xymac.host.extensions``. The command line
    makes it of the CoreConfig alone, what is left has defaults. It raises InputError where a user
    can help, and DeviceError where the core did not do what it must.

    Parameters
    ----------
    config : CoreConfig

    Members
    -------
    exclusive : bool, of the class: there is one core, so that only one can be open at a time
    """

    exclusive = False
    _written  = frozenset()  # tables of the core

    def __init__(self, config):
        self.config = config

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    @abstractmethod
    def write_cells(self, memory, start, cells):
        """Write an array of uint16 to ``memory`` (Memory) from cell ``start`` on."""

    @abstractmethod
    def read_cells(self, memory, start, count):
        """Return ``count`` cells of ``memory`` from cell ``start`` on, an array of uint16."""

    @property
    def writes_tables(self):
        """Whether the class of the device has a ``write_table`` of its own."""
        return type(self).write_table is not Device.write_table

    def load_tables(self, tables):
        """Write those of ``tables`` (Table) that ``hdl.isa.TABLES`` has, each once in the life of
        the object; nothing where tables cannot be written.

        Block RAM has no initial values in some devices, and some tools ignore those of the Verilog.
        """
        if not (self.config.capabilities.tables and self.writes_tables):
            return
        for table in sorted({*tables} & TABLES.keys() - self._written, key=lambda each: each.value):
            self.write_table(PLACES[table].first, np.array(TABLES[table].values, np.int16))
            self.place_table(table, PLACES[table])
            self._written |= {table}

    @abstractmethod
    def load_program(self, passes, first=0):
        """Write passes to program memory; ValueError if one does not fit."""

    def write_table(self, first, entries):
        """Write an array of int16 to table memory from entry ``first``, even, on.

        DeviceError where the device has no tables that can be written.
        """
        raise DeviceError("The device has no tables that can be written")

    def place_table(self, table, place):
        """Say that ``table`` (Table) lies at a TablePlace, or None for nowhere.

        Errors are those of ``write_table``.
        """
        raise DeviceError("The device has no tables that can be written")

    @abstractmethod
    def run(self, first=0, max_cycles=MAX_CYCLES):
        """Run from pass ``first`` to the interrupt, then clear; returns a RunResult.

        DeviceError if that takes more than ``max_cycles``.
        """

    @abstractmethod
    def close(self):
        """Give back what the device holds; it is of no use after."""


class MachineDevice(Device):
    """The golden machine as a device. It has no clock: its counters are all 0."""

    def __init__(self, config):
        super().__init__(config)
        self._machine = Machine(config)

    def write_cells(self, memory, start, cells):
        self._range(memory, start, len(cells))[:] = cells

    def read_cells(self, memory, start, count):
        return self._range(memory, start, count).copy()

    def load_program(self, passes, first=0):
        self._machine.load(passes, first)

    def write_table(self, first, entries):
        self._machine.tables.write(first, entries)

    def place_table(self, table, place):
        self._machine.tables.place(table, place)

    def run(self, first=0, max_cycles=MAX_CYCLES):
        outcome = self._machine.run(first)
        counts  = dict.fromkeys(COUNTERS, 0)
        flags   = Flag.OVERFLOW if outcome.flagged else Flag(0)
        trace   = [TraceRecord(counts, overflow, 0) for overflow in outcome.overflow]
        return RunResult(outcome.state, outcome.status, outcome.field, outcome.pass_index, flags,
                         counts, trace)

    def close(self):
        self._machine = None

    def _range(self, memory, start, count):
        cells = self._machine.x if memory is Memory.X else self._machine.y
        if not 0 <= start <= start + count <= cells.size:
            raise ValueError(f"Cells of {memory.name} must lie between 0 and {cells.size - 1}, "
                             f"not {start} to {start + count - 1}")
        return np.asarray(cells[start:start + count])


def load_device(name):
    """The class that the entry point ``name`` of the group ``xymac.devices`` names.

    InputError if there is none, or it is broken.
    """
    entries = list_extensions(GROUP)
    if name not in entries:
        raise InputError(f"Device must be one of {', '.join(entries) or 'none installed'}, "
                         f"not {name!r}")
    return load_extension(entries[name], _check_device)


def _check_device(kind):
    if not (isinstance(kind, type) and issubclass(kind, Device)):
        raise TypeError(f"it must be a class derived from Device, not {kind!r}")


def open_device(name, config, **options):
    """Open the device ``name`` (see ``load_device``) with a CoreConfig and options of its own.

    InputError if there is none, or what it needs is not there.
    """
    return load_device(name)(config, **options)
