# SPDX-License-Identifier: Apache-2.0
"""Inverse square root factor."""

from __future__ import annotations

from math import sqrt

from .multiplier import quantize_multiplier

__all__ = ["root_multiplier"]


def root_multiplier(x_scale: float, out_scale: float) -> tuple[int, int]:
    """``quantize_multiplier`` from ``1 / sqrt(element)`` to the output.

    Source: tensorflow/lite/micro/kernels/elementwise.cc, ``SetRsqrtOutputMultiplier``.
    """
    return quantize_multiplier(1.0 / (sqrt(x_scale) * out_scale))
