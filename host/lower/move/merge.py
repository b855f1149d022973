# SPDX-License-Identifier: Apache-2.0
"""Elements put between others that stay: a mask says which of two memories each place is from."""

from dataclasses import dataclass
from math import lcm

import numpy as np

from xymac.hdl.isa import BANKS, Access
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.constants import Constants
from xymac.host.memory.packing import pack_lanes

__all__ = ["Mask"]


@dataclass(frozen=True)
class Mask:
    """Which of the elements of some groups are put, and which stay.

    Parameters
    ----------
    tiles : array of bool [tiles, lanes], a tile is ``BANKS`` groups; they repeat

    """

    tiles: np.ndarray

    @classmethod
    def of(cls, places, lanes, strides, start=0, behind=0):
        """Mask of ``places`` (bool [elements]) from the element ``start`` of the first tile on.

        What is ``behind`` stays for so many elements at least. The mask repeats after a multiple of
        one of the ``strides``, elements, if the places do.
        """
        count = start + places.size + behind
        whole = np.zeros(-(-count // lanes) * lanes, bool)
        whole[start:start + places.size] = places
        periods = sorted({lcm(stride, lanes) for stride in strides})
        period  = next((period for period in periods if period < whole.size
                        and np.array_equal(np.resize(whole[:period], count), whole[:count])),
                       whole.size)
        return cls(whole[:period].reshape(-1, lanes))

    def constants(self, ways):
        """Words of ones where elements are put, then those where they stay."""
        words = np.concatenate([self.tiles, ~self.tiles]).astype(np.int8)
        return Constants(pack_lanes(words.T, ways), BANKS * ways ** 2)

    def merge(self, target, groups, out, put, kept, constants):
        """Passes that write ``groups`` groups of ``target``.

        Parameters
        ----------
        target : placed TensorLayout
        out, put, kept : first group of what is written, of the elements that are put and of those
            that stay, all in X; ``out`` may be one of the others
        constants : those of this mask, placed
        """
        period = len(self.tiles)
        low    = min(put, kept)
        high   = max(put, kept) + groups - 1
        word   = constants.word(0, 8, target.ways, count=2 * period, taps=(0, 0, period))

        def move(first):
            """Pass from group ``first`` on."""
            return elementwise(
                target.bits, target.bits, taps=(1, 1, 2), y=word,
                x=Access(put + first, low, high, taps=(0, 0, kept - put)),
                z=Access(out + first, target.base, target.base + target.span - 1))

        if period == 1:
            return sweep(move(0), groups, (BANKS, 0, BANKS))
        passes, size = [], period * BANKS
        full, rest = divmod(groups, size)
        if full:
            passes += sweep(move(0), size, (BANKS, 1, BANKS), [Loop(full, size, 0, size)])
        if rest:
            passes += sweep(move(full * size), rest, (BANKS, 1, BANKS))
        return passes
