# SPDX-License-Identifier: Apache-2.0
"""Elements at any places of the cells of a memory."""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.errors import InputError

from .layout import TensorLayout
from .layout_rows import LayoutRows
from .windows import WindowLayout

__all__ = ["Scatter", "scatter_of"]


@dataclass(frozen=True, eq=False)
class Scatter:
    """Where each element of a value lies, by itself.

    Parameters
    ----------
    memory : Memory
    first_cell, count : int, the cells that are written or read
    bits : int, of an element: 8 or 16
    places : array of int32, of each element in the order of the value, or of each of ``takes``:
        bytes behind the first cell for elements of 8 bits, the lower byte of a cell first, else
        cells; -1 for an element that is left out
    takes : array of int32 or None: the element for each of ``places``, -1 for ``fill``
    fill : int
    """

    memory:     Memory
    first_cell: int
    count:      int
    bits:       int
    places:     np.ndarray
    takes:      np.ndarray | None = None
    fill:       int = 0

    def cells(self, data):
        """Cells that hold the elements of an array, uint16 [count]; zeros elsewhere."""
        data   = data.reshape(-1)
        if self.takes is not None:
            data = np.where(self.takes < 0, self.fill, data[self.takes]).astype(data.dtype)
        cells  = np.zeros(self.count, np.uint16)
        inside = self.places >= 0
        cells.view(data.dtype)[self.places[inside]] = data[inside]
        return cells

    def data(self, cells):
        """The elements in cells, int8 or int16 [elements]."""
        return cells.astype(np.uint16).view(f"int{self.bits}")[self.places]


def scatter_of(layout, *, writes):
    """The Scatter that ``writes`` or reads what a layout does; InputError for elements of other
    than 8 or 16 bits."""
    if isinstance(layout, Scatter):
        return layout
    if layout.bits > CELL_BITS:
        raise InputError(f"Values that a driver writes or reads must have 8 or 16 bits, "
                         f"not {layout.bits}")
    if isinstance(layout, LayoutRows):
        places, windows = _moved_places(layout), layout.layout
    else:
        places, windows = _places(layout), layout
    takes, fill = None, 0
    if isinstance(windows, WindowLayout):
        taken = windows.taken.ravel()
        if writes:
            takes, fill = taken.astype(np.int32), windows.fill
        else:
            numbers, first = np.unique(taken, return_index=True)
            places = places[first[numbers >= 0]]
    return Scatter(layout.memory, layout.first_cell, layout.count, layout.bits, places, takes, fill)


def _moved_places(part):
    """Places of the elements of a value of which some rows are written, see ``LayoutRows``."""
    layout = part.layout
    places = _places(layout)
    units  = layout.row_cells * CELL_BITS // layout.bits
    moved  = np.full(places.size, -1, np.int32)
    count  = 0
    for first, end in part.ranges:
        inside = (first <= places // units) & (places // units < end)
        moved[inside] = places[inside] + (count - first) * units
        count += end - first
    return moved


def _places(layout):
    """Places of the elements among the cells of a layout, in the order of its array."""
    dtype = np.dtype(f"int{layout.bits}")
    count = int(np.prod(layout.shape))
    index = np.arange(1, count + 1).reshape(layout.shape)
    held, shift = None, 0
    while count >> shift:
        digits = (index >> shift & 0x7F).astype(dtype)
        cells  = TensorLayout.cells(layout, digits)  # of windows those of all of their elements
        cells  = cells.view(f"uint{layout.bits}").astype(np.int64) << shift
        held   = cells if held is None else held + cells
        shift += 7
    places = np.zeros(count + 1, np.int32)
    places[held] = np.arange(held.size)
    return places[1:]
