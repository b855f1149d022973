# SPDX-License-Identifier: Apache-2.0
"""Matching elements of two layouts as nested loops with strides."""

from dataclasses import dataclass
from itertools import groupby
from math import prod

from xymac.host.memory.layout import TensorLayout

__all__ = ["Dim", "ElementMove", "merge_dims", "pair_layouts", "pair_part", "pair_strides",
           "strides_of"]


@dataclass(frozen=True)
class Dim:
    """A loop over elements: count, and the source and target strides in elements."""

    count: int
    x:     int
    z:     int


@dataclass(frozen=True)
class ElementMove:
    """Elements to move.

    Parameters
    ----------
    source, target : TensorLayouts
    dims : tuple of Dim, in target memory order, outermost first
    x, z : int, first element relative to the source and target base, elements; ``z`` begins a
        vector
    """

    source: TensorLayout
    target: TensorLayout
    dims:   tuple
    x:      int = 0
    z:      int = 0


def pair_layouts(source, target):
    """Regions for a tensor's move from ``source`` to ``target``, a list.

    None if elements have no strides, or if parts with unequal sizes would begin inside a target
    vector.
    """
    if _is_one_run(source) and _is_one_run(target) and source.order == target.order:
        region = _pair_runs(source, target)
        return None if region is None else [region]
    alike = _find_alike(source, target)
    if alike is not None:
        return [_pair_alike(source, target, *alike)]
    parted = [layout for layout in (source, target) if len(layout.parts) > 1]
    if not parted:
        return [pair_part(source, target)]
    splits = {_split_of(layout) for layout in parted}
    if None not in splits and len(splits) == 1:
        [(axis, count)] = splits
        steps = [_steps_of(layout, axis, count) for layout in (source, target)]
        return [_pair_split(source, target, axis, steps, (source.shape[axis] // count, count))]
    if len(parted) > 1:
        return None
    return _pair_parts(source, target, *parted) or _pair_apart(source, target, *parted)


def _split_of(layout):
    """(dimension, count) whose elements with the dimensions behind it make each part of a run;
    None for unequal parts, and for parts that begin elsewhere.
    """
    size = layout.parts[0]
    if len(set(layout.parts)) > 1:
        return None
    for axis in reversed(layout.order[len(layout.order) - layout.inner:]):
        if layout.shape[axis] % size == 0:
            return axis, size
        if size % layout.shape[axis]:
            return None
        size //= layout.shape[axis]
    return None


def _pair_split(source, target, axis, steps, counts, x=0, z=0):
    """ElementMove in which dimension ``axis`` is two loops of ``counts``.

    ``steps`` are the strides in source and target by dimension, the outer loop's by None.
    """
    dims = []
    for each in target.order:
        whole = [(None, counts[0]), (axis, counts[1])] if each == axis else [
            (each, target.shape[each])]
        dims += [Dim(count, *(strides[name] for strides in steps)) for name, count in whole]
    return ElementMove(source, target, tuple(merge_dims(dims)), x, z)


def _steps_of(layout, axis, count):
    """Strides by dimension of a layout with equal parts, and by None that of ``count`` elements of
    dimension ``axis``.
    """
    steps = strides_of(layout) | {None: _apart(layout, axis, count)}
    if len(layout.parts) > 1:
        run  = layout.order[len(layout.order) - layout.inner:]
        step = steps[None] * (layout.shape[axis] // count)
        for each in reversed(run[:run.index(axis)]):
            steps[each] = step
            step *= layout.shape[each]
    return steps


def _apart(layout, axis, count):
    """Elements from a part, or from ``count`` elements of dimension ``axis``, to the next."""
    if len(layout.parts) == 1:
        return count * strides_of(layout)[axis]
    behind = layout.order[layout.order.index(axis) + 1:]
    return -(-count * prod(layout.shape[each] for each in behind) // layout.ways) * layout.ways


def _pair_parts(source, target, layout):
    """Regions for the parts of ``layout``, either layout; None if parts begin inside a vector, or
    inside the first dimension of a run. Equal parts of several dimensions share a region.
    """
    run    = layout.order[len(layout.order) - layout.inner:]
    axis   = next((each for each in run if layout.shape[each] > 1), run[-1])
    behind = prod(layout.shape[each] for each in run[run.index(axis) + 1:])
    parts  = [(part, 1) for part in layout.parts] if layout.inner == 1 else [
        (part, len([*alike])) for part, alike in groupby(layout.parts)]
    places, start, regions = layout.slots(), 0, []
    for part, times in parts:
        size, rest = divmod(part, behind)
        x, z = (int(places[start * behind]) if each is layout else start * strides_of(each)[axis]
                for each in (source, target))
        apart  = [strides_of(each) | {None: _apart(each, axis, size)} for each in (source, target)]
        region = _pair_split(source, target, axis, apart, (times, size), x, z)
        if rest or any(step % target.ways
                       for step in (z, *(dim.z for dim in region.dims if dim.z > 1))):
            return None
        regions.append(region)
        start += times * size
    return regions


def _pair_apart(source, target, layout):
    """Regions for the parts of ``layout``, either layout; the other one has a vector for every
    element. None if it has none, or another order. Equal parts in sequence share a region.
    """
    other = target if layout is source else source
    if other.inner or other.order != layout.order:
        return None
    ways, dims   = layout.ways, [Dim(target.shape[axis], source.step(axis) * source.ways,
                                     target.step(axis) * target.ways)
                                 for axis in layout.outer_axes]
    places, start, regions = layout.slots(), 0, []
    for part, alike in groupby(layout.parts):
        times = len([*alike])
        steps = [(int(places[start]), -(-part // ways) * ways, 1),
                 (start * ways, part * ways, ways)]
        (x, *moved), (z, *written) = steps if layout is source else steps[::-1]
        loops = [Dim(*each) for each in zip((times, part), moved, written, strict=True)]
        regions.append(ElementMove(source, target, tuple(merge_dims(dims + loops)), x, z))
        start += times * part
    return regions


def pair_part(source, target, shape=None, x=0, z=0, axes=None):
    """ElementMove of ``shape`` elements (default: all) from offset ``x`` to offset ``z``.

    Target dimension ``k`` is source dimension ``axes[k]``, by default ``k``.
    """
    shape = target.shape if shape is None else shape
    axes  = range(len(target.shape)) if axes is None else axes
    first = strides_of(source)
    return pair_strides(source, target, [first[axis] for axis in axes], shape, x, z)


def pair_strides(source, target, strides, shape=None, x=0, z=0):
    """ElementMove of ``shape`` elements (default: all) from offset ``x`` to offset ``z``.

    ``strides`` are the source strides per target dimension, elements.
    """
    shape  = target.shape if shape is None else shape
    places = strides_of(target)
    dims   = [Dim(shape[axis], strides[axis], places[axis]) for axis in target.order]
    return ElementMove(source, target, tuple(merge_dims(dims)), x, z)


def _is_one_run(layout):
    """Whether all elements form a single run with equal parts."""
    return layout.inner == len(layout.shape) and len(set(layout.parts)) == 1


def _pair_runs(source, target):
    """ElementMove between two single runs in the same order.

    None unless the parts are equal, or either run has a single part.
    """
    size  = min(source.parts[0], target.parts[0])
    if any(len(layout.parts) > 1 and layout.parts[0] > size for layout in (source, target)):
        return None
    apart = (-(-size // layout.ways) * layout.ways if len(layout.parts) > 1 else size
             for layout in (source, target))
    count = prod(source.shape) // size
    return ElementMove(source, target, tuple(merge_dims([Dim(count, *apart), Dim(size, 1, 1)])))


def _find_alike(source, target):
    """(run dimension, part size) if all parted runs have equal parts, else None."""
    parted = [layout for layout in (source, target) if len(layout.parts) > 1]
    alike  = {(layout.inner, layout.order[-1], part) for layout in parted for part in layout.parts}
    if len(alike) != 1:
        return None
    [(inner, axis, size)] = alike
    return (axis, size) if inner == 1 else None


def _pair_alike(source, target, parted, size):
    """ElementMove of all elements; parts with ``size`` elements become an additional dimension."""
    x, z  = strides_of(source), strides_of(target)
    dims  = []
    for axis in target.order:
        count = target.shape[axis]
        if axis == parted:
            apart = (-(-size // layout.ways) * layout.ways if len(layout.parts) > 1
                     else size * strides[axis]
                     for layout, strides in ((source, x), (target, z)))
            dims.append(Dim(count // size, *apart))
            count = size
        dims.append(Dim(count, x[axis], z[axis]))
    return ElementMove(source, target, tuple(merge_dims(dims)))


def strides_of(layout):
    """A copy of ``layout.strides``."""
    return dict(layout.strides)


def merge_dims(dims):
    """Dims without size 1, contiguous neighbours merged.

    Two Dims merge if the outer stride continues the inner loop in both source and target.
    """
    result = []
    for dim in dims:
        last = result[-1] if result else None
        if dim.count == 1:
            continue
        if last and (last.x, last.z) == (dim.count * dim.x, dim.count * dim.z):
            result[-1] = Dim(last.count * dim.count, dim.x, dim.z)
        else:
            result.append(dim)
    return result
