# SPDX-License-Identifier: Apache-2.0
"""Sums of two elements of 8 bits, rounded three times by TensorFlow Lite, as one scaled sum.

The library scales both operands, rounds them, and scales and rounds their sum. A pass scales
``A * (x1 - z1) + B * (x2 - z2)``, where ``A`` and ``B`` are two weights of 16 bits each at most. Of
pairs with about the ratio of the scales the first one is taken for which a multiplier gives every
one of the 65,536 outputs.
"""

from functools import lru_cache

import numpy as np

from xymac.host.ir.fit import WEIGHT_MAX, find_fit, find_pairs
from xymac.host.ir.rescale import rescale

__all__ = ["find_one_pass", "library_sum"]

_SHIFT = 20  #: Of operands of 8 bits to the left, in the library.
_TRIES = 16  #: Pairs of factors.


def library_sum(first, second, factors, sign):
    """What the library makes of operands of 8 bits less their zero points, without limits.

    Parameters
    ----------
    first, second : int64 arrays
    factors : pairs of multiplier and exponent: of both operands, and of their sum
    sign : int, 1 or -1, of the second operand
    """
    one, other = (rescale(x << _SHIFT, *factor)
                  for x, factor in zip((first, second), factors, strict=False))
    return rescale(one + sign * other, *factors[2])


@lru_cache(maxsize=1024)
def find_one_pass(zeros, factors, sign, limits):
    """Two factors of the operands less their zero points, and the Fit of their sum; or None.

    Parameters
    ----------
    zeros : two ints, zero points of the operands
    factors, sign : see ``library_sum``
    limits : lowest and highest output, less the zero point
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
    """What a step of an operand makes in the output."""
    return factor[0] * last[0] * 2.0 ** (factor[1] + last[1] - 62 + _SHIFT)
