# SPDX-License-Identifier: Apache-2.0
"""Compute the memory rows that a pass's windows touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.hdl.isa import BANKS, CELL_BITS, Memory, Op, Shape, Width, record_rows

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass

__all__ = ["row_groups", "rows_of"]


def rows_of(pass_: Pass,
            ways: int) -> tuple[list[tuple[Memory, int, int]], tuple[Memory, int, int]]:
    """A pass's reads and its write: ([(memory, first row, last row), ...], (memory, first row, last
    row)).
    """
    y_units = ways if pass_.operands.y_shape is Shape.LANES else 1
    x_units = BANKS * (ways if pass_.accumulate.op is Op.GATHER else 1)
    z_units = BANKS * (ways if pass_.epilogue.z_memory is Memory.Y else 1)
    x, y, z = (
        (memory, access.low // units, access.high // units)
        for memory, access, units in (
            (Memory.X, pass_.operands.x, x_units * _units(pass_.operands.x_width)),
            (Memory.Y, pass_.operands.y, y_units * _units(pass_.operands.y_width)),
            (pass_.epilogue.z_memory, pass_.epilogue.z, z_units * _units(pass_.epilogue.z_width))))
    reads = [x, y]
    if pass_.accumulate.bias_row is not None:
        last = pass_.accumulate.bias_row + record_rows(pass_, ways) - 1
        reads.append((Memory.Y, pass_.accumulate.bias_row, last))
    return reads, z


def row_groups(pass_: Pass) -> int:
    """Vectors per X row, at the pass's X width."""
    return BANKS * _units(pass_.operands.x_width)


def _units(width):
    return CELL_BITS // (8 if width is Width.BITS8 else 16)
