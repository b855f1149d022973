# SPDX-License-Identifier: Apache-2.0
"""SPLIT, SPLIT_V, UNPACK, SLICE and STRIDED_SLICE of TensorFlow Lite as boxes."""

from xymac.golden import tflm
from xymac.hdl.isa import CELL_BITS
from xymac.host.ir.tile import Tile, along, cut_evenly

from .box import Box, BoxLowering

__all__ = ["SliceLowering"]


class SliceLowering(BoxLowering):
    """A box of a tensor of TensorFlow Lite."""

    layers = (tflm.Split, tflm.SplitV, tflm.Unpack, tflm.Slice, tflm.StridedSlice)

    @classmethod
    def takes(cls, layer, inputs):
        """Not elements of 32 bits."""
        return inputs[0].bits <= CELL_BITS

    @staticmethod
    def box_of(layer, shape):
        """The Box that ``layer`` takes of an input of ``shape``."""
        if isinstance(layer, tflm.StridedSlice):
            ranges = layer.ranges(shape)
            return Box(tuple(places[0] for places in ranges),
                       tuple(places.step if len(places) > 1 else 1 for places in ranges),
                       tuple(map(len, ranges)), tuple(sorted({*layer.shrink})))
        step = (1,) * len(shape)
        if isinstance(layer, tflm.Slice):
            return Box(layer.begin, step, layer.output_shape(shape))
        axis  = layer.axis % len(shape)
        begin, size, gone = _part_of(layer, shape[axis])
        first, count = [0] * len(shape), list(shape)
        first[axis], count[axis] = begin, size
        return Box(tuple(first), step, tuple(count), (axis,) * gone)

    def cut(self, count, *, constants=False):
        """Along the longest dimension of the output, the input with it."""
        output = self.output
        if constants or not output.shape:
            return None
        axis   = max(range(len(output.shape)), key=lambda axis: output.shape[axis])
        ranges = cut_evenly(output.shape[axis], count)
        return ranges and [self._tile(axis, *range_) for range_ in ranges]

    def _tile(self, axis, first, end):
        """Indices ``first`` to ``end`` of a dimension of the output."""
        box, slices = self.box, []
        for place, (start, step, count) in enumerate(zip(box.first, box.step, box.count,
                                                         strict=True)):
            own  = range(first, end) if place == box.axes[axis] else range(count)
            ends = sorted((start + own[0] * step, start + own[-1] * step))
            slices.append(slice(ends[0], ends[1] + 1))
        rank  = len(slices)
        layer = tflm.Slice((0,) * rank, (-1,) * rank, self.layer.out)
        if box.gone or {*box.step} != {1}:
            layer = tflm.StridedSlice((None,) * rank, (None,) * rank, box.step, box.gone,
                                      self.layer.out)
        return Tile(layer, (tuple(slices),), along(self.output.shape, axis, first, end))


def _part_of(layer, size):
    """First index of a dimension of ``size``, how many, and whether the output lacks it."""
    if isinstance(layer, tflm.Unpack):
        return layer.index, 1, True
    if isinstance(layer, tflm.SplitV):
        return layer.first, layer.sizes[layer.index], False
    part = size // layer.count
    return layer.index * part, part, False
