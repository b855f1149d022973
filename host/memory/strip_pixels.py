# SPDX-License-Identifier: Apache-2.0
"""An image in strips, addressed pixel by pixel."""

from dataclasses import dataclass, replace

from xymac.hdl.isa import BANKS, Access, AguMode

from .layout import TensorLayout
from .strips import StripLayout

__all__ = ["StripPixels"]


@dataclass(frozen=True)
class StripPixels(TensorLayout):
    """Pixels of a StripLayout with a strip per bank, addressed as rows in a single image.

    Row ``s * height + r`` is row ``r`` of strip ``s``. All strips together have ``size`` vectors,
    the address distance between rows ``height`` apart; strip ``s`` starts ``s`` vectors after the
    first strip. Modulo ``size - 1`` both distances agree, so a pixel address is linear in row and
    column. Only the last vector of the last strip then has the first vector's address. Within the
    last strip addresses are linear without the modulus.

    Parameters
    ----------
    strips : placed StripLayout
    last : bool, whether addresses cover only the last strip
    """

    strips: StripLayout | None = None
    last:   bool = False

    @classmethod
    def of_strips(cls, strips, *, last=False):
        """StripPixels for a StripLayout, which ``can_be_pixels``."""
        channels = strips.image[strips.axes[-1]]
        return cls(strips.image, strips.bits, strips.ways, strips.axes, 1, (channels,),
                   row=strips.row, strips=strips, last=last)

    @staticmethod
    def can_be_pixels(strips):
        """Whether the StripLayout holds every pixel once, with a strip per bank, in image rows."""
        return (strips.in_banks and strips.array == strips.image and strips.down.taps == 1
                and strips.across.taps == 1 and strips.strip.start == 0
                and strips.strip.taps == strips.strip.stride)

    @property
    def arrangement(self):
        """See ``TensorLayout``."""
        return (*self.strips.arrangement, self.last)

    @property
    def distance(self):
        """Address distance between neighbouring pixels of a row, vectors."""
        return self.strips.pitch

    @property
    def spacing(self):
        """Address distance between a pixel's neighbouring vectors."""
        return BANKS

    @property
    def height(self):
        """Rows per strip."""
        return self.strips.strip.taps

    @property
    def row_distance(self):
        """Address distance between neighbouring rows of a strip, vectors."""
        return self.dims[-1] * self.distance

    @property
    def modulus(self):
        """Vector count after which addresses repeat."""
        return self.height * self.row_distance - 1

    def at(self, row, memory=None):
        """See ``TensorLayout``."""
        return replace(super().at(row, memory), strips=self.strips.at(row, memory))

    def access(self, outer=(0, 0, 0), taps=(0, 0, 0), offset=0):
        """Access to the image as consecutive rows, ``offset`` vectors after the first pixel."""
        low = self.strips.base
        if self.last:
            offset -= (BANKS - 1) * (self.modulus + 1) - (BANKS - 1)
            return Access(low + offset, low, low + self.modulus, outer, taps)
        return Access(low + offset % self.modulus, low, low + self.modulus - 1, outer, taps,
                      AguMode.MODULO)
