# SPDX-License-Identifier: Apache-2.0
"""Row or column tiles of a resized image, with the pixel positions of the full image."""

from dataclasses import dataclass, fields

from xymac.golden.tflm import ResizeBilinear
from xymac.host.ir.tile import Tile, along, cut_elements, cut_evenly

__all__ = ["ResizeBand", "cut_resize"]


@dataclass(frozen=True)
class ResizeBand(ResizeBilinear):
    """A ResizeBilinear with stored row and column positions."""

    held: tuple = ()

    def places(self, x_shape):
        """The ``bilinear_places`` of the full image, minus the first tile index."""
        return self.held


def cut_resize(layer, x, output, count):
    """Tiles of a resized batch: images, else row or column tiles, else channels.

    None if there are fewer than ``count``.
    """
    if output.shape[0] >= count:
        return cut_elements(layer, [x], output, count, (1, 2, 3))
    axis  = 1 if output.shape[1] >= output.shape[2] else 2
    bands = cut_evenly(output.shape[axis], count)
    if bands is None:
        return cut_elements(layer, [x], output, count, (0, 1, 2))
    return [_band(layer, x, output, axis, *band) for band in bands]


def _band(layer, x, output, axis, first, end):
    places = layer.places(x.shape)
    here   = places[axis - 1][first:end]
    low    = min(index for index, *_ in here)
    high   = max(max(place[:2]) for place in here) + 1
    moved  = tuple((one - low, other - low, weight) for one, other, weight in here)
    size   = tuple(end - first if each == axis else whole
                   for each, whole in enumerate(layer.size, 1))
    held   = tuple(moved if each == axis else whole for each, whole in enumerate(places, 1))
    values = {each.name: getattr(layer, each.name) for each in fields(ResizeBilinear)}
    return Tile(ResizeBand(**values | {"size": size, "held": held}),
                (along(x.shape, axis, low, high),), along(output.shape, axis, first, end))
