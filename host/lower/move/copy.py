# SPDX-License-Identifier: Apache-2.0
"""Runs copied to other addresses in whole vectors."""

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.lower.sweep import Loop, copy
from xymac.host.memory.constants import lane_words

from .strides import ElementMove

__all__ = ["CopyMove"]


@dataclass(frozen=True)
class CopyMove:
    """A reordering that keeps every vector intact.

    Parameters
    ----------
    region : ElementMove
    """

    region: ElementMove

    @property
    def possible(self):
        """Whether the runs have the same dimension, and all other dims step by whole vectors."""
        ways = self.region.source.ways
        return self.region.x % ways == 0 and all(
            dim.x == dim.z == 1 or (dim.x % ways == dim.z % ways == 0) for dim in self.region.dims)

    @property
    def steps(self):
        """Cycles, without pass start-up."""
        groups, around = self._parts()
        ways = self.region.source.ways
        while around and around[-1].x == around[-1].z == groups * ways:  # same merge as in ``copy``
            groups *= around.pop().count
        return -(-groups // BANKS) * BANKS * prod(dim.count for dim in around)

    @staticmethod
    def constants(ways):
        """Weight 1 for the copies."""
        return lane_words(np.array([1], np.int8), ways)

    def passes(self, constants):
        """Passes without ``wait`` and ``last``."""
        groups, around = self._parts()
        ways  = self.region.source.ways
        loops = [Loop(dim.count, dim.x // ways, 0, dim.z // ways) for dim in around]
        return copy(self.region.source, self.region.target, constants.word(0, 8, ways), groups,
                    loops, self.region.x // ways, self.region.z // ways)

    def _parts(self):
        """(vectors per run, outer Dims)."""
        around = [dim for dim in self.region.dims if not dim.x == dim.z == 1]
        run    = next((dim.count for dim in self.region.dims if dim not in around), 1)
        return -(-run // self.region.source.ways), around
