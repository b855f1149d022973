"""Constants in Y, and tables: all at once where they fit, else those of some layers after those of
others."""

from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from hdl.isa import OWN_TABLES, Memory

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

    @contextmanager
    def borrow(self, device):
        """Tables that lie where the core has some of itself are there as long as this lasts."""
        if not self.borrows:
            yield
            return
        try:
            for table in self.tables:
                table.write(device)
            yield
        finally:
            for table in self.tables:
                table.give_back(device)

    def write(self, device):
        """Write the constants to a Device, and the tables unless they ``borrow``."""
        if not self.borrows:
            for table in self.tables:
                table.write(device)
        placed = {values.y_row: values for values in self.constants if values.y_rows}
        for values in placed.values():
            device.write_cells(Memory.Y, values.y_row * values.row_cells, values.cells)

    def write_inputs(self, device, rows):
        """Write what there is of an input whose cells are ``rows``."""
        if self.inputs:
            cells = np.concatenate([rows[start:end] for start, end in self.inputs])
            device.write_cells(Memory.X, self.input_row * cells.shape[1], cells.ravel())


def place_constants(values, titles, memory, *, behind=None):
    """Loads, as few as there can be, in order.

    Those of a single stage that do not fit are a load at row ``behind``, if there is one, which
    ``host.plan.streams`` cuts.

    Parameters
    ----------
    values : list of Constants, one a stage
    titles : list of str, of every stage's layer
    memory : Rows of Y, what stays there taken already

    AllocationError where those of a single stage do not fit.
    """
    loads, start = [], 0
    while start < len(values):
        placed, end = _place_first(values, titles, memory, start, behind), start + 1
        while end < len(values) and placed[0].y_row != behind:
            try:
                placed = _place(values, titles, memory, range(start, end + 1))
            except AllocationError:
                break
            end += 1
        loads.append(Load(range(start, end), placed))
        start = end
    return loads


def _place_first(values, titles, memory, stage, behind):
    """Constants of a single stage."""
    try:
        return _place(values, titles, memory, range(stage, stage + 1))
    except AllocationError:
        if behind is None or values[stage].room:
            raise
        return (replace(values[stage], y_row=behind),)


def _place(values, titles, memory, stages):
    """Constants of ``stages`` in rows that nobody has yet; those with room come first, where the
    output can reach it."""
    rows, shared, placed = memory.copy(), {}, {}
    for stage in sorted(stages, key=lambda stage: not values[stage].room):
        each = values[stage]
        key  = (each.cells.tobytes(), each.align) if each.shared else stage
        if key not in shared:
            shared[key] = rows.take(each.y_rows, titles[stage], align=each.align)
        placed[stage] = replace(each, y_row=shared[key])
    return tuple(placed[stage] for stage in stages)


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
    used  = [{pass_.table for pass_ in each} for each in passes]
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
    return [replace(pass_, table=codes[pass_.table]) if pass_.table in codes else pass_
            for pass_ in passes]
