# SPDX-License-Identifier: Apache-2.0
"""Exponential sum logarithms, and the sums that change an output.

For a difference ``d`` from the largest row element, the output decreases by 1 at certain sums:
its *thresholds*. Sums are in units of ``2**-19``.
"""

import numpy as np

from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.exponential import logarithm
from xymac.host.ir.normalise import LOG_BITS
from xymac.host.ir.rescale import divide, rescale

__all__ = ["LEAST", "Thresholds"]

LEAST = 1 << 19  #: Smallest sum: the largest element has an exponential of 1.

_NEAR  = 16   #: Units searched on both sides of a threshold.


class Thresholds:
    """Outputs for all differences in rows with ``count`` elements.

    Raises Refusal if an output would increase with the sum.

    Attributes
    ----------
    first : int64 array, the output for each difference, from 0 to -255, at the smallest sum
    sums : int64 [differences, steps], the smallest sum for each further output; ``never`` where
        there are fewer
    never : int, larger than every sum
    """

    def __init__(self, argument, count):
        multiplier, exponent, least = argument
        below   = -np.arange(256, dtype=np.int64)
        self._scaled = rescale(np.maximum(below, least), multiplier, exponent)
        self._far    = below < least
        self._most   = count * LEAST
        self.never   = self._most + 1
        self.first   = self._outputs(np.full((256, 1), LEAST))[:, 0]
        last    = self._outputs(np.full((256, 1), self._most))[:, 0]
        steps   = np.arange(1, max(int((self.first - last).max()), 1) + 1)
        wanted  = self.first[:, None] - steps
        reached = wanted >= last[:, None]
        self.sums = np.where(reached, self._find(wanted), self.never)
        self._check(wanted, reached)

    def _outputs(self, sums):
        """Outputs for all differences [256, n], with ``sums`` [256, n]."""
        values = divide(self._scaled[:, None] - logarithm(sums), LOG_BITS) + 127
        return np.where(self._far[:, None], -128, np.clip(values, -128, 127))

    def _find(self, wanted):
        """Smallest sums with outputs of at most ``wanted``, by bisection."""
        low, high = np.full(wanted.shape, LEAST), np.full(wanted.shape, self._most)
        while (low < high).any():
            middle = low + high >> 1
            inside = self._outputs(middle) <= wanted
            low, high = np.where(inside, low, middle + 1), np.where(inside, middle, high)
        return high

    def _check(self, wanted, reached):
        for step in range(-_NEAR, _NEAR):
            sums  = np.clip(self.sums + step, LEAST, self._most)
            right = (self._outputs(sums) <= wanted) == (sums >= self.sums)
            if not (right | ~reached).all():
                raise Refusal(RefusalKind.VALUE, "Logarithms of sums must grow with the sums, not "
                              "be less for a larger one")
