# SPDX-License-Identifier: Apache-2.0
"""Exact sums of window products."""

from __future__ import annotations

import numpy as np

from xymac.golden.fixed import matmul

__all__ = ["window_products"]


def window_products(image: np.ndarray, weights: np.ndarray, pad: tuple[int, ...],
                    stride: tuple[int, ...], dilation: tuple[int, ...]) -> np.ndarray:
    """Sums of products for all windows: int64 [batches, rows, columns, outputs].

    Parameters
    ----------
    image : int64 array (batches, rows, columns, channels) without the zero point
    weights : int64 array (outputs, rows, columns, group channels)
    pad : (top, bottom, left, right), elements, which contribute 0
    stride, dilation : (rows, columns), elements
    """
    rows, columns = (
        _find_taps(image.shape[1 + axis], weights.shape[1 + axis], pad[2 * axis:2 * axis + 2],
                   stride[axis], dilation[axis]) for axis in range(2))
    edged  = np.pad(image, ((0, 0), (0, 1), (0, 1), (0, 0)))
    taps   = edged[:, rows[:, None, :, None], columns[None, :, None, :]]
    places = taps.shape[:3]
    depth  = weights.shape[3]
    groups = image.shape[3] // depth
    # Groups come first; each is a matrix product (windows, taps) * (taps, group outputs).
    taps   = taps.reshape(np.prod(places), -1, groups, depth).transpose(2, 0, 1, 3)
    taps   = taps.reshape(groups, np.prod(places), -1)
    kernel = weights.reshape(groups, -1, taps.shape[2]).transpose(0, 2, 1)
    return matmul(taps, kernel).transpose(1, 0, 2).reshape(*places, -1)


def _find_taps(size, taps, pad, stride, dilation):
    """Axis index for every tap in every window, (windows, taps); ``size`` for a tap on the padding.

    Padding takes no memory, because a dilation can make it larger than any image.
    """
    windows = (size + sum(pad) - (taps - 1) * dilation - 1) // stride + 1
    places  = (np.arange(windows) * stride - pad[0])[:, None] + np.arange(taps) * dilation
    return np.where((places >= 0) & (places < size), places, size)
