# SPDX-License-Identifier: Apache-2.0
"""Lanes that try all shifts of a sum of squares at once.

A sum ``S`` of ``2 * k`` or ``2 * k + 1`` bits must be shifted by ``2 * k - 14``. A lane *tries*
each ``k``: it holds ``S / 2**(2 * k - 14)``, rounded, clipped to ``LOW`` and ``HIGH``. Below the
correct ``k`` it is ``HIGH``, above it ``LOW``. A *mark* is ``HIGH`` if the sum has at least ``2 *
k`` bits, else ``LOW``; every try but the first has a mark. The sum of all tries minus all marks is
therefore the correct try's value. For round-half-to-even there are two sets of tries: half the
divisor is added to the sum, or half less 1. The mean of both, rounded to even, is the result.
"""

import numpy as np

from xymac.hdl.isa import BANKS, AccumulatorRange, RoundMode, Scale
from xymac.host.ir.sums import first_record

__all__ = ["LIMIT", "Tries"]

_PAIRS  = 20
_LOW    = 1 << 13
_HIGH   = (1 << 15) - 1
#: Sums from here on, half a divisor included, have more than ``_PAIRS`` bit pairs.
LIMIT   = (1 << 2 * _PAIRS - 1) - (1 << 2 * _PAIRS - 17)
_BEFORE = 9          #: Shift that reduces a 40-bit sum to 31 bits.
_WEIGHT = 1365, 20   #: ``(_HIGH - _LOW) * 1365 / 2**20`` is 32, rounded even if times ``_PAIRS``.


class Tries:
    """Lane parameters, int64 [lanes in full tiles]; lanes after all tries and marks hold ``_LOW``.

    Parameters
    ----------
    rounding : RoundMode, UP or CONVERGENT
    ways : int

    Attributes
    ----------
    first, bias : lane records
    tiles : int
    """

    def __init__(self, rounding, ways):
        lanes = BANKS * ways
        self._rounding = rounding
        self._sets     = 2 if rounding is RoundMode.CONVERGENT else 1
        sets  = [_try_all(less) for less in range(self._sets)]
        parts = [np.concatenate(arrays) for arrays in zip(*sets, _mark_all(), strict=True)]
        self.tiles  = -(-parts[0].size // lanes)
        parts       = [np.pad(part, (0, self.tiles * lanes - part.size)) for part in parts]
        *first, self.bias = parts
        self.first  = first_record(*first)
        kinds       = np.repeat((1, 2), (self._sets * _PAIRS, _PAIRS - 1))
        self._kinds = np.pad(kinds, (0, self.tiles * lanes - kinds.size))

    @property
    def fields(self):
        """Fields for the pass whose sums are tried, by records, an outermost index for every tile.
        """
        return {"outer": (self.tiles, 1, 1), "scale": Scale.BITS32, "rounding": RoundMode.FLOOR,
                "clip": (_LOW, _HIGH), "acc_range": AccumulatorRange.BITS40}

    @property
    def argument(self):
        """Weights for all lanes, and fields for the pass computing the correct try's value."""
        return np.choose(self._kinds, (0, 1, -self._sets)), {
            "shift": self._sets - 1, "rounding": self._rounding}

    def count(self, least):
        """Weights for all lanes, a bias, and fields for the pass computing 32 times the correct
        ``k`` plus ``least``.
        """
        weight, shift = _WEIGHT
        bias = (32 * least << shift) - weight * _LOW * (_PAIRS - 1)
        return np.choose(self._kinds, (0, 0, weight)), bias, {
            "shift": shift, "rounding": RoundMode.UP}


def _try_all(less):
    """Factors, shifts before and behind them, and try biases; ``less`` is taken off a half."""
    shifts = 2 * np.arange(_PAIRS) - 14
    right  = np.maximum(shifts, 0)
    before = np.minimum(right, _BEFORE)
    return (1 << np.maximum(-shifts, 0), before, right - before,
            np.where(right > 0, (1 << right >> 1) - less, 0))


def _mark_all():
    """Mark parameters: a sum of at least ``2**before`` with the bias becomes ``_HIGH``."""
    shifts = 2 * np.arange(1, _PAIRS) - 1
    before = np.minimum(shifts, 31)
    return np.full(shifts.size, _HIGH), before, 0 * shifts, (1 << before) - (1 << shifts)
