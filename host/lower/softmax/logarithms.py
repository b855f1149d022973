# SPDX-License-Identifier: Apache-2.0
"""Logarithms of exponential sums in TensorFlow Lite, and the sums that change an output.

For a difference ``d`` from the largest row element, the output decreases by 1 at certain sums:
its *thresholds*. Sums are in units of ``2**-19``.
"""

import numpy as np

from xymac.host.frontend.tflm.curves import high_mul, reciprocal
from xymac.host.ir.refuse import NoPassesError
from xymac.host.ir.rescale import divide, rescale

__all__ = ["LEAST", "Thresholds"]

LEAST = 1 << 19  #: Smallest sum: the largest element has an exponential of 1.

_TOP   = (1 << 31) - 1
_PLACE = 22   #: Bits of a logarithm, Q5.26, below a step of the output.
_NEAR  = 16   #: Units searched on both sides of a threshold.
_ROOT, _ROOT_4, _LOG_2 = 1518500250, 1805811301, 1488522236  #: Of 1/2, and of 2; Q0.31.
_CUBE, _SQUARE, _WHOLE, _QUARTER = 117049297, 127690142, 1057819769, 638450708


def _bits(values):
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)


def _shift(values, places):
    """Values shifted left, saturated at 32 bits."""
    return np.clip(values << places, -_TOP - 1, _TOP)


def logarithm(sums):
    """Natural logarithm, Q5.26, of sums in int64 arrays.

    Source: tensorflow/lite/kernels/internal/common.h,
    ``log_x_for_x_greater_than_or_equal_to_1_impl``.
    """
    above  = 31 - _bits(sums)
    first  = _shift(high_mul(sums << above, _ROOT), 1)
    below  = 31 - _bits(high_mul(sums, _ROOT))
    second = _shift(sums, below)
    powers = np.maximum((11 - above << 25) + (1 << 23), (12 - below << 25) - (1 << 23))
    rest   = np.minimum(first, second)
    twice  = rest - _ROOT_4 << 1
    square = high_mul(twice, twice)
    top    = high_mul(twice, rest) + high_mul(high_mul(twice, square), _CUBE)
    bottom = (high_mul(rest + _ROOT_4 + 1 >> 1, _WHOLE + twice + high_mul(_SQUARE, square))
              + high_mul(_QUARTER, twice))
    inverse = np.minimum(reciprocal(bottom) << 1, _TOP)
    return high_mul(powers, _LOG_2) + high_mul(divide(top, 6), inverse) << 1


class Thresholds:
    """Outputs for all differences in rows with ``count`` elements.

    Raises NoPassesError if an output would increase with the sum.

    Attributes
    ----------
    first : int64 array, the output for each difference, from 0 to -255, at the smallest sum
    sums : int64 [differences, steps], the smallest sum for each further output; ``never`` where
        there are fewer
    never : int, larger than every sum
    """

    def __init__(self, argument, count):
        multiplier, exponent, least, *_ = argument
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
        """Outputs for all differences [256, n] and ``sums`` of the same shape."""
        values = divide(self._scaled[:, None] - logarithm(sums), _PLACE) + 127
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
                raise NoPassesError("Logarithms of sums must grow with the sums, not be less for a "
                                    "larger one")
