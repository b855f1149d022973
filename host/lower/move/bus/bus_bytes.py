# SPDX-License-Identifier: Apache-2.0
"""8-bit elements in bus order, and conversion to and from the user's element order."""

from dataclasses import replace

import numpy as np

from xymac.golden.views import Stored
from xymac.host.lower.orders import refuse_moved
from xymac.host.memory.bus_bytes import ByteLayout
from xymac.host.memory.layout import TensorLayout

from ..reorder import ReorderLowering

__all__ = ["JoinBytesLowering", "SplitBytesLowering"]


class _BytesLowering(ReorderLowering):
    """Moves of whole memory rows between a ByteLayout and the user's element order.

    Parameters
    ----------
    x : 8-bit Tensor in the moved tensor's format; its values are unused
    ways : int, elements per vector
    target : ByteLayout or TensorLayout of the rows, not placed
    """

    def __init__(self, x, ways, target):
        rows = ByteLayout.of_elements(x, ways)
        super().__init__(Stored(np.zeros(rows.shape, np.int8)), ways, target)
        self.output = replace(x, data=np.zeros_like(x.data))
        self._flat  = TensorLayout.flat(x, ways)
        self._rows  = TensorLayout.flat(self.inputs[0], ways)

    def _rows_at(self, layout):
        """User-order layout over the whole rows of a placed layout."""
        return self._rows.at(layout.row, layout.memory)


class SplitBytesLowering(_BytesLowering):
    """Input conversion from a ByteLayout, inserted by the planner.

    Parameters
    ----------
    x : Tensor in the input format; its values are unused
    ways : int, elements per vector
    """

    def __init__(self, x, ways):
        self._bytes = ByteLayout.of_elements(x, ways)
        super().__init__(x, ways, TensorLayout.flat(Stored(np.zeros(
            self._bytes.shape, np.int8)), ways))

    def source_layouts(self, preferred):
        """The bus layout."""
        return (self._bytes,)

    def target_layout(self, sources):
        """User's element order."""
        return self._flat

    def passes(self, sources, target, constants):
        """Move passes over whole rows."""
        return super().passes(sources, self._rows_at(target), constants)


class JoinBytesLowering(_BytesLowering):
    """Output conversion to a ByteLayout, inserted by the planner after the last layer.

    Parameters
    ----------
    x : Tensor in the output format; its values are unused
    ways : int, elements per vector
    """

    def __init__(self, x, ways):
        super().__init__(x, ways, ByteLayout.of_elements(x, ways))

    def source_layouts(self, preferred):
        """User's element order."""
        return (self._flat,)

    def refuses(self, sources):
        """Elements that are not in the user's order."""
        return refuse_moved(*sources, self._flat)

    def target_layout(self, sources):
        """A ByteLayout."""
        return self._target

    def constants(self, sources):
        """Move constants."""
        return super().constants((self._rows_at(sources[0]),))

    def passes(self, sources, target, constants):
        """Move passes over whole rows."""
        return super().passes((self._rows_at(sources[0]),), target, constants)
