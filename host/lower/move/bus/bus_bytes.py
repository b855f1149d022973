# SPDX-License-Identifier: Apache-2.0
"""Elements of 8 bits as whoever drives the core has them, and as passes take them."""

from dataclasses import replace

import numpy as np

from xymac.golden.views import Stored
from xymac.host.memory.bus_bytes import ByteLayout
from xymac.host.memory.layout import TensorLayout

from ..reorder import ReorderLowering

__all__ = ["JoinBytesLowering", "SplitBytesLowering"]


class _BytesLowering(ReorderLowering):
    """Moves between a ByteLayout and the order of the user's array, of whole rows of memory.

    Parameters
    ----------
    x : Tensor of 8 bits in the format of the value, whatever its elements
    ways : int, elements of a group
    target : ByteLayout or TensorLayout of the rows, not placed
    """

    def __init__(self, x, ways, target):
        rows = ByteLayout.of_elements(x, ways)
        super().__init__(Stored(np.zeros(rows.shape, np.int8)), ways, target)
        self.output = replace(x, data=np.zeros_like(x.data))
        self._flat  = TensorLayout.flat(x, ways)
        self._rows  = TensorLayout.flat(self.inputs[0], ways)

    def _check(self, source, expected):
        if (source.arrangement, source.memory) != (expected.arrangement, expected.memory):
            raise ValueError(f"The input must lie as {expected.arrangement}, not as "
                             f"{source.arrangement}")

    def _rows_at(self, layout):
        """The order of the array for the whole rows of a placed layout."""
        return self._rows.at(layout.row, layout.memory)


class SplitBytesLowering(_BytesLowering):
    """What a plan puts behind an input that lies at a ByteLayout.

    Parameters
    ----------
    x : Tensor in the format of the input, whatever its values
    ways : int, elements of a group
    """

    def __init__(self, x, ways):
        self._bytes = ByteLayout.of_elements(x, ways)
        super().__init__(x, ways, TensorLayout.flat(Stored(np.zeros(
            self._bytes.shape, np.int8)), ways))

    def source_layouts(self, preferred):
        """As a bus shows it."""
        return (self._bytes,)

    def target_layout(self, sources):
        """In the order of the user's array."""
        return self._flat

    def passes(self, sources, target, constants):
        """Those of one move of whole rows."""
        return super().passes(sources, self._rows_at(target), constants)


class JoinBytesLowering(_BytesLowering):
    """What a plan puts behind its last layer, so that the output lies at a ByteLayout.

    Parameters
    ----------
    x : Tensor in the format of the output, whatever its values
    ways : int, elements of a group
    """

    def __init__(self, x, ways):
        super().__init__(x, ways, ByteLayout.of_elements(x, ways))

    def source_layouts(self, preferred):
        """In the order of the user's array."""
        return (self._flat,)

    def target_layout(self, sources):
        """A ByteLayout; ValueError if the elements do not lie in the order of the user's array."""
        self._check(sources[0], self._flat)
        return self._target

    def constants(self, sources):
        """What the move needs."""
        return super().constants((self._rows_at(sources[0]),))

    def passes(self, sources, target, constants):
        """Those of one move of whole rows."""
        return super().passes((self._rows_at(sources[0]),), target, constants)
