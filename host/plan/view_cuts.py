"""Tensors in memory with gaps, cut where memory can be cut: between indices of a dimension."""

from dataclasses import replace
from itertools import pairwise

from golden.views import PutView, TakeView, span_of

__all__ = ["VIEWS", "cut_view"]

VIEWS = (TakeView, PutView)


def cut_view(layer, inputs, count):
    """What ``count`` tiles of about the same size have, or None if there are not so many.

    A list of (layer, sources, target), a layer and slices of its inputs and of its output. They are
    cut along the dimension with the largest step, unless others reach beyond that.
    """
    taken   = isinstance(layer, TakeView)
    x       = layer.like if taken else inputs[0]
    memory  = inputs[-1].data
    halves  = 2 if x.data.itemsize > memory.itemsize else 1
    axis    = max(range(len(x.shape)), key=lambda axis: (x.shape[axis] > 1) * layer.strides[axis])
    size, step = x.shape[axis], layer.strides[axis]
    others  = [index for index in range(len(x.shape)) if index != axis]
    reach   = span_of([x.shape[index] for index in others],
                      [layer.strides[index] for index in others])
    if size < count or reach > step or getattr(getattr(x, "format", None), "dim", -1) >= 0:
        return None
    bounds = [size * index // count for index in range(count + 1)]
    tiles  = []
    for first, end in pairwise(bounds):
        part  = (*(slice(None),) * axis, slice(first, end))
        place = (slice(first * step * halves, end * step * halves if end < size else None),)
        if taken:
            like = replace(x, data=x.data[part])
            tiles.append((replace(layer, like=like), (place,), part))
        else:
            tiles.append((layer, (part, place), place))
    return tiles
