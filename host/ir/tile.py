# SPDX-License-Identifier: Apache-2.0
"""A part of a layer, and layers cut into such parts along a dimension of the output."""

from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Tile", "along", "cut_elements", "cut_evenly", "whole"]


@dataclass(frozen=True)
class Tile:
    """A part of a layer: a layer that makes some elements of the output of some of the inputs.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of tuples, slices of each input, one a dimension; None for one that it has none
        of, which is no input of it
    target : tuple of slices of the output, one a dimension
    states : tuple of tuples, slices of each state of the layer that the tile has; empty where it
        has all of them. Tiles of the same elements of the states follow one another in time
    """

    layer:   object
    sources: tuple
    target:  tuple
    states:  tuple = ()


def whole(shape):
    """Slices of all elements of a shape."""
    return tuple(slice(0, size) for size in shape)


def along(shape, axis, first, end):
    """Slices of a shape: indices ``first`` to ``end`` of dimension ``axis``, all of the others."""
    return tuple(slice(first, end) if other == axis else slice(0, size)
                 for other, size in enumerate(shape))


def cut_evenly(size, count, unit=1):
    """``count`` ranges (first, end) of about the same size, which together are ``size``.

    All but the last one end at a multiple of ``unit``; None if there are not so many.
    """
    units  = -(-size // unit)
    bounds = [min(units * index // count * unit, size) for index in range(count + 1)]
    return None if count > units else list(pairwise(bounds))


def cut_elements(layer, inputs, output, count, fixed=()):
    """Tiles of a layer of which indices of a dimension do not see one another, along the longest
    such dimension of the output; None if none has so many.

    Inputs are cut with the output; those of another shape go to every tile whole. Dimensions that
    are ``fixed``, or that scales differ along, stay whole.
    """
    fixed = {*fixed, *(x.format.dim for x in (*inputs, output) if hasattr(
        getattr(x, "format", None), "dim"))}
    axes  = [axis for axis in range(len(output.shape)) if axis not in fixed]
    axis  = max(axes, key=lambda axis: output.shape[axis], default=None)
    if axis is None or output.shape[axis] < count:
        return None
    return [Tile(layer, tuple(
        along(x.shape, axis, first, end) if len(x.shape) == len(output.shape)
        and x.shape[axis] == output.shape[axis] else whole(x.shape) for x in inputs),
        along(output.shape, axis, first, end))
        for first, end in cut_evenly(output.shape[axis], count)]
