# SPDX-License-Identifier: Apache-2.0
"""Base of strided memory views: tiles are cut between indices of a dimension."""

from dataclasses import replace

from xymac.golden.views import TakeView, span_of
from xymac.host.ir.tile import Tile, along, cut_evenly
from xymac.host.lower.base import Lowering

__all__ = ["ViewLowering"]


class ViewLowering(Lowering):
    """A TakeView or a PutView."""

    def cut(self, count, *, constants=False):
        """Ranges along one dimension, each with its memory."""
        return None if constants else _cut_view(self.layer, self.inputs, count)


def _cut_view(layer, inputs, count):
    """Exactly ``count`` tiles of a TakeView or a PutView, or None if the dimension is too short.

    The cut dimension has the largest memory stride. None if the other dimensions reach beyond it.
    """
    taken  = isinstance(layer, TakeView)
    x      = layer.like if taken else inputs[0]
    memory = inputs[-1]
    axis   = max(range(len(x.shape)), key=lambda axis: (x.shape[axis] > 1) * layer.strides[axis])
    others = [index for index in range(len(x.shape)) if index != axis]
    reach  = span_of([x.shape[index] for index in others],
                     [layer.strides[index] for index in others])
    ranges = cut_evenly(x.shape[axis], count)
    if not ranges or reach > layer.strides[axis]:
        return None
    step  = layer.strides[axis] * (2 if x.data.itemsize > memory.data.itemsize else 1)
    tiles = []
    for first, end in ranges:
        part  = along(x.shape, axis, first, end)
        place = (slice(first * step, end * step if end < x.shape[axis] else memory.data.size),)
        tiles.append(Tile(replace(layer, like=x.take(part)), (place,), part) if taken
                     else Tile(layer, (part, place), place))
    return tiles
