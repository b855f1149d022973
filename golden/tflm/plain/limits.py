# SPDX-License-Identifier: Apache-2.0
"""FLOAT32 fused activations."""

from __future__ import annotations

import numpy as np

from xymac.golden.parameters.tflm.options import Activation

__all__ = ["limit_real"]

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
