"""Passes in order, with the waits they need."""

from dataclasses import replace

from hdl.config import BANKS, CELL_BITS
from hdl.isa import Adjust, Memory, Reduce, Shape, Width, bias_rows

__all__ = ["link"]


def link(passes, config):
    """Set ``wait`` where a pass reads rows that unfinished passes write, and ``last`` at the end.

    ValueError if there is no pass, or more than program memory holds.
    """
    if not 1 <= len(passes) <= config.passes:
        raise ValueError(f"A program must have 1 to {config.passes} passes on size "
                         f"{config.name}, not {len(passes)}")
    linked, pending, folds = [], [], False
    for index, pass_ in enumerate(passes):
        reads, write = _rows(pass_, config.ways)
        wait = folds and _uses_scalars(pass_)
        wait |= any(read[0] is other[0] and read[1] <= other[2] and other[1] <= read[2]
                   for read in reads for other in pending)
        pending = [write] if wait else [*pending, write]
        folds   = pass_.reduce is not Reduce.NONE or (folds and not wait)
        linked.append(replace(pass_, wait=wait, last=index == len(passes) - 1))
    return linked


def _uses_scalars(pass_):
    return pass_.anchored or pass_.inverted or pass_.adjust is not Adjust.NONE


def _rows(pass_, ways):
    """Reads and the write of a pass: (memory, first row, last row)."""
    y_units = ways if pass_.y_shape is Shape.LANES else 1
    z_units = BANKS * (ways if pass_.z_memory is Memory.Y else 1)
    x, y, z = (
        (memory, access.low // units, access.high // units)
        for memory, access, units in (
            (Memory.X, pass_.x, BANKS * _units(pass_.x_width)),
            (Memory.Y, pass_.y, y_units * _units(pass_.y_width)),
            (pass_.z_memory, pass_.z, z_units * _units(pass_.z_width))))
    reads = [x, y]
    if pass_.bias_row is not None:
        last = pass_.bias_row + pass_.outer[0] * bias_rows(ways) - 1
        reads.append((Memory.Y, pass_.bias_row, last))
    return reads, z


def _units(width):
    return CELL_BITS // (8 if width is Width.BITS8 else 16)
