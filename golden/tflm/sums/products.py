"""Sums of products of windows, exact."""

import numpy as np

from golden.fixed import matmul

__all__ = ["window_products"]


def window_products(image, weights, pad, stride, dilation):
    """Sums [batches, rows, columns, outputs] of the products of windows, int64.

    Parameters
    ----------
    image : int64 array (batches, rows, columns, channels), less its zero point
    weights : int64 array (outputs, rows, columns, channels of a group)
    pad : (top, bottom, left, right), elements that contribute nothing
    stride, dilation : (rows, columns), elements
    """
    top, bottom, left, right = pad
    padded = np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)))
    span   = tuple((size - 1) * step + 1
                   for size, step in zip(weights.shape[1:3], dilation, strict=True))
    taps   = np.lib.stride_tricks.sliding_window_view(padded, span, axis=(1, 2))
    taps   = taps[:, ::stride[0], ::stride[1], :, ::dilation[0], ::dilation[1]]
    places, groups = taps.shape[:3], taps.shape[3] // weights.shape[3]
    # Groups first, each a matrix: (places, taps) times (taps, outputs of the group).
    taps   = taps.reshape(np.prod(places), groups, -1).transpose(1, 0, 2)
    kernel = weights.transpose(3, 1, 2, 0).reshape(taps.shape[2], groups, -1).transpose(1, 0, 2)
    return matmul(taps, kernel).transpose(1, 0, 2).reshape(*places, -1)
