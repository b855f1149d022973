# SPDX-License-Identifier: Apache-2.0
"""Scales and zero points from trained weights, for ranges and channels; rounded values."""

import numpy as np

__all__ = ["PIXEL", "channel_scales", "fill_channels", "pixels_of", "range_of", "round_bias",
           "round_weights"]

PIXEL = float(np.float32(1 / 255)), -128  #: Scale and zero point of a pixel in 0 .. 1.

_LOW, _HIGH = -128, 127
_PEAK       = 127  #: Largest weight magnitude; the range is symmetric.
_BRIGHTEST  = 16   #: Largest pixel of the data set.


def pixels_of(images):
    """int8 elements (count, rows, columns, 1) in the format ``PIXEL`` from pixels 0 .. 16.

    ``images`` has shape (count, 1, rows, columns).
    """
    return (np.rint(images / _BRIGHTEST * 255) - 128).astype(np.int8).transpose(0, 2, 3, 1).copy()


def fill_channels(pixels, count):
    """Pixels extended with zero channels to ``count`` channels."""
    return np.pad(pixels, ((0, 0),) * 3 + ((0, count - pixels.shape[3]),))


def range_of(values):
    """(scale, zero point) with which int8 covers all ``values`` and 0; the scale is a float32
    value.
    """
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = float(np.float32((high - low) / (_HIGH - _LOW)))
    return scale, int(np.clip(round(_LOW - low / scale), _LOW, _HIGH))


def channel_scales(weights, *, many=True):
    """float32 scales with which int8 covers ``weights`` (outputs, ...): per output, or a single
    scale.
    """
    peaks = np.abs(weights.reshape(len(weights), -1)).max(axis=1)
    peaks = peaks if many else peaks.max(keepdims=True)
    return tuple(float(scale) for scale in np.float32(peaks / _PEAK))


def round_weights(weights, scales):
    """Weights (outputs, ...) of ``scales`` as int8, rounded to the nearest, halves to even."""
    steps = np.array(scales).reshape(-1, *(1,) * (weights.ndim - 1))
    return np.clip(np.rint(weights / steps), -_PEAK, _PEAK).astype(np.int8)


def round_bias(bias, input_scale, scales):
    """Bias (outputs,) as int32 with the scale input * weights."""
    return np.rint(bias / (input_scale * np.array(scales))).astype(np.int32)
