# SPDX-License-Identifier: Apache-2.0
"""Accumulators that a device does not clear between cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.where.axes import axes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["KeptSums"]


class KeptSums:
    """Sums that earlier cases left in each lane of a device.

    Parameters
    ----------
    cases : list in the device's order
    wrong : list of int arrays, flat indices of the wrong outputs of each case
    """

    def __init__(self, cases: Sequence[Case], wrong: Sequence[np.ndarray]) -> None:
        self.cases, self.wrong = cases, wrong
        self._held = {}

    def at(self, number: int, places: np.ndarray, lanes: int, *, of_channels: bool) -> np.ndarray:
        """The initial sums of a case, without their biases: int64, an element per place.

        Parameters
        ----------
        number : int, of the case
        places : int array, flat indices of its outputs
        lanes : int, number of accumulators; each of the first outputs starts with another one
        of_channels : bool, whether an output's lane is its channel modulo ``lanes``, or its flat
            index modulo ``lanes``

        All are 0 if other outputs are wrong, too, than the first one of each lane.
        """
        key = lanes, of_channels
        if key not in self._held:
            self._held[key] = self._left(lanes, of_channels=of_channels)
        if self._held[key] is None:
            return np.zeros(len(places), np.int64)
        first, left = self._held[key][number]
        return (places[:, np.newaxis] == first) @ left

    def _left(self, lanes, *, of_channels):
        """(flat indices of the first outputs, sums left in their lanes) for each case; None if
        other outputs are wrong.
        """
        ends = [_ends(case, lanes, of_channels=of_channels) for case in self.cases]
        if not all(np.isin(wrong, first).all() for wrong, (first, _) in zip(
                self.wrong, ends, strict=True)):
            return None
        left, held = [], np.zeros(lanes, np.int64)
        for case, (first, last) in zip(self.cases, ends, strict=True):
            here = held[:len(first)].copy()
            left.append((first, here))
            if len(first):
                sums = sums_of(case, last)
                held[:len(first)] = sums.total + sums.bias + np.where(first == last, here, 0)
        return left


def _ends(case, lanes, *, of_channels):
    """Flat indices of the first and the last output of each lane, int arrays."""
    shape = case.shape
    if not has_sums(case) or not all(shape):
        return np.zeros(0, int), np.zeros(0, int)
    axis  = axes_of(case, shape).index("channel")
    count = shape[axis] if of_channels else int(np.prod(shape))
    first = np.arange(min(lanes, count))
    last  = first + (count - 1 - first) // lanes * lanes
    if not of_channels:
        return first, last
    return tuple(np.ravel_multi_index([
        channels if each == axis else 0 * channels + place % size
        for each, size in enumerate(shape)], shape) for channels, place in ((first, 0), (last, -1)))
