# SPDX-License-Identifier: Apache-2.0
"""Elements at arbitrary positions in a memory range."""

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
    """Memory position for each element of a value.

    Parameters
    ----------
    memory : Memory
    first_cell, count : int, the memory range: first word and word count
    bits : int, element width: 8 or 16
    places : int32 array, position per value element, or per ``takes`` entry; in bytes from the
        first word for 8-bit elements, low byte first, in words for 16-bit elements; -1 for an
        omitted element
    takes : int32 array or None: element index per ``places`` entry, -1 for ``fill``
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
        """Memory range words with an array's elements, uint16 [count]; other words are 0."""
        data   = data.reshape(-1)
        if self.takes is not None:
            data = np.where(self.takes < 0, self.fill, data[self.takes]).astype(data.dtype)
        cells  = np.zeros(self.count, np.uint16)
        inside = self.places >= 0
        cells.view(data.dtype)[self.places[inside]] = data[inside]
        return cells

    def data(self, cells):
        """Elements from the memory range's words, int8 or int16 [elements]."""
        return cells.astype(np.uint16).view(f"int{self.bits}")[self.places]


def scatter_of(layout, *, writes):
    """Scatter equivalent to a layout, for writes or for reads.

    InputError for elements wider than 16 bits.
    """
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
    """Positions for a value's elements in LayoutRows, -1 for elements outside its rows."""
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
    """Positions for an array's elements in a layout, in array order."""
    dtype = np.dtype(f"int{layout.bits}")
    count = int(np.prod(layout.shape))
    index = np.arange(1, count + 1).reshape(layout.shape)
    held, shift = None, 0
    while count >> shift:
        digits = (index >> shift & 0x7F).astype(dtype)
        cells  = TensorLayout.cells(layout, digits)  # windows: every element of each window
        cells  = cells.view(f"uint{layout.bits}").astype(np.int64) << shift
        held   = cells if held is None else held + cells
        shift += 7
    places = np.zeros(count + 1, np.int32)
    places[held] = np.arange(held.size)
    return places[1:]
