# SPDX-License-Identifier: Apache-2.0
"""Hard swish factors: output scale, and the line ``x / 3``."""

from __future__ import annotations

import numpy as np

from .multiplier import quantize_multiplier, reduce_multiplier

__all__ = ["hard_swish_multipliers"]


def _short(factor):
    multiplier, exponent = quantize_multiplier(factor)
    return reduce_multiplier(multiplier), exponent


def hard_swish_multipliers(x_scale: float,
                           out_scale: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two (15-bit multiplier, exponent) pairs: to the output, and to 1/3 of the input in Q0.15.

    Both are for elements shifted left by 7 bits. Their step is a float32, which has fewer bits
    where the scale is next to the smallest float32.
    Source: tensorflow/lite/micro/kernels/hard_swish_common.cc, ``HardSwishPrepare``.
    """
    step = float(np.float32(x_scale) / np.float32(128))
    return _short(step / out_scale), _short(step / (3.0 / 32768.0))
