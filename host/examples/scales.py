"""Scales and zero points from trained weights: of ranges, of channels; values rounded."""

import numpy as np

__all__ = ["PIXEL", "channel_scales", "fill_channels", "pixels_of", "range_of", "round_bias",
           "round_weights"]

PIXEL = float(np.float32(1 / 255)), -128  #: Scale and zero point of a pixel of 0 to 1.

_LOW, _HIGH = -128, 127
_PEAK       = 127  #: Of weights, so that there are as many below zero as above.
_BRIGHTEST  = 16   #: Pixel of the data set.


def pixels_of(images):
    """Pixels 0 to 16 of images (count, 1, rows, columns) as elements of int8 like ``PIXEL``, shape
    (count, rows, columns, 1)."""
    return (np.rint(images / _BRIGHTEST * 255) - 128).astype(np.int8).transpose(0, 2, 3, 1).copy()


def fill_channels(pixels, count):
    """The same with further channels of zeros, ``count`` of all."""
    return np.pad(pixels, ((0, 0),) * 3 + ((0, count - pixels.shape[3]),))


def range_of(values):
    """Scale, a float that float32 holds, and zero point with which int8 holds all ``values`` and 0.
    """
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = float(np.float32((high - low) / (_HIGH - _LOW)))
    return scale, int(np.clip(round(_LOW - low / scale), _LOW, _HIGH))


def channel_scales(weights, *, many=True):
    """Scales, floats that float32 holds, with which int8 holds ``weights`` (outputs, ...): one an
    output, or one."""
    peaks = np.abs(weights.reshape(len(weights), -1)).max(axis=1)
    peaks = peaks if many else peaks.max(keepdims=True)
    return tuple(float(scale) for scale in np.float32(peaks / _PEAK))


def round_weights(weights, scales):
    """Weights (outputs, ...) of ``scales`` as int8, rounded to the nearest, halves to even."""
    steps = np.array(scales).reshape(-1, *(1,) * (weights.ndim - 1))
    return np.clip(np.rint(weights / steps), -_PEAK, _PEAK).astype(np.int8)


def round_bias(bias, input_scale, scales):
    """Bias (outputs,) as int32, of the scale of input times weights."""
    return np.rint(bias / (input_scale * np.array(scales))).astype(np.int32)
