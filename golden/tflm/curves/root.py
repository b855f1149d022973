# SPDX-License-Identifier: Apache-2.0
"""Inverse square roots for 32-bit integers as in TensorFlow Lite."""

from __future__ import annotations

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.tflm.arithmetic import divide_by_power, doubling_high_mul

__all__ = ["inverse_root"]

_SHIFT     = 11  #: Exponent offset of an unshifted number's root.
_LEAST     = 27  #: A left-shifted number has more bits than this.
_HALF_ROOT = 1518500250  #: sqrt(1/2), Q0.31.
_ONE, _ONE_AND_HALF = 1 << 28, (1 << 28) + (1 << 27)  #: Q3.28.
_STEPS     = 5  #: Iterations of Newton's method.


def inverse_root(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``(multiplier, exponent)`` of ``1 / sqrt(value)``, about ``multiplier * 2**(exponent - 31)``.

    Source: tensorflow/lite/kernels/internal/common.h, ``GetInvSqrtQuantizedMultiplierExp``.

    Parameters
    ----------
    values : int64 array, from 0 to 2**31 - 1; 0 counts as 1
    """
    values = np.asarray(values, np.int64)
    number = np.maximum(values, 2)
    bits   = np.frexp(number.astype(np.float64))[1].astype(np.int64)
    # Shift by an even number of bits to a width of 28 or 29; right from 30 bits on.
    pairs  = (29 - bits) // 2
    number = np.where(pairs < 0, number >> 2, number << 2 * np.maximum(pairs, 0))
    shift  = _SHIFT - pairs
    half   = divide_by_power(number >> 1, 1)
    root   = np.full(number.shape, _ONE, np.int64)
    for _ in range(_STEPS):
        square = doubling_high_mul(root, root)
        cube   = saturate(doubling_high_mul(square, root) << 6, 32)
        root   = saturate(doubling_high_mul(_ONE_AND_HALF, root)
                          - doubling_high_mul(half, cube) << 3, 32)
    root = doubling_high_mul(root, _HALF_ROOT)
    left = np.maximum(-shift, 0)
    is_one = values <= 1
    return (np.where(is_one, (1 << 31) - 1, root << left), np.where(is_one, 0, -(shift + left)))
