# SPDX-License-Identifier: Apache-2.0
"""Sums of two 8-bit elements, which TensorFlow Lite rounds three times, as a single scaled sum.

The library scales and rounds both operands, then scales and rounds their sum. A pass scales ``A *
(x1 - z1) + B * (x2 - z2)``, with weights ``A`` and ``B`` of at most two 16-bit terms each. The
search tries pairs near the scale ratio and keeps the first with a multiplier exact for all 65,536
outputs.
"""

from functools import lru_cache

import numpy as np

from xymac.host.ir.fit import WEIGHT_MAX, find_fit, find_pairs
from xymac.host.ir.rescale import rescale

__all__ = ["find_one_pass", "library_sum"]

_SHIFT = 20  #: Library's left shift of 8-bit operands.
_TRIES = 16  #: Number of factor pairs tried.


def library_sum(first, second, factors, sign):
    """Library sum over 8-bit operands minus their zero points, without output limits.

    Parameters
    ----------
    first, second : int64 arrays
    factors : (multiplier, exponent) for both operands and for their sum
    sign : int, 1 or -1, the second operand's sign
    """
    one, other = (rescale(x << _SHIFT, *factor)
                  for x, factor in zip((first, second), factors, strict=False))
    return rescale(one + sign * other, *factors[2])


@lru_cache(maxsize=1024)
def find_one_pass(zeros, factors, sign, limits):
    """Factors for both operands minus their zero points, and the Fit for their sum, or None.

    Parameters
    ----------
    zeros : two ints, operand zero points
    factors, sign : see ``library_sum``
    limits : lowest and highest output, minus the zero point
    """
    first, second = (np.arange(-128, 128, dtype=np.int64) - zero for zero in zeros)
    outputs = np.clip(library_sum(first[:, None], second, factors, sign), *limits)
    gains   = [_gain(factor, factors[2]) for factor in factors[:2]]
    larger  = int(gains[1] > gains[0])
    ratio   = gains[1 - larger] / gains[larger] if gains[larger] else 0.0
    for pair in find_pairs(ratio, 2 * WEIGHT_MAX, _TRIES):
        weights = pair[::-1] if larger else pair
        weights = weights[0], sign * weights[1]
        fit = find_fit(weights[0] * first[:, None] + weights[1] * second,
                       gains[larger] / pair[0], outputs, limits)
        if fit is not None:
            return weights, fit
    return None


def _gain(factor, last):
    """Output steps per operand step."""
    return factor[0] * last[0] * 2.0 ** (factor[1] + last[1] - 62 + _SHIFT)
