# SPDX-License-Identifier: Apache-2.0
"""8-bit elements in little-endian byte order."""

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS

from .layout import TensorLayout

__all__ = ["ByteLayout"]


@dataclass(frozen=True)
class ByteLayout(TensorLayout):
    """An 8-bit tensor in the user's element order on the bus.

    A memory word normally holds two elements that are a lane row apart, so the bus shows both rows'
    first elements, then the second elements. In this layout a word's two bytes are neighbours in
    the user's array: each memory row is an array of lane pairs with the pair index outermost.
    Passes cannot read this layout; see ``xymac.host.lower.move.bus.bus_bytes``.

    Parameters
    ----------
    array : tuple of int, shape of the user's array; ``shape`` is the shape of the rows
    """

    array: tuple = ()

    @classmethod
    def of_elements(cls, x, ways):
        """ByteLayout for a Tensor like ``x``."""
        lanes = BANKS * ways
        rows  = -(-prod(x.shape) // (2 * lanes))
        return cls((rows, lanes, 2), x.bits, ways, (0, 2, 1), 3, (2 * rows * lanes,),
                   array=tuple(x.shape))

    def cells(self, data):
        """Row words that hold the user's array ``data``, zero-padded."""
        flat = np.pad(data.reshape(-1), (0, prod(self.shape) - data.size))
        return super().cells(flat.reshape(self.shape))

    def data(self, cells):
        """The user's array in the row words ``cells``."""
        return super().data(cells).reshape(-1)[:prod(self.array)].reshape(self.array)
