# SPDX-License-Identifier: Apache-2.0
"""Products from image windows with weights, a column per output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Image", "products_of"]


@dataclass(frozen=True)
class Image:
    """A convolution's elements and weights.

    Parameters
    ----------
    data : int64 array (batches, rows, columns, channels) without the zero point
    weights : int64 array (outputs, rows, columns, channels in a group)
    pad : (top, bottom, left, right), elements
    stride, dilation : (rows, columns), elements
    zero : int, the elements' zero point
    channels_first : bool, whether a channel's outputs are adjacent; only for a single batch
    """

    data:           np.ndarray
    weights:        np.ndarray
    pad:            tuple = (0, 0, 0, 0)
    stride:         tuple = (1, 1)
    dilation:       tuple = (1, 1)
    zero:           int = 0
    channels_first: bool = False


def _taps(image, data):
    """Elements under the windows: shape (windows, groups, products)."""
    top, bottom, left, right = image.pad
    padded = np.pad(data, ((0, 0), (top, bottom), (left, right), (0, 0)))
    span   = tuple((size - 1) * step + 1
                   for size, step in zip(image.weights.shape[1:3], image.dilation, strict=True))
    taps   = np.lib.stride_tricks.sliding_window_view(padded, span, axis=(1, 2))
    taps   = taps[:, ::image.stride[0], ::image.stride[1], :,
                  ::image.dilation[0], ::image.dilation[1]]
    groups = taps.shape[3] // image.weights.shape[3]
    taps   = taps.reshape(*taps.shape[:3], groups, -1, *taps.shape[4:])
    return taps.transpose(0, 1, 2, 3, 5, 6, 4).reshape(np.prod(taps.shape[:3]), groups, -1)


def products_of(image: Image, places: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """Products for the outputs numbered ``places``, with their parameters.

    Returns (channels, columns): each output's channel, and a dict with ``elements``, ``weights``,
    ``input_zero`` and ``padding`` as in ``Sums``.
    """
    taps    = _taps(image, image.data)
    outputs = len(image.weights)
    windows, channels = (places % len(taps), places // len(taps)) if image.channels_first else (
        places // outputs, places % outputs)
    groups  = channels // (outputs // taps.shape[1])
    weights = image.weights.reshape(outputs, -1)[channels].T
    columns = {"elements": taps[windows, groups].T, "weights": weights,
               "input_zero": image.zero}
    if image.zero:
        inside = _taps(image, np.ones(image.data.shape, bool))[windows, groups].T
        columns["padding"] = (weights * ~inside).sum(axis=0) * -image.zero
    return channels, columns
