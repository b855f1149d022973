"""Images of TensorFlow Lite in another size."""

from dataclasses import dataclass

import numpy as np

from golden.checks import check_ints, check_rank
from golden.parameters.tflm.places import nearest_places
from golden.tflm.checks import check_flag, check_types
from golden.tflm.tensor import Quantisation

from .move import Moved

__all__ = ["ResizeNearestNeighbor"]


@dataclass(frozen=True)
class ResizeNearestNeighbor(Moved):
    """RESIZE_NEAREST_NEIGHBOR: an image (N, H, W, C) of the elements that lie nearest, INT8, INT16.

    Source: tensorflow/lite/kernels/internal/reference/resize_nearest_neighbor.h.

    Parameters
    ----------
    size : (rows, columns) of the output, at least 1
    align_corners : bool, the corners of input and output are the same elements
    half_pixel_centers : bool, elements lie in the middle of their squares
    out : Quantisation, None for that of the input
    """

    size:               tuple
    align_corners:      bool = False
    half_pixel_centers: bool = False
    out:                Quantisation | None = None

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        return x_shape[0], *self.size, x_shape[3]

    def _check_place(self, x):
        check_types("Input", x, "INT8", "INT16")
        self._whole(x)
        check_rank("Input", x, 4)
        check_ints("size", self.size, 2)
        if min(self.size) < 1:
            raise ValueError(f"size must be at least 1, not {min(self.size)}")
        check_flag("align_corners", self.align_corners)
        check_flag("half_pixel_centers", self.half_pixel_centers)

    def take(self, data):
        """The elements of the output."""
        rows, columns = (nearest_places(whole, size, self.align_corners, self.half_pixel_centers)
                         for whole, size in zip(data.shape[1:3], self.size, strict=True))
        return data[:, np.array(rows)[:, None], np.array(columns)[None, :]]
