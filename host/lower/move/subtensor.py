# SPDX-License-Identifier: Apache-2.0
"""A part of a tensor: some indices of a dimension, one of each in front of that."""

from dataclasses import replace

from xymac.golden.mli1 import Subtensor
from xymac.host.ir.tile import Tile, along, cut_evenly, whole

from .box import Box, BoxLowering

__all__ = ["SubtensorLowering"]


class SubtensorLowering(BoxLowering):
    """A part of a tensor, see ``BoxLowering``."""

    layers = (Subtensor,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._axis = len(layer.start) - 1

    @staticmethod
    def box_of(layer, shape):
        """The Box that ``layer`` takes of an input of ``shape``."""
        front  = layer.start[:-1]
        behind = shape[len(layer.start):]
        return Box((*layer.start, *(0 for _ in behind)), (1,) * len(shape),
                   (*(1 for _ in front), layer.first_out_dim_size, *behind),
                   tuple(range(len(front))))

    def cut(self, count, *, constants=False):
        """Along the longest dimension, of the input nothing but what the output has of that and of
        those in front."""
        output = self.output
        axis   = max(range(len(output.shape)), key=lambda axis: output.shape[axis])
        ranges = None if constants else cut_evenly(output.shape[axis], count)
        return ranges and [self._tile(axis, *range_) for range_ in ranges]

    def _tile(self, axis, first, end):
        """Indices ``first`` to ``end`` of a dimension of the output."""
        [x], layer, cut = self.inputs, self.layer, self._axis
        source = list(whole(x.shape))
        for front, begin in enumerate(layer.start):
            source[front] = slice(begin, begin + (1 if front < cut else layer.first_out_dim_size))
        begin = source[cut + axis].start
        source[cut + axis] = slice(begin + first, begin + end)
        size  = source[cut].stop - source[cut].start
        layer = replace(layer, start=(0,) * len(layer.start), first_out_dim_size=size)
        return Tile(layer, (tuple(source),), along(self.output.shape, axis, first, end))
