# SPDX-License-Identifier: Apache-2.0
"""The sum elements, and their factors in Y."""

from dataclasses import dataclass, replace

from xymac.hdl.isa import BANKS, Pass, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.lower.relative import RelativeAccess
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import width_of

__all__ = ["HALF", "WORD", "Elements"]

WORD = 16
HALF = 1 << WORD - 1


@dataclass(frozen=True)
class Elements:
    """A run of elements minus their zero point, the first input of a layer.

    Parameters
    ----------
    source : TensorLayout
    zero : int
    """

    source: TensorLayout
    zero:   int

    @property
    def count(self):
        """Element count."""
        return sum(self.source.parts)

    @property
    def ways(self):
        """Elements per vector."""
        return self.source.ways

    @property
    def peak(self):
        """Largest element magnitude."""
        return max(abs(limit - self.zero) for limit in container_clip(self.source.bits))

    def access(self, **loops):
        """Access to the elements; ``loops`` as in ``TensorLayout.access``."""
        return RelativeAccess.to(self.source, 0, **loops)

    @property
    def fields(self):
        """Fields for a pass with these elements, 16-bit factors and 16-bit outputs."""
        return {"x_width": width_of(self.source.bits), "x_zero": self.zero,
                "y_width": Width.BITS16, "z_width": Width.BITS16}

    def copy_to_all(self, factors, space):
        """Passes writing every element to all ``factors`` lanes, Y Tiles, 0 for padding.

        All lanes can then sum all squares.
        """
        full, rest = divmod(self.count, self.ways)
        ways  = self.ways
        zeros, ones = space.word(*[0] * ways), space.word(*[1] * ways)
        parts = [(0, (full, ways), ones, 0), (full, (1, rest), ones, 0),
                 (full, (1, ways - rest if rest else 0), zeros, rest)]
        for first, (groups, count), word, way in parts:
            if groups and count:
                z = factors.groups(first * ways + way)
                yield Pass(outer=(1, groups, count), y_shape=Shape.LANES,
                           x=self.access(outer=(0, int(groups > 1), 0), offset=first),
                           y=replace(word, base=word.base + way, taps=(0, 0, 0),
                                     outer=(0, 0, int(count > 1))),
                           z=replace(z, outer=(0, ways * BANKS, BANKS)), z_memory=factors.memory,
                           **self.fields, clip=container_clip(WORD))
