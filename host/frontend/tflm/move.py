# SPDX-License-Identifier: Apache-2.0
"""SPLIT, SPLIT_V, UNPACK, SLICE, STRIDED_SLICE and TRANSPOSE of TensorFlow Lite."""

from xymac.golden.tflm import Slice, Split, SplitV, StridedSlice, Transpose, Unpack
from xymac.host.ir.move import Box, Permutation

__all__ = ["BOXES", "PERMUTATIONS"]


def box_of(layer, x):
    """The ``Box`` that ``layer`` takes of an input like ``x``."""
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
    """First index of a dimension of ``size``, how many, and whether the output lacks it."""
    if isinstance(layer, Unpack):
        return layer.index, 1, True
    if isinstance(layer, SplitV):
        return layer.first, layer.sizes[layer.index], False
    part = size // layer.count
    return layer.index * part, part, False


BOXES        = dict.fromkeys((Split, SplitV, Unpack, Slice, StridedSlice), box_of)
PERMUTATIONS = {Transpose: lambda layer, x: Permutation(layer.order)}
