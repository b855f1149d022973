# SPDX-License-Identifier: Apache-2.0
"""Elements merged from two memory areas: a mask selects the source of every element."""

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
    """Mask over the elements of vectors: True elements are written, the others keep their value.

    Parameters
    ----------
    tiles : bool array [tiles, lanes], repeated periodically; a tile is ``BANKS`` vectors
    """

    tiles: np.ndarray

    @classmethod
    def of(cls, places, lanes, strides, start=0, behind=0):
        """Mask for ``places`` (bool [elements]), whose first element is element ``start`` in a
        tile.

        At least ``behind`` elements after them keep their value. If ``places`` is periodic, the
        mask's period is the least common multiple of the lanes and an entry in ``strides``
        (elements).
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
        """Weight words for the written elements, then words for the kept elements."""
        words = np.concatenate([self.tiles, ~self.tiles]).astype(np.int8)
        return Constants(pack_lanes(words.T, ways), BANKS * ways ** 2)

    def merge(self, target, groups, out, put, kept, constants):
        """Passes to write ``groups`` vectors of ``target``.

        Parameters
        ----------
        target : placed TensorLayout
        out, put, kept : int, address in X: first output vector, first vector with new elements,
            first vector with kept elements; ``out`` may equal ``put`` or ``kept``
        constants : placed Constants of this mask
        """
        period = len(self.tiles)
        low    = min(put, kept)
        high   = max(put, kept) + groups - 1
        word   = constants.word(0, 8, target.ways, count=2 * period, taps=(0, 0, period))

        def move(first):
            """Pass from vector ``first`` on."""
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
