"""Passes in order, with the waits they need."""

from dataclasses import replace

from hdl.isa import (
    BANKS,
    CELL_BITS,
    Adjust,
    Memory,
    Op,
    Reduce,
    Shape,
    Width,
    record_rows,
)

__all__ = ["row_groups", "rows_of", "scalars_of", "set_waits"]


def set_waits(passes, config):
    """Set ``wait`` where a pass reads rows that unfinished passes write, and ``last`` at the end.

    ValueError if there is no pass, or more than program memory holds.
    """
    if not 1 <= len(passes) <= config.passes:
        raise ValueError(f"A program must have 1 to {config.passes} passes on size "
                         f"{config.name}, not {len(passes)}")
    waits, pending, folds = [False] * len(passes), [], set()
    for index in _order(passes):
        pass_ = passes[index]
        reads, write = rows_of(pass_, config.ways)
        waits[index] |= not folds.isdisjoint(scalars_of(pass_))
        waits[index] |= any(read[0] is other[0] and read[1] <= other[2] and other[1] <= read[2]
                            for read in reads for other in pending)
        writes  = [] if pass_.hold else [write]
        pending = writes if waits[index] else [*pending, *writes]
        folds   = _scalars_made(pass_) | (set() if waits[index] else folds)
    return [replace(pass_, wait=wait, last=index == len(passes) - 1)
            for index, (pass_, wait) in enumerate(zip(passes, waits, strict=True))]


def _order(passes):
    """Indices in the order in which passes run, each loop once and once again."""
    index, repeated = 0, set()
    while index < len(passes):
        yield index
        pass_ = passes[index]
        if pass_.back > index:
            raise ValueError(f"Pass {index} must go back at most {index} passes, not {pass_.back}")
        if pass_.repeat and index not in repeated:
            repeated.add(index)
            index -= pass_.back
        else:
            index += 1


def scalars_of(pass_):
    """Reductions whose scalars a pass uses, a set."""
    range_ = pass_.anchored or pass_.adjust in (Adjust.SHIFT, Adjust.TABLE)
    total  = pass_.inverted or pass_.adjust is Adjust.PLACES
    return ({Reduce.MAX, Reduce.MIN} if range_ else set()) | ({Reduce.SUM} if total else set())


def _scalars_made(pass_):
    """Reductions whose scalars a pass makes, a set; the heap makes those of the range."""
    if pass_.reduce in (Reduce.RANK, Reduce.POP):
        return {Reduce.MAX, Reduce.MIN}
    return {pass_.reduce} - {Reduce.NONE}


def rows_of(pass_, ways):
    """Reads and the write of a pass: (memory, first row, last row)."""
    y_units = ways if pass_.y_shape is Shape.LANES else 1
    x_units = BANKS * (ways if pass_.op is Op.GATHER else 1)
    z_units = BANKS * (ways if pass_.z_memory is Memory.Y else 1)
    x, y, z = (
        (memory, access.low // units, access.high // units)
        for memory, access, units in (
            (Memory.X, pass_.x, x_units * _units(pass_.x_width)),
            (Memory.Y, pass_.y, y_units * _units(pass_.y_width)),
            (pass_.z_memory, pass_.z, z_units * _units(pass_.z_width))))
    reads = [x, y]
    if pass_.bias_row is not None:
        last = pass_.bias_row + record_rows(pass_, ways) - 1
        reads.append((Memory.Y, pass_.bias_row, last))
    return reads, z


def row_groups(pass_):
    """Groups of X, as a pass reads it, in a row."""
    return BANKS * _units(pass_.x_width)


def _units(width):
    return CELL_BITS // (8 if width is Width.BITS8 else 16)
