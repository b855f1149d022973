"""Sums of two elements of 8 bits, rounded three times by TensorFlow Lite, as one scaled sum.

The library scales both operands, rounds them, and scales and rounds their sum. A pass makes::

    y = (mul * (A * (x1 - z1) + B * (x2 - z2)) + addend + 2**(post - 1)) >> post

where ``A`` and ``B`` are two weights of 16 bits each at most, and ``mul`` has 31 bits. Of pairs
``(A, B)`` with about the ratio of the scales the first one is taken for which a ``mul`` gives every
one of the 65,536 outputs.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from host.lower.elementwise.rescale import rescale

__all__ = ["OnePass", "find_one_pass", "library_sum"]

_SHIFT    = 20              #: Of operands of 8 bits to the left, in the library.
_WEIGHT   = (1 << 15) - 1   #: Of 16 bits.
_TRIES    = 24              #: Pairs of factors.
_POST_MAX = 53              #: Outputs times ``2**post`` fit 64 bits.
_TOP      = (1 << 31) - 1
_TIE      = 1 << 30         #: Addend that has the sign of the sum: halves away from zero.
_FAR      = 1 << 62         #: What no limit of a product reaches.


@dataclass(frozen=True)
class OnePass:
    """Factors of both operands and parameters of a scaled pass that rounds twice."""

    weights: tuple
    mul:     int
    post:    int
    addend:  int


def library_sum(first, second, factors, sign):
    """What the library makes of operands of 8 bits less their zero points, without limits.

    Parameters
    ----------
    first, second : int64 arrays
    factors : pairs of multiplier and exponent: of both operands, and of their sum
    sign : int, 1 or -1, of the second operand
    """
    scaled, other = (rescale(x << _SHIFT, *factor)
                     for x, factor in zip((first, second), factors, strict=False))
    return rescale(scaled + sign * other, *factors[2])


@lru_cache(maxsize=1024)
def find_one_pass(zeros, factors, sign, limits):
    """The OnePass of a sum, or None.

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
    for pair in _pairs(ratio):
        weights = pair[::-1] if larger else pair
        weights = weights[0], sign * weights[1]
        fit = _fit(weights, gains[larger] / pair[0], outputs, limits,
                   weights[0] * first[:, None] + weights[1] * second)
        if fit is not None:
            return fit
    return None


def _gain(factor, last):
    """What a step of an operand makes in the output."""
    return factor[0] * last[0] * 2.0 ** (factor[1] + last[1] - 62 + _SHIFT)


def _pairs(ratio):
    """Pairs ``(A, B)`` with ``B / A`` about ``ratio``, at most 1, best first."""
    first  = np.arange(1, 2 * _WEIGHT + 1)
    second = np.round(first * ratio).astype(np.int64)
    lowest = np.gcd(first, second) == 1
    first, second = first[lowest], second[lowest]
    order = np.argsort(np.abs(second / first - ratio), kind="stable")[:_TRIES]
    for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True):
        times = max(_WEIGHT // a, 1)
        yield a * times, b * times


def _fit(weights, gain, outputs, limits, sums):
    """The OnePass with such ``weights`` for an output of ``gain`` times the sums, or None."""
    post = min(int(np.floor(31 - np.log2(gain))), _POST_MAX) if gain else _POST_MAX
    for addend in (_TIE, 0) if post > 31 else (0,):
        moved = np.where(sums < 0, -addend, addend) + (1 << post - 1)
        low   = np.where(outputs > limits[0], (outputs << post) - moved, -_FAR)
        high  = np.where(outputs < limits[1], (outputs + 1 << post) - moved - 1, _FAR)
        mul   = _between(low, high, sums)
        if mul is not None:
            return OnePass(weights, mul, post, addend)
    return None


def _between(low, high, sums):
    """An int that times every one of ``sums`` is between ``low`` and ``high``, or None."""
    if np.any((sums == 0) & ((low > 0) | (high < 0))):
        return None
    low, high = (np.where(sums < 0, -other, one) for one, other in ((low, high), (high, low)))
    sums  = np.abs(sums)
    some  = sums > 0
    least = int(np.max(-(-low[some] // sums[some])))
    most  = min(int(np.min(high[some] // sums[some])), _TOP)
    return (least + most) // 2 if max(least, 0) <= most else None
