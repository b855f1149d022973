"""Kernels that move elements as copies of whole groups."""

from dataclasses import replace
from itertools import accumulate
from math import prod

import numpy as np

from golden import mli2
from golden.mli1 import Concat, Layout, Padding2d, Permute
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout

from .sweep import Loop, copy, fill

__all__ = ["CONCATS", "constants", "lower", "source_layouts", "target_layout", "views"]

CONCATS   = (Concat, mli2.Concat)
_PERMUTES = (Permute, mli2.Permute)


def source_layouts(layer, xs, preferred, ways):
    """So that no group has to be taken apart, in as few groups as possible."""
    kind = type(layer)
    if kind in CONCATS:
        return _concat_sources(layer, xs, preferred, ways)
    [x] = xs
    if kind in _PERMUTES:
        if preferred is None:
            return (TensorLayout.flat(x, ways),)
        order = tuple(layer.order[axis] for axis in preferred.order)
        return (TensorLayout.of(x, order, ways, inner=preferred.inner, parts=preferred.parts),)
    if kind is Padding2d:
        return (_padding_source(layer, x, preferred, ways),)
    return (_subtensor_source(layer, x, preferred, ways),)


def target_layout(layer, xs, sources):
    """The output in the order of the inputs; ValueError if that would take groups apart."""
    out, [source, *_] = blank_output(layer, *xs), sources
    kind = type(layer)
    if kind in CONCATS:
        return _concat_target(layer, out, sources)
    if kind in _PERMUTES:
        return replace(source.like(out), order=tuple(map(layer.order.index, source.order)))
    if kind is Padding2d:
        return _padding_target(layer, out, source)
    if _flat_part(layer, xs[0], source) is not None:
        return TensorLayout.flat(out, source.ways)
    axis = len(layer.start) - 1
    _check_outer("Subtensor", range(axis + 1), source)
    order = tuple(other - axis for other in source.order if other >= axis)
    return replace(source.like(out), order=order)


def constants(layer, xs, sources):
    """1 to copy and 0 to fill; the 0 at an address that is a multiple of the ways."""
    return lane_words(np.array([0, 1], np.int8), sources[0].ways)


def lower(layer, xs, sources, target, values):
    """Passes of a kernel that moves elements; see ``host.lower.registry.lower``."""
    ways = target.ways
    zero, one = values.word(0, 8, ways), values.word(1, 8, ways)
    kind, [source, *_] = type(layer), sources
    if kind in CONCATS:
        return _concat(layer, sources, target, one)
    if kind in _PERMUTES:
        return copy(source, target, one, source.groups)
    if kind is Padding2d:
        return _padding(layer, source, target, zero, one)
    return _subtensor(layer, xs[0], source, target, one)


def _check_outer(name, axes, source):
    """Raise ValueError unless the dimensions ``axes`` of ``source`` are steps of whole runs."""
    for axis in axes:
        if axis not in source.outer_axes:
            raise ValueError(f"{name} moves dimension {axis}, which lies inside of the runs of its "
                             f"input of shape {source.shape} in the order {source.order}")


def _concat_sources(layer, xs, preferred, ways):
    """With the joined dimension as runs of several parts, or outermost: what takes less room."""
    others = [axis for axis in range(len(xs[0].shape)) if axis != layer.axis]
    orders = [((*others, layer.axis), 1)]
    if preferred is not None and (preferred.inner == 1 or layer.axis in preferred.outer_axes):
        orders = [(preferred.order, preferred.inner)]
    elif others:
        orders.append(((layer.axis, *others), len(others)))
    choices = [tuple(TensorLayout.of(x, order, ways, inner=inner) for x in xs)
               for order, inner in orders]
    return min(choices, key=lambda images: sum(image.groups for image in images))


def _concat_target(layer, out, sources):
    first = sources[0]
    for number, image in enumerate(sources):
        if (image.order, image.inner) != (first.order, first.inner):
            raise ValueError(f"Input 0 lies in the order {first.order}, {first.inner} of them in a "
                             f"run, input {number} in {image.order}, {image.inner}")
    if first.order[-1] == layer.axis and first.inner == 1:
        return replace(first.like(out), parts=sum((image.parts for image in sources), ()))
    _check_outer("Concat", (layer.axis,), first)
    for number, image in enumerate(sources):
        if image.parts != first.parts:
            raise ValueError(f"Runs of input 0 have the parts {first.parts}, those of input "
                             f"{number} {image.parts}")
    return first.like(out)


