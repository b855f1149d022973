# SPDX-License-Identifier: Apache-2.0
"""Faults before the start of a pass, and a pass's memory windows."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from xymac.hdl.isa import (
    BANKS,
    OWN_TABLES,
    SHIFT_MAX,
    SHIFT_MIN,
    Count,
    Memory,
    Op,
    Reduce,
    Shape,
    Status,
    Table,
)

from .outcome import ProgramError
from .steps import Fault
from .window import Window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xymac.hdl.isa import Pass

    from .machine import Machine

__all__ = ["refuse", "refuse_long", "windows_of"]

#: Limits of a pass on the machine, whose working memory grows with them; the core has none.
LONGEST = {"outputs": 1 << 22, "steps an output": 1 << 18, "steps": 1 << 28}


def refuse(pass_: Pass, machine: Machine, windows: Mapping[Count, Window]) -> Fault | None:
    """First fault before the start of a pass with these ``windows`` on a ``Machine``, or None."""
    reduction = pass_.reduction
    ranks = reduction.reduce in (Reduce.RANK, Reduce.POP)
    core  = machine.capabilities
    if (pass_.accumulate.op not in core.operations or reduction.reduce not in core.reductions
            or (ranks and pass_.accumulate.op is not Op.MAC)
            or (reduction.reduce is Reduce.RANGE and pass_.operands.x_shape is not Shape.LANES)
            or (pass_.epilogue.table in OWN_TABLES and not core.tables)):
        return Fault(Status.OPCODE)
    for name, count in enumerate((*pass_.loop.outer, *pass_.loop.taps)):
        if count == 0:
            return Fault(Status.COUNT, Count(name).value)
    whole = pass_.accumulate.hold or reduction.reduce is Reduce.RANGE
    if not (BANKS if whole else 1) <= pass_.epilogue.beats <= (1 if ranks else BANKS):
        return Fault(Status.COUNT, Count.BEATS.value)
    if not SHIFT_MIN <= pass_.epilogue.shift <= SHIFT_MAX:
        return Fault(Status.SHIFT)
    if pass_.epilogue.table is not Table.NONE and pass_.epilogue.table not in machine.tables.places:
        return Fault(Status.TABLE, pass_.epilogue.table.value)
    for name, window in windows.items():
        if not window.inside or (name is Count.Y and not _has_table(pass_, machine)) or (
                name is Count.X and _is_ragged(pass_)):
            return Fault(Status.WINDOW, name.value)
    return None


def refuse_long(index: int, pass_: Pass) -> None:
    """ProgramError if pass number ``index`` is longer than ``LONGEST``."""
    outputs, steps = prod(pass_.loop.outer), prod(pass_.loop.taps)
    for (name, limit), count in zip(LONGEST.items(), (outputs, steps, outputs * steps),
                                    strict=True):
        if count > limit:
            raise ProgramError(f"Pass {index} has {count:,} {name}; the machine executes at most "
                               f"{limit:,}")


def _has_table(pass_, machine):
    """Whether the Y window has the size and alignment for a gather pass; True for other passes."""
    operands = pass_.operands
    size = machine.lanes * machine.ways
    return pass_.accumulate.op is not Op.GATHER or (
        operands.y.low % size == 0 and operands.y.high - operands.y.low + 1 == size)


def _is_ragged(pass_):
    """Whether crossed X groups could lie beside the window."""
    operands = pass_.operands
    return pass_.accumulate.op is Op.CROSS and (
        operands.x.low % BANKS != 0 or (operands.x.high + 1) % BANKS != 0)


def windows_of(pass_: Pass, machine: Machine) -> dict[Count, Window]:
    """X, Y and Z windows in a ``Machine``'s memories, a dict by ``Count``."""
    epilogue = pass_.epilogue
    x_unit = 1 if pass_.accumulate.op is Op.GATHER else machine.ways
    y_unit = machine.lanes * (machine.ways if pass_.operands.y_shape is Shape.VECTOR else 1)
    cells  = {Memory.X: machine.x, Memory.Y: machine.y}
    rows   = {Memory.X: machine.lanes, Memory.Y: machine.ways * machine.lanes}
    return {name: Window(memory, cells[memory], rows[memory], width, unit, access.low, access.high)
            for name, memory, width, unit, access in (
                (Count.X, Memory.X, pass_.operands.x_width, x_unit, pass_.operands.x),
                (Count.Y, Memory.Y, pass_.operands.y_width, y_unit, pass_.operands.y),
                (Count.Z, epilogue.z_memory, epilogue.z_width, machine.ways, epilogue.z))}
