# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite image resizing."""

from xymac.golden.parameters.tflm.places import UNIT_BITS, nearest_places
from xymac.golden.tflm import ResizeBilinear, ResizeNearestNeighbor
from xymac.host.ir.resize import Interpolation, Resampling

__all__ = ["INTERPOLATIONS", "RESAMPLINGS"]


def resampling_of(layer, x):
    """The ``Resampling`` for an image like ``x``."""
    return Resampling(*(nearest_places(whole, size, layer.align_corners, layer.half_pixel_centers)
                        for whole, size in zip(x.shape[1:3], layer.size, strict=True)))


RESAMPLINGS    = {ResizeNearestNeighbor: resampling_of}
INTERPOLATIONS = {ResizeBilinear: lambda layer, x: Interpolation(*layer.places(x.shape), UNIT_BITS)}
