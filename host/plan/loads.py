# SPDX-License-Identifier: Apache-2.0
"""Constants in Y, and tables: all at once where they fit, else those of some layers after those of
others."""

from dataclasses import dataclass, replace

from xymac.hdl.isa import OWN_TABLES

from .rows import AllocationError
from .tables import place_tables

__all__ = ["Load", "add_tables", "place_constants"]


@dataclass(frozen=True)
class Load:
    """Constants and tables that lie in their memories together.

    Parameters
    ----------
    stages : range, those that they are for
    constants : tuple of Constants, placed, one a stage
    tables : tuple of PlacedTable
    segments : tuple of Program, the passes of these stages, set by the plan
    inputs : tuple of ranges (first, end) of rows of an input that X cannot hold, which are written
        one after the other
    input_row : int, the first row of X that they are written to
    """

    stages:    range
    constants: tuple
    tables:    tuple = ()
    segments:  tuple = ()
    inputs:    tuple = ()
    input_row: int = 0

    @property
    def borrows(self):
        """Whether tables lie where the core has some of itself."""
        return any(table.borrows for table in self.tables)


def place_constants(values, titles, memory, *, behind=None):
    """Loads, as few as there can be, in order.

    Those of a single stage that do not fit are a load at row ``behind``, if there is one, which
    ``xymac.host.plan.streams`` cuts.

    Parameters
    ----------
    values : list of Constants, one a stage
    titles : list of str, of every stage's layer
    memory : Rows of Y, what stays there taken already

    AllocationError where those of a single stage do not fit.
    """
    loads, start = [], 0
    while start < len(values):
        load = _Placed(memory)
        try:
            load.add(values[start], titles[start])
            end = start + 1
            while end < len(values) and load.takes(values[end], titles[end]):
                end += 1
            placed = load.constants
        except AllocationError:
            if behind is None or values[start].room:
                raise
            placed, end = (replace(values[start], y_row=behind),), start + 1
        loads.append(Load(range(start, end), placed))
        start = end
    return loads


class _Placed:
    """Constants of some stages in rows that nobody has yet; those with room come first, where the
    output can reach it.

    Parameters
    ----------
    memory : Rows of Y, what stays there taken already
    """

    def __init__(self, memory):
        self._memory, self._rows = memory, memory.copy()
        self._added, self._shared, self._first = [], {}, []

    @property
    def constants(self):
        """Those that were added, in order, placed."""
        return tuple(replace(values, y_row=row)
                     for (values, _), row in zip(self._added, self._first, strict=True))

    def takes(self, values, title):
        """Whether there is room for the Constants of a further stage, which are added if so."""
        try:
            self.add(values, title)
        except AllocationError:
            return False
        return True

    def add(self, values, title):
        """Add Constants of a further stage; AllocationError if there is no room for them."""
        if values.room and self._added:
            self._add_again([*self._added, (values, title)])
        else:
            self._first.append(self._row_of(values, title, len(self._added)))
            self._added.append((values, title))

    def _add_again(self, added):
        """Place all of them anew; where they do not fit, all stay as they are."""
        other = _Placed(self._memory)
        order = sorted(range(len(added)), key=lambda index: not added[index][0].room)
        rows  = {index: other._row_of(*added[index], index) for index in order}
        self._rows, self._shared, self._added = other._rows, other._shared, added
        self._first = [rows[index] for index in range(len(added))]

    def _row_of(self, values, title, index):
        """First row of Constants, which may be that of equal ones."""
        key = (values.cells.tobytes(), values.align) if values.shared else index
        if key not in self._shared:
            self._shared[key] = self._rows.take(values.y_rows, title, align=values.align)
        return self._shared[key]


def add_tables(loads, wanted, passes):
    """Loads with tables, of which some may become several, and the passes with their codes.

    Parameters
    ----------
    loads : list of Load
    wanted : list, one a stage: the layer and a tuple of OwnTable
    passes : list of list of Pass, one a stage; of the OwnTables one has the code of its index

    AllocationError where those of a single stage do not fit.
    """
    if not any(tables for _, tables in wanted):
        return loads, passes
    used  = [{pass_.epilogue.table for pass_ in each} for each in passes]
    parts = []
    for load in loads:
        start = load.stages.start
        while start < load.stages.stop:
            placed, end = (), start
            while end < load.stages.stop:
                stages = range(start, end + 1)
                try:
                    placed = place_tables([own for stage in stages for own in wanted[stage][1]],
                                          set().union(*(used[stage] for stage in stages)))
                except AllocationError as error:
                    if end == start:
                        raise AllocationError(f"Layer {wanted[start][0]}: {error}") from error
                    break
                end += 1
            first = load.stages.start
            parts.append(Load(range(start, end), load.constants[start - first:end - first], placed))
            start = end
    return parts, [_name_tables(passes[stage], wanted[stage][1], part.tables)
                   for part in parts for stage in part.stages]


def _name_tables(passes, wanted, placed):
    """Passes with the codes of the tables as they are placed."""
    codes = {OWN_TABLES[index]: next(table.table for table in placed if table.own == own)
             for index, own in enumerate(wanted)}
    return [replace(pass_, table=codes[pass_.epilogue.table])
            if pass_.epilogue.table in codes else pass_
            for pass_ in passes]
