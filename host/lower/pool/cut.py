"""Pools on a batch of images, and means, cut into tiles."""

from host.lower.tile import Tile, along, cut_evenly

from .bands import band_of

__all__ = ["cut_images", "cut_mean"]

_CHANNELS = 4, 1  #: What channels of all tiles but the last are a multiple of, if there are enough.


def cut_images(layer, x, output, count):
    """Tiles of a pool of TensorFlow Lite: some of the images each, or some rows, or some channels,
    whichever there are enough of; None if there are of none.

    Parameters
    ----------
    layer : golden layer
    x, output : Tensors in the format of the input and the output
    count : int
    """
    tiles = _cut(layer, x, output, count, 0)
    if tiles is None:
        bands = cut_evenly(output.shape[1], count)
        tiles = bands and [_band(layer, x, output, *band) for band in bands]
    return tiles or _cut(layer, x, output, count, 3)


def _band(layer, x, output, first, end):
    """The Tile of rows ``first`` to ``end`` of the output."""
    size, step     = x.shape[1], layer.stride[0]
    top, *_, left, right = layer.pads(x.shape)
    begin = first * step - top
    stop  = begin + (end - first - 1) * step + layer.kernel[0]
    sides = max(-begin, 0), max(stop - size, 0), left, right
    part  = band_of(layer, sides) if any(layer.pads(x.shape)) else layer
    return Tile(part, (along(x.shape, 1, max(begin, 0), min(stop, size)),),
                along(output.shape, 1, first, end))


def cut_mean(layer, x, output, count):
    """Tiles of a mean along the longest dimension that stays, or None if that is not so long."""
    gone = layer.dimensions(x.shape)
    kept = [axis for axis in range(len(x.shape)) if axis not in gone]
    if not kept:
        return None
    axis   = max(kept, key=lambda axis: x.shape[axis])
    target = axis if layer.keep_dims else kept.index(axis)
    return _cut(layer, x, output, count, axis, target)


def _cut(layer, x, output, count, axis, target=None):
    """Tiles along a dimension of the input, ``target`` of the output, the same unless told."""
    ranges = next(filter(None, (cut_evenly(x.shape[axis], count, unit) for unit in _CHANNELS)),
                  None)
    return ranges and [Tile(layer, (along(x.shape, axis, *range_),),
                            along(output.shape, axis if target is None else target, *range_))
                       for range_ in ranges]