def _parts_of_concat(layer, sources, target):
    """How often the inputs of a Concat alternate in its output; groups and first group of each."""
    place = target.order.index(layer.axis)
    count = prod(target.shape[axis] for axis in target.order[:place])
    sizes = [image.groups // count for image in sources]
    return count, sizes, list(accumulate(sizes[:-1], initial=0))


def views(layer, sources, target):
    """TensorLayouts of the inputs of a Concat as parts of its output ``target``.

    None for those that would not have the same distance between all runs.
    """
    count, _, starts = _parts_of_concat(layer, sources, target)
    apart = count == prod(target.dims)  # the joined dimension makes the runs
    return [replace(image, memory=target.memory, row=target.row, offset=start,
                    gap=target.pitch - image.pitch if apart else 0)
            if apart or count == 1 else None
            for image, start in zip(sources, starts, strict=True)]


def _concat(layer, sources, target, one):
    """Every input to its place in the output, for all indices of the dimensions further out.

    What lies there already stays.
    """
    count, sizes, starts = _parts_of_concat(layer, sources, target)
    there = views(layer, sources, target)
    return [pass_ for image, view, size, start in zip(sources, there, sizes, starts, strict=True)
            if image != view
            for pass_ in copy(image, target, one, size, [Loop(count, size, 0, sum(sizes))],
                              z_offset=start)]


def _padding_source(layer, x, preferred, ways):
    """The image whose output takes fewest groups, of those with one dimension in a run."""
    if preferred is not None and preferred.inner == 1 and len(preferred.parts) == 1:
        return TensorLayout.of(x, preferred.order, ways)
    channel = 0 if layer.layout is Layout.CHW else 2
    axes    = (channel, *(axis for axis in (2, 1, 0) if axis != channel))
    images  = [TensorLayout.of(x, (*(other for other in range(3) if other != axis), axis), ways)
               for axis in axes]
    out = blank_output(layer, x)
    return min(images, key=lambda image: _padding_target(layer, out, image).groups)


def _padding_target(layer, out, source):
    inner = source.order[3 - source.inner:]
    parts = source.parts
    if len(inner) == 1:
        before, after = layer.widths[inner[0]]
        parts = tuple(part for part in (before, *parts, after) if part)
    elif any(map(any, (layer.widths[axis] for axis in inner))):
        _check_outer("Padding", inner, source)
    return replace(source.like(out), parts=parts)


def _padding(layer, source, target, zero, one):
    """Copy what is inside, and fill what is before and behind along each dimension."""
    axes  = source.outer_axes
    pads  = [layer.widths[axis] for axis in axes]
    inner = layer.widths[source.order[-1]] if source.inner == 1 else (0, 0)
    # Groups from one index to the next, and sizes, of the output's dimensions and its runs.
    steps = [*(target.step(axis) for axis in axes), 1]
    sizes = [*source.dims, source.pitch]
    pads.append(tuple(-(-width // target.ways) for width in inner))
    start = [0]
    for (before, _), step in zip(pads, steps, strict=True):
        start.append(start[-1] + before * step)

    loops  = [Loop(source.shape[axis], source.step(axis), 0, target.step(axis)) for axis in axes]
    passes = copy(source, target, one, source.pitch, loops, z_offset=start[-1])
    for depth, ((before, after), step) in enumerate(zip(pads, steps, strict=True)):
        around = [Loop(loop.count, 0, 0, loop.z) for loop in loops[:depth]]
        behind = start[depth + 1] + sizes[depth] * step
        for width, offset in ((before, start[depth]), (after, behind)):
            if width:
                passes += fill(source, target, zero, width * step, around, offset)
    return passes


def _span(layer, x):
    """First element, and how many, of a subtensor in the flattened input."""
    steps = [prod(x.shape[axis + 1:]) for axis in range(len(layer.start))]
    first = sum(index * step for index, step in zip(layer.start, steps, strict=True))
    return first, layer.first_out_dim_size * steps[-1]


def _subtensor_source(layer, x, preferred, ways):
    """That preferred with the dimensions that the output lacks in front, else flat in parts."""
    last = len(layer.start) - 1
    if preferred is not None and 0 in preferred.outer_axes:
        order = (*range(last), *(axis + last for axis in preferred.order))
        return TensorLayout.of(x, order, ways, inner=preferred.inner, parts=preferred.parts)
    first, count = _span(layer, x)
    parts = (first, count, x.data.size - first - count)
    return TensorLayout.flat(x, ways, tuple(part for part in parts if part))


def _flat_part(layer, x, source):
    """Groups before the part of a flat image that is the subtensor, or None if there is none."""
    if source.inner != len(source.order) or source.order != tuple(range(source.inner)):
        return None
    starts = list(accumulate(source.parts, initial=0))
    first, count = _span(layer, x)
    if first not in starts[:-1] or source.parts[starts.index(first)] != count:
        return None
    return sum(-(-part // source.ways) for part in source.parts[:starts.index(first)])


def _subtensor(layer, x, source, target, one):
    offset = _flat_part(layer, x, source)
    if offset is not None:
        return copy(source, target, one, target.groups, x_offset=offset)
    last   = len(layer.start) - 1
    offset = sum(index * source.step(axis) for axis, index in enumerate(layer.start))
    loops  = [Loop(layer.first_out_dim_size if axis == last else source.shape[axis],
                   source.step(axis), 0, target.step(axis - last))
              for axis in source.outer_axes if axis >= last]
    return copy(source, target, one, source.pitch, loops, x_offset=offset)
