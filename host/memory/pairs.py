"""Elements of 32 bits as they lie in the memory of little-endian machines."""

from dataclasses import dataclass
from math import prod

import numpy as np

from hdl.isa import CELL_BITS

from .layout import TensorLayout

__all__ = ["PairLayout"]


@dataclass(frozen=True)
class PairLayout(TensorLayout):
    """A tensor of 32 bits in the order of the user's array: two elements of 16 bits, the lower half
    and then the upper one, for each of its own.

    What a TensorLayout says is said of these halves. Passes take no such elements; see
    ``host.lower.move.bus.pairs``.

    Parameters
    ----------
    array : tuple of int, the shape of the user's array
    """

    array: tuple = ()

    @classmethod
    def of_elements(cls, x, ways):
        """PairLayout of a Tensor like ``x``."""
        count = 2 * prod(x.shape)
        return cls((count,), CELL_BITS, ways, (0,), 1, (count,), array=tuple(x.shape))

    def cells(self, data):
        """Cells of the rows that hold the user's array ``data``."""
        return super().cells(np.ascontiguousarray(data, "<i4").ravel().view("<i2"))

    def data(self, cells):
        """The user's array, int32, that the rows in ``cells`` hold."""
        return super().data(cells).astype("<i2").view("<i4").reshape(self.array)
