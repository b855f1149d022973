"""Quantisation of trained networks to scales and zero points: SA8 of MLI 2.0, and lib_nn."""

import numpy as np

__all__ = ["channel_scales", "range_of", "round_bias", "round_weights"]

_LOW, _HIGH = -128, 127
_PEAK       = 127  #: Of weights, so that there are as many below zero as above.


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
