# SPDX-License-Identifier: Apache-2.0
"""Fused activations of FLOAT32 and INT32."""

from __future__ import annotations

import numpy as np

from xymac.golden.parameters.tflm.options import Activation

__all__ = ["limit_integer", "limit_real"]

_MOST   = float(np.finfo(np.float32).max)
#: Smallest and largest value. Source: tensorflow/lite/kernels/kernel_util.h,
#: ``CalculateActivationRange``.
_LIMITS = {Activation.NONE: (-_MOST, _MOST), Activation.RELU: (0, _MOST),
           Activation.RELU6: (0, 6), Activation.RELU_N1_TO_1: (-1, 1)}


def limit_real(values: np.ndarray, activation: Activation) -> np.ndarray:
    """A float32 array, limited; infinities become the largest number without an activation, too."""
    least, most = _LIMITS.get(activation, _LIMITS[Activation.NONE])
    # As std::max and std::min: 0.0 and -0.0 are equal, and NaN stays; ``np.clip`` may turn -0.0.
    values = np.where(values < least, np.float32(least), values)
    return np.where(most < values, np.float32(most), values)


def limit_integer(values: np.ndarray, activation: Activation) -> np.ndarray:
    """An integer array, limited; without an activation, unchanged."""
    if activation not in _LIMITS or activation == Activation.NONE:
        return values
    least, most = _LIMITS[activation]
    return np.clip(values, least, None if most == _MOST else most)
