# SPDX-License-Identifier: Apache-2.0
"""Sum thresholds at which a softmax output decreases by 1, for every two-byte difference.

The softmax output of an exponential ``e`` in a sum ``S`` is at least ``k``, in steps of 1/256,
where ``u * S`` is at most about ``e / 8``, with ``u = 2 * k - 1``. The library takes a reciprocal
``R``, Q0.31, of ``S`` shifted left, and rounds twice: ``R * e + 2**30 >= u * 2**30 * 2**n``. ``R``
is close to ``2**27 * 2**n / S``, from ``2**30`` to ``2**31``. Its error is below 7. Half a unit in
a Newton step's last product is 2 units of Q2.29, half a unit of the error before it up to 1, and
the step's remaining error is 0.16; Q0.31 units are half as large. In the comparison with ``8 * u *
S``, ``e`` therefore appears larger by -13 to 15. Within this distance, every possible ``u * S`` is
evaluated like the library; everywhere else the product decides. Each ``e`` gets the limit for ``u *
S`` that is correct for as many ``u`` as possible, and a correction for every other ``u``.
"""

from dataclasses import dataclass

import numpy as np

from xymac.host.ir.exponential import BELOW, SUM_BITS, share
from xymac.host.ir.rescale import divide

__all__ = ["CORRECTION", "Threshold", "find_thresholds"]

CORRECTION = 4  #: No correction is larger in size.

_UNDER, _OVER = 13, 15  #: How much smaller and larger an exponential can look.
_FACTORS = np.arange(1, 512, 2)  #: All ``u``.
_SUM_MIN = 1 << 31 - SUM_BITS    #: The largest element has an exponential of 1.
_SUM_END = 1 << 28               #: The library divides by no sum from here on.


@dataclass(frozen=True)
class Threshold:
    """The limit for a single difference.

    Parameters
    ----------
    limit : int, maximum ``u * S``
    ranges : dict, (lowest, highest) correction by ``k``, if some ``k`` needs a correction
    """

    limit:  int
    ranges: dict

    @property
    def is_exact(self):
        """Whether the limit is correct for every ``k``."""
        return all(low <= 0 <= high for low, high in self.ranges.values())


def find_thresholds(powers, count):
    """A Threshold for each of ``BELOW``, for sums over ``count`` exponentials.

    An entry is None if no limit, with corrections, is correct for every ``k``.

    Parameters
    ----------
    powers : int64 array, exponentials for all of ``BELOW``
    count : int
    """
    lowest, highest = (powers - _UNDER) >> 3, (powers + _OVER) >> 3
    steps    = np.arange(-CORRECTION, int((highest - lowest).max()) + CORRECTION + 1)
    products = lowest[:, None] + steps
    index, step, factor = np.nonzero(products[..., None] % _FACTORS == 0)
    product = products[index, step]
    u       = _FACTORS[factor]
    sums    = product // u
    units   = divide(powers, SUM_BITS)
    least   = _SUM_MIN + np.where(BELOW < 0, units, 0)
    most    = np.where(BELOW < 0, (count - 1) * _SUM_MIN + units, count * _SUM_MIN)
    reached = (sums >= least[index]) & (sums <= np.minimum(most, _SUM_END - 1)[index])
    index, product, u, sums = (array[reached] for array in (index, product, u, sums))
    inside  = share(powers[index], sums) >= u + 1 >> 1
    inside  = np.where(product <= lowest[index], True, np.where(
        product > highest[index], False, inside))
    return [_choose(int(lowest[place]), int(highest[place]),
                    *(array[index == place].tolist() for array in (product, u, inside)))
            for place in range(BELOW.size)]


def _choose(lowest, highest, products, factors, inside):
    """The Threshold between two limits that is correct for most ``k``, or None."""
    bounds = {}
    for product, u, is_inside in zip(products, factors, inside, strict=True):
        low, high = bounds.get(u, (-1 << 31, 1 << 31))
        bounds[u] = (max(low, product), high) if is_inside else (low, min(high, product - 1))
    if any(low > high for low, high in bounds.values()):
        return None
    middle = (lowest + highest) // 2
    limit  = min(range(lowest, highest + 1), key=lambda limit: (
        sum(not low <= limit <= high for low, high in bounds.values()), abs(limit - middle)))
    ranges = {u + 1 >> 1: (max(low - limit, -CORRECTION), min(high - limit, CORRECTION))
              for u, (low, high) in bounds.items()}
    return Threshold(limit, {k: range_ for k, range_ in ranges.items()
                             if range_ != (-CORRECTION, CORRECTION)})
