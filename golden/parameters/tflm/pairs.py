"""Factors of comparisons, quotients and squared differences of two tensors."""

import numpy as np

from .multiplier import quantize_multiplier

__all__ = ["COMPARE_SHIFT", "difference_multipliers", "difference_shift", "quotient_multiplier"]

COMPARE_SHIFT = 8  #: Left shift of operands that are compared.


def difference_shift(bits):
    """Left shift of the operands of a squared difference, elements of 8 or 16 bits."""
    return 7 if bits == 8 else 0


def difference_multipliers(a_scale, b_scale, out_scale, bits):
    """Factors of both operands, shifted by ``difference_shift``, and of their squared difference.

    Three pairs of ``quantize_multiplier``; the operand of the larger scale is halved.
    Source: tensorflow/lite/micro/kernels/squared_difference.cc, ``PrepareQuantized``.
    """
    twice = 2 * max(a_scale, b_scale)
    # The library multiplies shift and output scale in float32: exact, as one is a power of two.
    return (quantize_multiplier(a_scale / twice), quantize_multiplier(b_scale / twice),
            quantize_multiplier(twice * twice / ((1 << 2 * difference_shift(bits)) * out_scale)))


def quotient_multiplier(a_scale, b_scale, out_scale):
    """``quantize_multiplier`` of a quotient of two elements; the scales are divided in float32.

    Source: tensorflow/lite/micro/kernels/div.cc, ``CalculateOpDataDiv``.
    """
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        factor = np.float32(a_scale) / (np.float32(b_scale) * np.float32(out_scale))
    return quantize_multiplier(float(factor)) if np.isfinite(factor) else (0, 1 << 30)
