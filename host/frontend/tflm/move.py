# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators that move or reshape elements."""

from xymac.golden.tflm import (
    Cast,
    Concatenation,
    ExpandDims,
    Pack,
    Pad,
    PadV2,
    Reshape,
    Slice,
    Split,
    SplitV,
    Squeeze,
    StridedSlice,
    Transpose,
    Unpack,
)
from xymac.golden.views import ZeroPad
from xymac.host.ir.move import Box, Join, Padding, Permutation, Rename, Stack

__all__ = ["BOXES", "JOINS", "PADDINGS", "PERMUTATIONS", "RENAMES", "STACKS"]


def box_of(layer, x):
    """The ``Box`` that ``layer`` reads from an input like ``x``."""
    if isinstance(layer, StridedSlice):
        ranges = layer.ranges(x.shape)
        return Box(tuple(places[0] for places in ranges),
                   tuple(places.step if len(places) > 1 else 1 for places in ranges),
                   tuple(map(len, ranges)), tuple(sorted({*layer.shrink})))
    step = (1,) * len(x.shape)
    if isinstance(layer, Slice):
        return Box(layer.begin, step, layer.output_shape(x.shape))
    axis  = layer.axis % len(x.shape)
    begin, size, gone = _part_of(layer, x.shape[axis])
    first, count = [0] * len(x.shape), list(x.shape)
    first[axis], count[axis] = begin, size
    return Box(tuple(first), step, tuple(count), (axis,) * gone)


def _part_of(layer, size):
    """First index, index count, and whether the output lacks the dimension with ``size``
    indices."""
    if isinstance(layer, Unpack):
        return layer.index, 1, True
    if isinstance(layer, SplitV):
        return layer.first, layer.sizes[layer.index], False
    part = size // layer.count
    return layer.index * part, part, False


def rename_of(layer, x):
    """A layer's ``Rename``; for a CAST only if it keeps the type, else None."""
    changes = isinstance(layer, Cast) and layer.output_dtype(x) != x.data.dtype
    return None if changes else Rename(layer.output_shape(x.shape))


BOXES        = dict.fromkeys((Split, SplitV, Unpack, Slice, StridedSlice), box_of)
PERMUTATIONS = {Transpose: lambda layer, x: Permutation(layer.order)}
PADDINGS     = dict.fromkeys((Pad, PadV2, ZeroPad),
                             lambda layer, *x: Padding(tuple(layer.pads), layer.fill(*x)))
JOINS        = {Concatenation: lambda layer, *x: Join(layer.axis % len(x[0].shape))}
STACKS       = {Pack: lambda layer, *x: Stack(layer.axis % (len(x[0].shape) + 1))}
RENAMES      = dict.fromkeys((Reshape, ExpandDims, Squeeze, Cast), rename_of)
