# SPDX-License-Identifier: Apache-2.0
"""Element moves from a layout to another, grouped into Regions for move passes."""

from itertools import product

import numpy as np

from xymac.host.lower.move.strides import ElementMove, merge_dims, strides_of

from .series import find_loops, split_series

__all__ = ["find_regions"]

_PATTERNS = 64  #: Maximum run patterns; a single pattern if no dimension is in a run.


def find_regions(places, source, target):
    """Regions writing all elements of ``target`` with an index in ``places``.

    None if nested loops, as in moves, cannot write a target run.

    Parameters
    ----------
    places : int64 array in the target shape: source element indices in C order, -1 for no element
    source, target : TensorLayouts whose runs have a single part
    """
    count = int(np.prod(target.dims, dtype=int))
    whole = np.where(places < 0, -1, _addresses(source)[places])
    runs  = whole.transpose(target.order).reshape(count, -1)
    there = runs[:, 0] >= 0
    if ((runs >= 0) != there[:, None]).any():
        return None
    steps = [strides_of(target)[axis] for axis in target.outer_axes]
    regions = []
    for number, (pattern, chosen) in enumerate(_list_patterns(runs, there)):
        inside = find_loops(pattern, np.arange(pattern.size))
        if inside is None or number == _PATTERNS:
            return None
        grid = np.where(chosen, runs[:, 0], -1).reshape(target.dims)
        regions += [ElementMove(source, target, tuple(merge_dims([*dims, *inside])), x, z)
                    for x, z, dims in _split_grid(grid, steps)]
    return regions


def _addresses(layout):
    """Every element's address in C order, in elements from the first."""
    result, strides = np.zeros((1,) * len(layout.shape), np.int64), strides_of(layout)
    for axis, size in enumerate(layout.shape):
        shape  = [size if other == axis else 1 for other in range(len(layout.shape))]
        result = result + strides[axis] * np.arange(size).reshape(shape)
    return result.reshape(-1)


def _list_patterns(runs, there):
    """Distinct address patterns within a run, each with the runs that have it."""
    left = there.copy()
    while left.any():
        first   = runs[int(left.argmax())]
        pattern = first - first[0]
        chosen  = left & (runs - runs[:, :1] == pattern).all(axis=1)
        yield pattern, chosen
        left &= ~chosen


def _split_grid(grid, steps):
    """(x, z, Dims) for loops jointly covering all grid addresses except -1.

    ``steps`` are the target distances along each dimension.
    """
    if (grid < 0).all():
        return []
    chosen = [np.flatnonzero((grid >= 0).any(axis=tuple(
        other for other in range(grid.ndim) if other != axis))) for axis in range(grid.ndim)]
    box    = grid[np.ix_(*chosen)] if grid.ndim else grid
    lines  = [box[tuple(slice(None) if other == axis else 0 for other in range(grid.ndim))]
              for axis in range(grid.ndim)]
    if (box >= 0).all() and np.array_equal(box, _add_up(lines, box)):
        first  = int(box.flat[0])
        series = [split_series(line - first, step * indices)
                  for line, indices, step in zip(lines, chosen, steps, strict=True)]
        return [(first + sum(each.x for each in parts), sum(each.z for each in parts),
                 [dim for each in parts for dim in each.dims]) for parts in product(*series)]
    return [(x, index * steps[0] + z, dims) for index, part in enumerate(grid)
            for x, z, dims in _split_grid(part, steps[1:])]


def _add_up(lines, box):
    """The grid whose addresses are sums of a line address for each dimension."""
    total = np.full((1,) * box.ndim, box.flat[0])
    for axis, line in enumerate(lines):
        shape = [-1 if other == axis else 1 for other in range(box.ndim)]
        total = total + (line - box.flat[0]).reshape(shape)
    return total
