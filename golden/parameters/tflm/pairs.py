# SPDX-License-Identifier: Apache-2.0
"""Factors for two tensors' comparisons, quotients and squared differences."""

from __future__ import annotations

from .multiplier import quantize_multiplier

__all__ = ["COMPARE_SHIFT", "difference_multipliers", "difference_shift", "quotient_multiplier"]

COMPARE_SHIFT = 8  #: Left shift of the operands of a comparison.


def difference_shift(bits: int) -> int:
    """Left shift for the operands in a squared difference with 8-bit or 16-bit elements, bits."""
    return 7 if bits == 8 else 0


def difference_multipliers(a_scale: float, b_scale: float, out_scale: float,
                           bits: int) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Factors for both operands, shifted by ``difference_shift``, and their squared difference.

    Three pairs from ``quantize_multiplier``; the operand with the larger scale gets the factor 1/2.
    Source: tensorflow/lite/micro/kernels/squared_difference.cc, ``PrepareQuantized``.
    """
    twice = 2 * max(a_scale, b_scale)
    # The library multiplies shift and output scale in float32: exact, as one is a power of two.
    return (quantize_multiplier(a_scale / twice), quantize_multiplier(b_scale / twice),
            quantize_multiplier(twice * twice / ((1 << 2 * difference_shift(bits)) * out_scale)))


def quotient_multiplier(a_scale: float, b_scale: float, out_scale: float) -> tuple[int, int]:
    """``quantize_multiplier`` for a quotient of two elements; doubles divide the scales.

    Source: tensorflow/lite/micro/kernels/div.cc, ``CalculateOpDataDiv``.
    """
    scale = b_scale * out_scale  # exact
    return quantize_multiplier(a_scale / scale) if scale else (0, 1 << 30)
