# SPDX-License-Identifier: Apache-2.0
"""One multiplier for sums whose outputs are known, so that a scaled pass is exact for all of them.

A pass with ``RESCALED`` makes ``sum * mul + addend + 2**(post - 1) >> post`` of a sum. Every output
that is wanted leaves ``mul`` an interval; what all of them have in common is exact.
"""

from dataclasses import dataclass

import numpy as np

from .sums import first_record

__all__ = ["WEIGHT_MAX", "Fit", "find_fit", "find_pairs"]

WEIGHT_MAX = (1 << 15) - 1  #: Of 16 bits.

_POST_MAX = 53       #: Outputs of 8 bits times ``2**post`` fit 64 bits,
_POST_16  = 45       #: and so do those of 16 bits.
_TOP      = (1 << 31) - 1
_TIE      = 1 << 30  #: Addend that has the sign of the sum: halves away from zero.
_FAR      = 1 << 62  #: What no limit of a product reaches.


@dataclass(frozen=True)
class Fit:
    """Parameters of a scaled pass that rounds twice."""

    mul:    int
    post:   int
    addend: int

    @property
    def records(self):
        """Both as a pass reads them."""
        return int(first_record(self.mul, 0, self.post)), self.addend


def find_pairs(ratio, largest, tries):
    """The ``tries`` best pairs ``(a, b)`` with ``b / a`` about ``ratio``, from -1 to 1, best first.

    ``a`` is positive and at most ``largest``; of pairs with one ratio it is the one with the
    largest ``a`` that is a weight of 16 bits.
    """
    first  = np.arange(1, largest + 1)
    second = np.round(first * ratio).astype(np.int64)
    lowest = np.gcd(first, second) == 1
    first, second = first[lowest], second[lowest]
    order = np.argsort(np.abs(second / first - ratio), kind="stable")[:tries]
    for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True):
        times = max(WEIGHT_MAX // a, 1)
        yield a * times, b * times


def find_fit(sums, gain, outputs, limits):
    """The Fit that makes ``outputs`` of ``sums``, which are about ``gain`` times them, or None.

    Parameters
    ----------
    sums, outputs : int64 arrays; sums of 32 bits
    gain : float, at least 0
    limits : lowest and highest output; a sum may well give more than these
    """
    most = _POST_16 if max(map(abs, limits)) >> 9 else _POST_MAX
    post = min(max(int(np.floor(31 - np.log2(gain))), 0), most) if gain else most
    for addend in (_TIE, 0) if post > 31 else (0,):
        moved = np.where(sums < 0, -addend, addend) + (1 << post >> 1)
        low   = np.where(outputs > limits[0], (outputs << post) - moved, -_FAR)
        high  = np.where(outputs < limits[1], (outputs + 1 << post) - moved - 1, _FAR)
        mul   = _between(low, high, sums)
        if mul is not None:
            return Fit(mul, post, addend)
    return None


def _between(low, high, sums):
    """An int that times every one of ``sums`` is between ``low`` and ``high``, or None."""
    if np.any((sums == 0) & ((low > 0) | (high < 0))):
        return None
    some  = sums != 0
    below = sums[some] < 0
    low, high = low[some], high[some]
    least = -(np.where(below, high, -low) // np.abs(sums[some]))
    most  = np.where(below, -low, high) // np.abs(sums[some])
    least, most = max(int(least.max(initial=0)), 0), min(int(most.min(initial=_TOP)), _TOP)
    return (least + most) // 2 if least <= most else None
