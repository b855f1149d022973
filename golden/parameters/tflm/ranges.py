# SPDX-License-Identifier: Apache-2.0
"""Lowest and highest output of a fused activation."""

from __future__ import annotations

import numpy as np

from xymac.golden.fixed import container

from .options import Activation

__all__ = ["activation_range", "quantize_real"]

_LIMITS = {Activation.NONE: (None, None), Activation.RELU: (0, None),
           Activation.RELU_N1_TO_1: (-1, 1), Activation.RELU6: (0, 6)}


def quantize_real(value: int, scale: float) -> int:
    """``value / scale`` in float32, rounded to an int, halves away from zero.

    ValueError if the quotient exceeds 32 bits.
    """
    with np.errstate(over="ignore"):
        quotient = abs(float(np.float32(value) / np.float32(scale)))
    if quotient >= 1 << 31:
        raise ValueError(f"{value} must be less than 2**31 steps of the output's scale, "
                         f"not {quotient:g}")
    # A float32 has 24 bits: half of one more is exact in double.
    return int(quotient + 0.5) * (-1 if value < 0 else 1)


def activation_range(activation: Activation, scale: float, zero_point: int,
                     bits: int) -> tuple[int, int]:
    """Lowest and highest ``bits``-bit output after an Activation, inclusive.

    Source: tensorflow/lite/kernels/kernel_util.cc, ``CalculateActivationRangeQuantized``.

    Parameters
    ----------
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    scale : float, output scale
    zero_point : int, output zero point
    """
    (low, high), (least, most) = _LIMITS[activation], container(bits)
    if low is not None:
        least = max(least, zero_point + quantize_real(low, scale))
    if high is not None:
        most = min(most, zero_point + quantize_real(high, scale))
    return least, most
