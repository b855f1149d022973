# SPDX-License-Identifier: Apache-2.0
"""Factors from sums of products to the output."""

from __future__ import annotations

from functools import lru_cache

from .multiplier import quantize_multiplier

__all__ = ["output_multipliers"]


@lru_cache(maxsize=1024)  # called repeatedly for each layer and each of its tiles
def output_multipliers(x_scale: float, weight_scales: tuple[float, ...],
                       out_scale: float) -> tuple[tuple[int, ...], ...]:
    """``quantize_multiplier(x_scale * weight_scale / out_scale)`` for each weight scale, in double.

    A tuple of pairs: a single pair for the whole tensor, or a pair per output.
    Source: tensorflow/lite/kernels/kernel_util.cc, ``PopulateConvolutionQuantizationParams``.
    """
    return tuple(quantize_multiplier(x_scale * scale / out_scale) for scale in weight_scales)
