# SPDX-License-Identifier: Apache-2.0
"""Pools and means cut into tiles."""

from functools import partial

from xymac.host.ir.operation import Operation
from xymac.host.ir.tile import Tile, along, cut_evenly

__all__ = ["cut_mean", "cut_pool"]

_CHANNELS = 4, 1  #: Channel multiples of all tiles but the last; the first that gives enough tiles.


def cut_pool(pool, x, output, count):
    """Tiles of a Pool, or None if there are fewer than ``count``.

    The tiles are row tiles, column tiles of a single row, or channel ranges of a single pixel. A
    batch is cut into images, rows, or channels, the first with enough indices.

    Parameters
    ----------
    x, output : Tensors in the input format and the output
    count : int
    """
    def along_of(axis, target, units=_CHANNELS):
        return _cut(partial(Operation.part, pool, output), x, output, count, axis, target, units)

    if len(pool.order) > 3:
        return (along_of(0, 0) or _bands(pool, x, output, count, 0) or along_of(3, 3))
    if max(pool.outputs) > 1 and len(output.shape) == 3:
        return _bands(pool, x, output, count, int(pool.outputs[0] == 1))
    last = pool.order[2]
    return along_of(last, last if len(output.shape) == 3 else 0, _CHANNELS[:1])


def _bands(pool, x, output, count, axis):
    """Tiles of output ranges along an image axis."""
    bands = cut_evenly(pool.outputs[axis], count)
    place = pool.order[-3:][axis]

    def tile(first, end):
        part, taken = pool.split(axis, first, end)
        target      = along(output.shape, place, first, end)
        return Tile(Operation.part(part, output, target), (along(x.shape, place, *taken),), target)

    return bands and [tile(*band) for band in bands]


def cut_mean(lowering, count):
    """Tiles of a Reduction Lowering along the longest kept dimension, or None if it is too short.
    """
    [x], form = lowering.inputs, lowering.form
    kept = [axis for axis in range(len(x.shape)) if axis not in form.gone]
    if not kept:
        return None
    axis   = max(kept, key=lambda axis: x.shape[axis])
    target = axis if form.keep else kept.index(axis)
    return _cut(lambda _: lowering.layer, x, lowering.output, count, axis, target)


def _cut(make, x, output, count, axis, target, units=_CHANNELS):
    """Tiles along input dimension ``axis`` and output dimension ``target``; ``make`` returns the
    layer of a tile for its output slices.
    """
    ranges = next(filter(None, (cut_evenly(x.shape[axis], count, unit) for unit in units)), None)
    parts  = ranges and [(along(x.shape, axis, *each), along(output.shape, target, *each))
                         for each in ranges]
    return parts and [Tile(make(own), (taken,), own) for taken, own in parts]
