# SPDX-License-Identifier: Apache-2.0
"""Tiles: layer parts along an output dimension."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = ["Tile", "along", "broadcast_along", "cut_elements", "cut_evenly", "longest", "whole"]


@dataclass(frozen=True)
class Tile:
    """A layer part, with parts of its inputs and outputs.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of slice tuples, a tuple per input; None for an unused input
    target : tuple of output slices, per dimension
    states : tuple of slice tuples, a tuple per state; empty if the tile has the full state.
        Tiles with the same state elements run in time order
    """

    layer:   Any
    sources: tuple[tuple[slice, ...] | None, ...]
    target:  tuple[slice, ...]
    states:  tuple[tuple[slice, ...], ...] = ()


def whole(shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Slices that select a whole shape."""
    return tuple(slice(0, size) for size in shape)


def along(shape: tuple[int, ...], axis: int, first: int, end: int) -> tuple[slice, ...]:
    """Slices for indices ``first`` to ``end`` of dimension ``axis``, and all indices of the others.
    """
    return tuple(slice(first, end) if other == axis else slice(0, size)
                 for other, size in enumerate(shape))


def broadcast_along(shape: tuple[int, ...], rank: int, axis: int, first: int,
                    end: int) -> tuple[slice, ...]:
    """``along`` for a dimension of a broadcast result with ``rank`` dimensions: all of ``shape`` if
    it is broadcast along it.
    """
    own = axis - rank + len(shape)
    return along(shape, own, first, end) if own >= 0 and shape[own] > 1 else whole(shape)


def longest(shape: tuple[int, ...], without: Collection[int] = ()) -> list[tuple[int, int]]:
    """List with the pair (longest dimension not in ``without``, 1), or empty."""
    axes = [axis for axis in range(len(shape)) if axis not in without]
    return [(max(axes, key=lambda axis: shape[axis]), 1)] if axes else []


def cut_evenly(size: int, count: int, unit: int = 1) -> list[tuple[int, int]] | None:
    """``count`` nearly equal ranges (first, end) that cover ``size``.

    All but the last end at a multiple of ``unit``. None if there are fewer than ``count`` units.
    """
    units  = -(-size // unit)
    bounds = [min(units * index // count * unit, size) for index in range(count + 1)]
    return None if count > units else list(pairwise(bounds))


def cut_elements(layer: Any, inputs: Sequence[Any], output: Any, count: int,
                 fixed: Iterable[int] = ()) -> list[Tile] | None:
    """Tiles for a layer with independent indices, along the longest usable output dimension.

    None if no dimension has ``count`` indices. Inputs with the output's rank and its size along
    this dimension are cut with it; every tile gets the other inputs in full. ``fixed`` dimensions
    and dimensions with several scales are never cut.
    """
    held  = {*fixed, *(x.format.dim for x in (*inputs, output) if hasattr(
        getattr(x, "format", None), "dim"))}
    axes  = [axis for axis in range(len(output.shape)) if axis not in held]
    axis  = max(axes, key=lambda axis: output.shape[axis], default=None)
    if axis is None or output.shape[axis] < count:
        return None
    return [Tile(layer, tuple(
        along(x.shape, axis, first, end) if len(x.shape) == len(output.shape)
        and x.shape[axis] == output.shape[axis] else whole(x.shape) for x in inputs),
        along(output.shape, axis, first, end))
        for first, end in cut_evenly(output.shape[axis], count) or ()]
