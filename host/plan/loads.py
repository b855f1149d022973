# SPDX-License-Identifier: Apache-2.0
"""Place constants and tables: in a single ConstantLoad if they fit, else in a sequence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xymac.hdl.isa import OWN_TABLES
from xymac.host.errors import Refusal

from .tables import place_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Pass, Program
    from xymac.host.memory.constants import Constants
    from xymac.host.memory.tables import OwnTable, PlacedTable

    from .rows import Rows

__all__ = ["ConstantLoad", "add_tables", "place_constants"]


@dataclass(frozen=True)
class ConstantLoad:
    """Constants and tables with a common lifetime in memory.

    Parameters
    ----------
    stages : range, the stages with these data
    constants : tuple of Constants, placed, one per stage
    tables : tuple of PlacedTable
    segments : tuple of Program, the stages' passes, set by the plan
    inputs : tuple of (first, end), row ranges of an input larger than X, written in sequence
    input_row : int, first X row for these writes
    """

    stages:    range
    constants: tuple[Constants, ...]
    tables:    tuple[PlacedTable, ...] = ()
    segments:  tuple[Program, ...] = ()
    inputs:    tuple[tuple[int, int], ...] = ()
    input_row: int = 0

    @property
    def borrows(self) -> bool:
        """Whether tables overlay built-in tables."""
        return any(table.borrows for table in self.tables)


def place_constants(values: Sequence[Constants], titles: Sequence[str], memory: Rows, *,
                    behind: int | None = None) -> list[ConstantLoad] | Refusal:
    """The shortest ConstantLoad list, in stage order.

    If a single stage's constants do not fit, they become a ConstantLoad at row ``behind``, which
    ``xymac.host.plan.streams`` cuts.

    Parameters
    ----------
    values : list of Constants, one per stage
    titles : list of str, each stage's layer title
    memory : Y's Rows, with persistent rows already taken
    behind : int or None, the row after Y; None forbids such a ConstantLoad

    Returns a Refusal if a single stage's constants do not fit and ``behind`` is None, or if they
    have ``room``.
    """
    loads, start = [], 0
    while start < len(values):
        load, end = _Placed(memory), start + 1
        refusal = load.add(values[start], titles[start])
        if refusal is None:
            while end < len(values) and load.add(values[end], titles[end]) is None:
                end += 1
            placed = load.constants
        elif behind is None or values[start].room:
            return refusal
        else:
            placed = (replace(values[start], y_row=behind),)
        loads.append(ConstantLoad(range(start, end), placed))
        start = end
    return loads


class _Placed:
    """Stage Constants in free rows.

    Constants with ``room`` get the lowest rows, which pass outputs can reach.

    Parameters
    ----------
    memory : Y's Rows, with persistent rows already taken
    """

    def __init__(self, memory: Rows) -> None:
        self._memory, self._rows = memory, memory.copy()
        self._shared, self._first = {}, []
        self._added: list[tuple[Constants, str]] = []

    @property
    def constants(self) -> tuple[Constants, ...]:
        """The added Constants, in order, placed."""
        return tuple(replace(values, y_row=row)
                     for (values, _), row in zip(self._added, self._first, strict=True))

    def add(self, values: Constants, title: str) -> Refusal | None:
        """Add a further stage's Constants if they fit, else return the Refusal."""
        if values.room and self._added:
            return self._add_again([*self._added, (values, title)])
        row = self._row_of(values, title, len(self._added))
        if isinstance(row, Refusal):
            return row
        self._first.append(row)
        self._added.append((values, title))
        return None

    def _add_again(self, added: list[tuple[Constants, str]]) -> Refusal | None:
        """Place all Constants again; a Refusal changes nothing."""
        other, rows = _Placed(self._memory), {}
        for index in sorted(range(len(added)), key=lambda index: not added[index][0].room):
            row = other._row_of(*added[index], index)
            if isinstance(row, Refusal):
                return row
            rows[index] = row
        self._rows, self._shared, self._added = other._rows, other._shared, added
        self._first = [rows[index] for index in range(len(added))]
        return None

    def _row_of(self, values, title, index):
        """The first row, or a Refusal; equal shared Constants have the same row."""
        key = (values.cells.tobytes(), values.align) if values.shared else index
        if key not in self._shared:
            row = self._rows.take(values.y_rows, title, align=values.align)
            if isinstance(row, Refusal):
                return row
            self._shared[key] = row
        return self._shared[key]


def add_tables(loads: Sequence[ConstantLoad], wanted: Sequence[tuple[str, tuple[OwnTable, ...]]],
               passes: Sequence[Sequence[Pass]]
               ) -> tuple[list[ConstantLoad], list[list[Pass]]] | Refusal:
    """ConstantLoads with tables, and passes with table codes: (ConstantLoad list, Pass lists).

    A ConstantLoad whose tables do not fit together becomes several.

    Parameters
    ----------
    loads : list of ConstantLoad
    wanted : list per stage of (layer title, tuple of OwnTable)
    passes : Pass lists per stage; ``OWN_TABLES[i]`` names a stage's table ``i``

    Returns a Refusal if a single stage's tables do not fit.
    """
    if not any(tables for _, tables in wanted):
        return list(loads), [list(each) for each in passes]
    used  = [{pass_.epilogue.table for pass_ in each} for each in passes]
    parts = []
    for load in loads:
        start = load.stages.start
        while start < load.stages.stop:
            placed, end = (), start
            while end < load.stages.stop:
                stages = range(start, end + 1)
                found  = place_tables([own for stage in stages for own in wanted[stage][1]],
                                      set().union(*(used[stage] for stage in stages)))
                if isinstance(found, Refusal) and end == start:
                    return found.within(wanted[start][0])
                if isinstance(found, Refusal):
                    break
                placed, end = found, end + 1
            first = load.stages.start
            parts.append(ConstantLoad(range(start, end), load.constants[start - first:end - first],
                                      placed))
            start = end
    return parts, [_name_tables(passes[stage], wanted[stage][1], part.tables)
                   for part in parts for stage in part.stages]


def _name_tables(passes, wanted, placed):
    """Passes with their placed tables' codes."""
    codes = {OWN_TABLES[index]: next(table.table for table in placed if table.own == own)
             for index, own in enumerate(wanted)}
    return [replace(pass_, table=codes[pass_.epilogue.table])
            if pass_.epilogue.table in codes else pass_
            for pass_ in passes]
