# SPDX-License-Identifier: Apache-2.0
"""Mean factor: scale ratio and count combined."""

from __future__ import annotations

from .multiplier import quantize_multiplier

__all__ = ["mean_multiplier"]

_SHIFT_MAX = 32
_LEAST     = 31  #: Negated lowest exponent.


def mean_multiplier(x_scale: float, out_scale: float, count: int) -> tuple[int, int]:
    """``(multiplier, exponent)`` from the sum of ``count`` elements to their mean.

    The scale ratio's multiplier is shifted left by the bits of ``count`` and divided by
    ``count`` with truncation, so it can have 30 instead of 31 bits.
    Source: tensorflow/lite/kernels/internal/reference/reduce.h, ``QuantizedMeanOrSum``.
    """
    multiplier, exponent = quantize_multiplier(x_scale / out_scale)
    shift = min(count.bit_length() - 1, _SHIFT_MAX, _LEAST + exponent)
    return (multiplier << shift) // count, exponent - shift
