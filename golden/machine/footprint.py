# SPDX-License-Identifier: Apache-2.0
"""Words read and written by a program or a transfer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import (
    CELL_BITS,
    PASS_STRIDE,
    Count,
    Memory,
    Opcode,
    Region,
    Table,
    record_rows,
)

from .refusal import windows_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from enum import IntEnum

    from xymac.hdl.isa import Command

    from .machine import Machine

__all__ = ["Footprint", "of_move", "of_run"]

_UNITS = {Region.X: CELL_BITS // 8, Region.Y: CELL_BITS // 8, Region.PROGRAM: 8 * PASS_STRIDE,
          Region.TABLES: 2, Region.PLACES: 4}
_REGION = {Memory.X: Region.X, Memory.Y: Region.Y}


@dataclass
class Footprint:
    """Read and written indices, by Region.

    An index stands for a 16-bit word in X or Y, a pass, a table entry or a table place.
    """

    reads:  dict[IntEnum, np.ndarray] = field(default_factory=dict)
    writes: dict[IntEnum, np.ndarray] = field(default_factory=dict)

    def conflict(self, other: Footprint) -> IntEnum | None:
        """The Region with a word that one footprint writes and the other uses, or None."""
        for mine, theirs in ((self.writes, other.reads), (self.writes, other.writes),
                             (self.reads, other.writes)):
            for region in {*mine} & {*theirs}:
                if _meet(mine[region], theirs[region]):
                    return region
        return None


def _meet(some, others):
    """Whether two sorted arrays of unique indices share an index."""
    if not (some.size and others.size) or some[-1] < others[0] or others[-1] < some[0]:
        return False
    return np.intersect1d(some, others, assume_unique=True).size > 0


def of_move(command: Command, region: IntEnum, rows: Sequence[np.ndarray | slice]) -> Footprint:
    """A transfer's footprint; ``rows`` are slices, or index arrays, into the ``region`` bytes."""
    unit  = _UNITS[region]
    parts = [np.arange(row.start // unit, (row.stop - 1) // unit + 1) if isinstance(row, slice)
             else row // unit for row in _unique(rows)]
    words = np.unique(np.concatenate(parts))
    if command.opcode is Opcode.STORE:
        return Footprint(reads={region: words})
    return Footprint(writes={region: words})


def _unique(rows):
    """Rows without repetitions, by their first and last byte."""
    return {(row.start, row.stop) if isinstance(row, slice) else (row[0], row[-1]): row
            for row in rows}.values()


def of_run(machine: Machine, first: int) -> Footprint:
    """Footprint of the program from pass ``first`` on, with the present program memory.

    A pass counts with its whole windows and its records in Y, also before ``first`` if a loop goes
    back to it.
    """
    reads, writes = {}, {}
    for index in _reached(machine.program, first):
        _add(reads, Region.PROGRAM, [index])
        pass_ = machine.program[index]
        if pass_ is not None:
            _add_windows(machine, pass_, reads, writes)
            _add_table(machine, pass_, reads)
    return Footprint(*({region: np.unique(np.concatenate(parts)) for region, parts in words.items()}
                       for words in (reads, writes)))


def _reached(program, first):
    """Indices of the passes that a run from pass ``first`` on may reach, ascending."""
    reached, waiting = set(), [first]
    while waiting:
        index = waiting.pop()
        if index in reached or not 0 <= index < len(program):
            continue
        reached.add(index)
        control = program[index] and program[index].control
        if control and control.repeat:
            waiting.append(index - control.back)
        if control and not control.last:
            waiting.append(index + 1)
    return sorted(reached)


def _add(words, region, indices):
    words.setdefault(region, []).append(np.asarray(indices, np.int64))


def _add_windows(machine, pass_, reads, writes):
    """Add the words of windows within their memories, and of records."""
    for name, window in windows_of(pass_, machine).items():
        if window.inside and not (name is Count.Z and pass_.accumulate.hold):
            _add(writes if name is Count.Z else reads, _REGION[window.memory],
                 np.arange(window.cells.size)[window.places()])
    if pass_.accumulate.bias_row is not None:
        row   = machine.ways * machine.lanes
        start = pass_.accumulate.bias_row * row
        _add(reads, Region.Y,
             np.arange(start, min(start + record_rows(pass_, machine.ways) * row, machine.y.size)))


def _add_table(machine, pass_, reads):
    table = pass_.epilogue.table
    if table is Table.NONE:
        return
    _add(reads, Region.PLACES, [table.value])
    place = machine.tables.places.get(table)
    if place is not None:
        _add(reads, Region.TABLES, np.arange(place.first, place.first + place.entries))
