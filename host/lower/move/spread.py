# SPDX-License-Identifier: Apache-2.0
"""Spread moves, which exchange the run dimension: ``ways`` elements per cycle."""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.isa import BANKS, Axis, Op, Pass
from xymac.host.ir.fields import container_clip
from xymac.host.memory.constants import Constants
from xymac.host.memory.packing import pack_vectors, width_of

from .loops import repeat_passes
from .strides import ElementMove

__all__ = ["SpreadMove"]


@dataclass(frozen=True)
class SpreadMove:
    """A reordering in blocks: ``BANKS`` indices of the source's run dimension by ``ways`` indices
    of the target's run dimension.

    Parameters
    ----------
    region : ElementMove
    """

    region: ElementMove

    @property
    def possible(self):
        """Whether the runs have different dimensions, and all other dims step by whole vectors."""
        ways = self.region.source.ways
        x, z = (next((dim for dim in self.region.dims if getattr(dim, name) == 1), None)
                for name in "xz")
        return (None not in (x, z) and x is not z and self.region.x % ways == 0
                and all(dim.x % ways == 0 for dim in self.region.dims if dim is not x)
                and all(dim.z % ways == 0 for dim in self.region.dims if dim is not z))

    @property
    def steps(self):
        """Cycles, without pass start-up."""
        across, along, around = self._parts()
        blocks = -(-across.count // BANKS) * -(-along.count // self.region.source.ways)
        return BANKS * blocks * int(np.prod([dim.count for dim in around]))

    @staticmethod
    def constants(ways):
        """One-hot weight words per block index and its source vectors."""
        lanes = BANKS * ways
        words = np.zeros((lanes, ways, BANKS // ways, ways), np.int8)
        for lane in range(lanes):
            bank, way = divmod(lane, ways)
            words[lane, way, bank // ways, bank % ways] = 1
        return Constants(pack_vectors(words.reshape(lanes, BANKS, ways), ways), lanes * ways,
                         shared=True)

    def passes(self, constants):
        """Passes without ``wait`` and ``last``."""
        across, along, around = self._parts()
        ways   = self.region.source.ways
        blocks, rest = divmod(across.count, BANKS)
        passes = [self._pass(constants, across, along, 0, blocks, BANKS)] if blocks else []
        if rest:
            passes.append(self._pass(constants, across, along, blocks, 1, rest))
        return repeat_passes(passes, [replace(dim, x=dim.x // ways, z=dim.z // ways)
                                      for dim in around])

    def _pass(self, constants, across, along, first, blocks, beats):
        """Pass over ``blocks`` blocks of the source's runs, ``beats`` indices each."""
        source, target, ways = self.region.source, self.region.target, self.region.source.ways
        apart, ahead = across.z // ways, along.x // ways  # vectors
        groups = -(-beats // ways)  # vectors per source block
        steps  = BANKS // ways
        word   = constants.word(0, 8, 1, BANKS)  # the addresses for all lanes and MACs
        return Pass(
            op=Op.SPREAD, outer=(1, blocks, -(-along.count // ways)), taps=(1, ways, groups),
            beats=beats, cols=Axis(0, ways, along.count),
            x_width=width_of(source.bits), z_width=width_of(target.bits),
            clip=container_clip(target.bits), z_memory=target.memory,
            x=source.access((0, steps, ways * ahead * (along.count > ways)), (0, ahead, 1),
                            self.region.x // ways + first * steps),
            y=replace(word, taps=(0, steps, 1)),
            z=target.access((apart, BANKS * apart * (blocks > 1), 1),
                            offset=self.region.z // ways + first * BANKS * apart))

    def _parts(self):
        """(Dim along source runs, Dim along target runs, other Dims)."""
        across = next(dim for dim in self.region.dims if dim.x == 1)
        along  = next(dim for dim in self.region.dims if dim.z == 1)
        return across, along, [dim for dim in self.region.dims if dim not in (across, along)]
