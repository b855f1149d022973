# SPDX-License-Identifier: Apache-2.0
"""Multiplier for a scaled pass computing given outputs exactly from given sums.

A pass with ``RESCALED`` computes ``sum * mul + addend + 2**(post - 1) >> post``. Each given output
limits ``mul`` to an interval; any value in the intersection of all intervals is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .sums import first_record

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WEIGHT_MAX", "MultiplierFit", "find_fit", "find_pairs"]

WEIGHT_MAX = (1 << 15) - 1  #: Largest 16-bit weight.

_POST_MAX = 53       #: 8-bit outputs times ``2**post`` fit 64 bits,
_POST_16  = 45       #: and 16-bit outputs times this power do, too.
_TOP      = (1 << 31) - 1
_TIE      = 1 << 30  #: Addend with the sign of the sum: rounds ties away from zero.
_FAR      = 1 << 62  #: Beyond every limit of a product.


@dataclass(frozen=True)
class MultiplierFit:
    """Parameters for a scaled pass rounding twice."""

    mul:    int
    post:   int
    addend: int

    @property
    def records(self) -> tuple[int, int]:
        """Parameters as a pass reads them."""
        return int(first_record(self.mul, 0, self.post)), self.addend


def find_pairs(ratio: float, largest: int, tries: int) -> Iterator[tuple[int, int]]:
    """The ``tries`` best pairs ``(a, b)`` with ``b / a`` near ``ratio`` (-1 to 1), best first.

    ``a`` is positive and at most ``largest``. A pair is scaled up to the largest ``a`` that fits a
    16-bit weight.
    """
    first  = np.arange(1, largest + 1)
    second = np.round(first * ratio).astype(np.int64)
    lowest = np.gcd(first, second) == 1
    first, second = first[lowest], second[lowest]
    order = np.argsort(np.abs(second / first - ratio), kind="stable")[:tries]
    for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True):
        times = max(WEIGHT_MAX // a, 1)
        yield a * times, b * times


def find_fit(sums: np.ndarray, gain: float, outputs: np.ndarray,
             limits: tuple[int, int]) -> MultiplierFit | None:
    """MultiplierFit that computes ``outputs`` from ``sums`` exactly, or None if none exists.

    Parameters
    ----------
    sums, outputs : int64 arrays; 32-bit sums
    gain : float, approximate ratio of outputs to sums, at least 0
    limits : lowest and highest output; the pass clips to them
    """
    most = _POST_16 if max(map(abs, limits)) >> 9 else _POST_MAX
    post = min(max(int(np.floor(31 - np.log2(gain))), 0), most) if gain else most
    for addend in (_TIE, 0) if post > 31 else (0,):
        moved = np.where(sums < 0, -addend, addend) + (1 << post >> 1)
        low   = np.where(outputs > limits[0], (outputs << post) - moved, -_FAR)
        high  = np.where(outputs < limits[1], (outputs + 1 << post) - moved - 1, _FAR)
        mul   = _between(low, high, sums)
        if mul is not None:
            return MultiplierFit(mul, post, addend)
    return None


def _between(low, high, sums):
    """Integer whose product with each of ``sums`` is within ``low`` and ``high``, or None."""
    if np.any((sums == 0) & ((low > 0) | (high < 0))):
        return None
    some  = sums != 0
    below = sums[some] < 0
    low, high = low[some], high[some]
    least = -(np.where(below, high, -low) // np.abs(sums[some]))
    most  = np.where(below, -low, high) // np.abs(sums[some])
    least, most = max(int(least.max(initial=0)), 0), min(int(most.min(initial=_TOP)), _TOP)
    return (least + most) // 2 if least <= most else None
