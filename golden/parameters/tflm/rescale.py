# SPDX-License-Identifier: Apache-2.0
"""Factors from the input scale to the output scale, for positive and negative elements."""

from __future__ import annotations

from .multiplier import quantize_multiplier

__all__ = ["leaky_multipliers", "prelu_multipliers", "rescale_multiplier"]


def rescale_multiplier(x_scale: float, out_scale: float) -> tuple[int, int]:
    """``quantize_multiplier(x_scale / out_scale)``.

    Source: tensorflow/lite/micro/kernels/quantize_common.cc; activations_common.cc.
    """
    return quantize_multiplier(x_scale / out_scale)


def leaky_multipliers(x_scale: float, alpha: float,
                      out_scale: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """``quantize_multiplier`` for elements >= 0, and for negative elements with the slope
    ``abs(alpha)``.

    Source: tensorflow/lite/micro/kernels/leaky_relu_common.cc.
    """
    return (rescale_multiplier(x_scale, out_scale),
            quantize_multiplier(x_scale * abs(alpha) / out_scale))


def prelu_multipliers(x_scale: float, alpha_scale: float,
                      out_scale: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """``quantize_multiplier`` for elements >= 0, and for negative elements' products with slopes.

    Source: tensorflow/lite/micro/kernels/prelu_common.cc.
    """
    return (rescale_multiplier(x_scale, out_scale),
            quantize_multiplier(x_scale * alpha_scale / out_scale))
