"""Elements of 8 bits as they lie in the memory of little-endian machines."""

from dataclasses import dataclass
from math import prod

import numpy as np

from hdl.isa import BANKS

from .layout import TensorLayout

__all__ = ["ByteLayout"]


@dataclass(frozen=True)
class ByteLayout(TensorLayout):
    """A tensor of 8 bits in the order of the user's array, as a bus shows its bytes.

    A cell holds two elements that are a row of lanes apart: the bus shows the first elements of
    both rows, then the second ones. Here the two bytes of a cell are two neighbours of the array.
    So whole rows of memory, as an array of pairs of lanes, lie with the pair outermost in each row.
    Passes take no such elements; see ``host.lower.move.bus.bus_bytes``.

    Parameters
    ----------
    array : tuple of int, the shape of the user's array; ``shape`` is that of the rows
    """

    array: tuple = ()

    @classmethod
    def of_elements(cls, x, ways):
        """ByteLayout of a Tensor like ``x``."""
        lanes = BANKS * ways
        rows  = -(-prod(x.shape) // (2 * lanes))
        return cls((rows, lanes, 2), x.bits, ways, (0, 2, 1), 3, (2 * rows * lanes,),
                   array=tuple(x.shape))

    def cells(self, data):
        """Cells of the rows that hold the user's array ``data``, zeros behind it."""
        flat = np.pad(data.reshape(-1), (0, prod(self.shape) - data.size))
        return super().cells(flat.reshape(self.shape))

    def data(self, cells):
        """The user's array that the rows in ``cells`` hold."""
        return super().data(cells).reshape(-1)[:prod(self.array)].reshape(self.array)
