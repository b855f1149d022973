# SPDX-License-Identifier: Apache-2.0
"""Factors for two tensors' sum, difference and product."""

from __future__ import annotations

from .multiplier import quantize_multiplier

__all__ = ["product_multiplier", "sum_multipliers", "sum_shift"]


def sum_shift(bits: int) -> int:
    """Left shift for the operands in a sum with 8-bit or 16-bit elements, bits."""
    return 20 if bits == 8 else 15


def sum_multipliers(a_scale: float, b_scale: float, out_scale: float,
                    bits: int) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Factors for both operands, shifted by ``sum_shift``, and for their sum.

    Three pairs from ``quantize_multiplier``; the operand with the larger scale gets the factor 1/2.
    Source: tensorflow/lite/micro/kernels/add_common.cc, ``CalculateOpDataAdd``; sub_common.cc.
    """
    twice = 2 * max(a_scale, b_scale)
    return (quantize_multiplier(a_scale / twice), quantize_multiplier(b_scale / twice),
            quantize_multiplier(twice / ((1 << sum_shift(bits)) * out_scale)))


def product_multiplier(a_scale: float, b_scale: float, out_scale: float) -> tuple[int, int]:
    """``quantize_multiplier`` for a product of two elements.

    Source: tensorflow/lite/micro/kernels/mul_common.cc, ``CalculateOpDataMul``.
    """
    return quantize_multiplier(a_scale * b_scale / out_scale)
