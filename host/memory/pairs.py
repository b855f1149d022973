# SPDX-License-Identifier: Apache-2.0
"""32-bit elements in little-endian order."""

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.hdl.isa import CELL_BITS

from .layout import TensorLayout

__all__ = ["PairLayout"]


@dataclass(frozen=True)
class PairLayout(TensorLayout):
    """A 32-bit tensor in the user's element order: two 16-bit halves per element, low half first.

    TensorLayout properties refer to the halves. Passes cannot read this layout; see
    ``xymac.host.lower.move.bus.pairs``.

    Parameters
    ----------
    array : tuple of int, shape of the user's array
    """

    array: tuple = ()

    @classmethod
    def of_elements(cls, x, ways):
        """PairLayout for a Tensor like ``x``."""
        count = 2 * prod(x.shape)
        return cls((count,), CELL_BITS, ways, (0,), 1, (count,), array=tuple(x.shape))

    def cells(self, data):
        """Row words that hold the user's array ``data``."""
        return super().cells(np.ascontiguousarray(data, "<i4").ravel().view("<i2"))

    def data(self, cells):
        """The user's array, int32, in the row words ``cells``."""
        return super().data(cells).astype("<i2").view("<i4").reshape(self.array)
