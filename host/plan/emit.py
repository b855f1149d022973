# SPDX-License-Identifier: Apache-2.0
"""Convert plans to executable steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import PLACES, TABLES, Memory, TablePlace
from xymac.host.memory.layout_rows import LayoutRows

if TYPE_CHECKING:
    from xymac.host.executable.builder import Builder

    from .plan import Plan

__all__ = ["Ends", "emit_plan"]


@dataclass(frozen=True)
class Ends:
    """Numbers of the values read and written by a plan in an executable.

    Parameters
    ----------
    sources : tuple of (number, slices), for each input; empty slices select the whole value
    targets : tuple of (layer index, number, slices)
    states : tuple of (number, slices), for all layers' states in order
    cells : dict, layer index to number, for recurrent cells' new states
    """

    sources: tuple[tuple[int, tuple[slice, ...]], ...]
    targets: tuple[tuple[int, int, tuple[slice, ...]], ...]
    states:  tuple[tuple[int, tuple[slice, ...]], ...] = ()
    cells:   dict[int, int] = field(default_factory=dict)


def emit_plan(plan: Plan, builder: Builder, ends: Ends, *, alone: bool = False) -> None:
    """Add a Plan's steps to a Builder.

    ``alone`` says that the device runs no other program. Constants of a single load, and then an
    only program, are loaded once.
    """
    single = alone and len(plan.loads) == 1
    loaded = single and len(plan.segments) == 1
    builder.add_tables(pass_.epilogue.table for pass_ in plan.program
                       if pass_.epilogue.table in _written_tables(plan.config))
    if single:
        _emit_load(plan.loads[0], builder, builder.load)
    if loaded:
        builder.add_program(builder.load, plan.segments[0])
    parted = _emit_inputs(plan, builder, ends.sources)
    states = list(zip(ends.states, plan.state_layouts, strict=True))
    for (number, part), layout in states:
        builder.write(number, layout, part)
    for load in plan.loads:
        if not single:
            _emit_load(load, builder, builder.run)
        for number, part, layout in parted if load.inputs else ():
            builder.write(number, LayoutRows(layout, load.input_row, load.inputs), part)
        _emit_programs(load, builder, loaded=loaded)
        for index in sorted(plan.layers_of(load) & ends.cells.keys()):
            builder.read(ends.cells[index], plan.steps[index].cell)
    for index, number, part in ends.targets:
        builder.read(number, plan.steps[index].target, part)
    for (number, part), layout in states:
        builder.read(number, layout, part)


def _emit_load(load, builder, steps):
    """Add a ConstantLoad's constants to ``steps``, and tables unless they overlay built-in ones."""
    if not load.borrows:
        _emit_tables(load.tables, builder, steps)
    placed = {values.y_row: values for values in load.constants if values.y_rows}
    for values in placed.values():
        builder.add_cells(steps, Memory.Y, values.y_row * values.row_cells, values.cells)


def _emit_inputs(plan, builder, sources):
    """Write whole inputs; return a list of (number, slices, layout) for inputs written in parts."""
    parted = []
    for (number, part), layout in zip(sources, plan.sources, strict=True):
        if layout.row == plan.behind:
            parted.append((number, part, layout))
        else:
            builder.write(number, layout, part)
    return parted


def _emit_programs(load, builder, *, loaded):
    """Run a ConstantLoad's programs.

    Tables that overlay built-in tables are written before the programs; the built-in tables are
    restored afterwards.
    """
    borrowed = load.tables if load.borrows and load.segments else ()
    _emit_tables(borrowed, builder, builder.run)
    for segment in load.segments:
        if not loaded:
            builder.add_program(builder.run, segment)
        builder.start()
    for own, place in PLACES.items():
        if any(table.first < place.first + place.entries
               and place.first < table.first + len(table.own.values) for table in borrowed):
            builder.add_table(builder.run, place.first, np.array(TABLES[own].values, np.int16))


def _written_tables(config):
    """Core tables written by hosts: all, or none if a microprogram contains the tables."""
    return TABLES if config.capabilities.tables else ()


def _emit_tables(tables, builder, steps):
    """Write the layers' own tables."""
    for table in tables:
        builder.add_table(steps, table.first, table.own.values)
        builder.add_place(steps, table.table,
                          TablePlace(table.first, len(table.own.values), table.own.offset))
