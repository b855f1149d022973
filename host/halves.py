"""Integers of 32 bits as two images of 16 bits, which passes add up again."""

from dataclasses import dataclass
from math import prod

import numpy as np

from .image import Image

__all__ = ["HALVES_BIAS", "HALVES_WORDS", "Halves", "sums_of_halves"]

#: Factors of the high and the low half, tap by tap: 2**16 in all and 1.
HALVES_WORDS = (32767, 1, 32767, 0, 2, 0)
HALVES_BIAS  = 1 << 15  #: What their sum lacks: the low half is less by that, so that it is signed.


@dataclass(frozen=True)
class Halves(Image):
    """Image of integers of 32 bits: all high halves, then all low ones.

    The parameters are those of ``Image``, with the halves as the first dimension of ``shape`` and
    ``order``.
    """

    @classmethod
    def over(cls, shape, ways):
        """Image of integers of ``shape``, whose last dimension makes a run."""
        shape = (2, *shape)
        return cls(shape, 16, ways, tuple(range(len(shape))), 1, shape[-1:])

    @property
    def pixels(self):
        """Runs of one half."""
        return prod(self.dims[1:])

    @property
    def half(self):
        """Groups from the high half of an integer to its low one."""
        return self.groups // 2

    def cells(self, data):
        """Cells of the rows that hold ``data``, an int32 array."""
        low = (data & 0xFFFF) - HALVES_BIAS
        return super().cells(np.stack([data >> 16, low]).astype(np.int16))

    def data(self, cells):
        """The int32 array that the rows in ``cells`` hold."""
        high, low = super().data(cells).astype(np.int64)
        return ((high << 16) + low + HALVES_BIAS).astype(np.int32)


def sums_of_halves(image, values):
    """Operands of passes (see ``over_channels``) that add up ``Halves``, less ``HALVES_BIAS``.

    The first words of the Constants ``values`` are ``HALVES_WORDS``.
    """
    pairs = len(HALVES_WORDS) // 2
    words = values.word(0, image.bits, image.ways, count=len(HALVES_WORDS), taps=(0, 2, 1))
    return {"x": image, "y": words, "taps": (1, pairs, 2), "x_taps": (0, 0, image.half)}
