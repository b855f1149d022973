# SPDX-License-Identifier: Apache-2.0
"""Table interpolation for int16 elements: sigmoid, hyperbolic tangent and other functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.parameters.tflm.function_tables import SIGMOIDS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["look_up", "sigmoid", "tanh"]

_SIGMOIDS = np.array(SIGMOIDS, np.int64)
_LAST     = len(SIGMOIDS) - 1


def look_up(table: Sequence[int], x: np.ndarray) -> np.ndarray:
    """Interpolated 513-entry table value at int16 elements, int64, with 7 interpolation bits.

    Source: tensorflow/lite/kernels/internal/common.h, ``LUTLookup``.
    """
    values = np.asarray(table, np.int64)
    index  = (x >> 7) + 256
    return values[index] + ((values[index + 1] - values[index]) * (x & 127) + 64 >> 7)


def _scale(x, factor, shift):
    """Table steps, rounded, halves up."""
    return x * factor + (1 << shift >> 1) >> shift


def _interpolate(x, places):
    """SIGMOIDS at the magnitudes in ``x``, with ``places`` bits between two entries; flat behind
    the last entry.
    """
    size  = np.abs(x)
    index = np.minimum(size >> places, _LAST)
    rise  = _SIGMOIDS[np.minimum(index + 1, _LAST)] - _SIGMOIDS[index]
    return (_SIGMOIDS[index] << places) + rise * (size & (1 << places) - 1)


def sigmoid(x: np.ndarray, factor: int, shift: int) -> np.ndarray:
    """Sigmoid of int64 elements, Q0.15, with the factor and right shift from ``table_argument``.

    Source: tensorflow/lite/kernels/internal/reference/integer_ops/logistic.h, ``Logistic``.
    """
    x     = _scale(x, factor, shift)
    value = np.where(np.abs(x) >> 9 >= _LAST, 32767 << 10, _interpolate(x, 9))
    return np.where(x >= 0, value + (1 << 9) >> 10, (1 << 25) - value + (1 << 9) - 1 >> 10)


def tanh(x: np.ndarray, factor: int, shift: int) -> np.ndarray:
    """Hyperbolic tangent of int64 elements, Q0.15, as ``2 * sigmoid(2 * x) - 1``.

    Source: tensorflow/lite/kernels/internal/reference/integer_ops/tanh.h, ``Tanh``.
    """
    x     = _scale(x, factor, shift)
    value = np.where(np.abs(x) >> 8 >= _LAST, 65535 << 8, _interpolate(x, 8)) - (1 << 23)
    return np.where(x >= 0, value + (1 << 7), (1 << 7) - 1 - value) >> 8
