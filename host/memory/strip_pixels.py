"""An image in strips, addressed pixel by pixel."""

from dataclasses import dataclass, replace

from hdl.isa import BANKS, Access, AguMode

from .layout import TensorLayout
from .strips import StripLayout

__all__ = ["StripPixels"]


@dataclass(frozen=True)
class StripPixels(TensorLayout):
    """The pixels of a StripLayout whose banks have a strip each, addressed as rows of one image.

    Row ``s * height + r`` is row ``r`` of strip ``s``. With ``size`` groups in all strips that row
    is ``height`` rows, ``size`` groups, and ``s`` groups further on: modulo ``size - 1`` the
    address of a pixel is linear in its row and column. Only the last group of the last strip has
    the address of the first group of all. Within the last strip addresses are linear anyway.

    Parameters
    ----------
    strips : placed StripLayout
    last : bool, addresses are those of the last strip alone
    """

    strips: StripLayout | None = None
    last:   bool = False

    @classmethod
    def of_strips(cls, strips, *, last=False):
        """StripPixels of a StripLayout, which ``can_be_pixels``."""
        channels = strips.image[strips.axes[-1]]
        return cls(strips.image, strips.bits, strips.ways, strips.axes, 1, (channels,),
                   row=strips.row, strips=strips, last=last)

    @staticmethod
    def can_be_pixels(strips):
        """Whether the StripLayout holds every pixel once, a strip a bank, in rows of the image."""
        return (strips.in_banks and strips.array == strips.image and strips.down.taps == 1
                and strips.across.taps == 1 and strips.strip.start == 0
                and strips.strip.taps == strips.strip.stride)

    @property
    def arrangement(self):
        """See ``TensorLayout``."""
        return (*self.strips.arrangement, self.last)

    @property
    def distance(self):
        """Groups from one pixel of a row to the next."""
        return self.strips.pitch

    @property
    def spacing(self):
        """Groups from one group of a pixel to the next."""
        return BANKS

    @property
    def height(self):
        """Rows of a strip."""
        return self.strips.strip.taps

    @property
    def row_distance(self):
        """Groups from one row of a strip to the next."""
        return self.dims[-1] * self.distance

    @property
    def modulus(self):
        """Groups after which addresses repeat."""
        return self.height * self.row_distance - 1

    def at(self, row, memory=None):
        """See ``TensorLayout``."""
        return replace(super().at(row, memory), strips=self.strips.at(row, memory))

    def access(self, outer=(0, 0, 0), taps=(0, 0, 0), offset=0):
        """Access to the image as if its rows lay one behind the other, from ``offset`` groups
        behind the first pixel."""
        low = self.strips.base
        if self.last:
            offset -= (BANKS - 1) * (self.modulus + 1) - (BANKS - 1)
            return Access(low + offset, low, low + self.modulus, outer, taps)
        return Access(low + offset % self.modulus, low, low + self.modulus - 1, outer, taps,
                      AguMode.MODULO)
