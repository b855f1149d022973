# SPDX-License-Identifier: Apache-2.0
"""Elements at arbitrary positions in a memory range."""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory

from .layout import LOW_OFFSET, TensorLayout
from .layout_rows import LayoutRows
from .windows import WindowLayout

__all__ = ["Scatter", "invert_units", "scatter_of"]


@dataclass(frozen=True, eq=False)
class Scatter:
    """Memory position for each unit of a value.

    A unit is an 8-bit or 16-bit element, or a half-word of a 32-bit element. The array bytes are
    the units in order, except that memory holds low half-words minus ``LOW_OFFSET``: a unit with
    its highest bit inverted.

    Parameters
    ----------
    memory : Memory
    first_cell, count : int, the memory range: first word and word count
    bits : int, element width: 8, 16 or 32
    places : int32 array, position per unit of the value, or per ``takes`` entry; in bytes from the
        first word for 8-bit elements, low byte first, else in words; a 32-bit element has the
        position of its low half-word, then of its high half-word; -1 for an omitted unit
    takes : int32 array or None: unit index per ``places`` entry, -1 for ``fill``
    fill : int
    """

    memory:     Memory
    first_cell: int
    count:      int
    bits:       int
    places:     np.ndarray
    takes:      np.ndarray | None = None
    fill:       int = 0

    @property
    def unit_bits(self):
        """Unit width: 8 or 16."""
        return min(self.bits, CELL_BITS)

    def units(self, elements):
        """Unit indices for an array of element indices, in order."""
        if self.bits == self.unit_bits:
            return elements
        return (2 * elements[:, None] + np.arange(2)).ravel()

    def are_inverted(self, units):
        """Whether memory holds units with the highest bit inverted, per unit index."""
        return (units % 2 == 0) & (self.bits > self.unit_bits)

    def cells(self, data):
        """Memory range words with an array's elements, uint16 [count]; other words are 0."""
        units  = np.ascontiguousarray(data).reshape(-1).view(f"int{self.unit_bits}")
        data   = self._invert(units)
        if self.takes is not None:
            data = np.where(self.takes < 0, self.fill, data[self.takes]).astype(data.dtype)
        cells  = np.zeros(self.count, np.uint16)
        inside = self.places >= 0
        cells.view(data.dtype)[self.places[inside]] = data[inside]
        return cells

    def data(self, cells):
        """Elements from the memory range's words, int8, int16 or int32 [elements]."""
        units = cells.astype(np.uint16).view(f"int{self.unit_bits}")[self.places]
        return self._invert(units).view(f"int{self.bits}")

    def _invert(self, units):
        """All units of a value from the units in memory, and back."""
        return invert_units(units) if self.bits > self.unit_bits else units


def invert_units(units):
    """Half-words of 32-bit elements, int16 [2 elements], as memory holds them; and back."""
    return (units.reshape(-1, 2) ^ np.array([-LOW_OFFSET, 0], np.int16)).ravel()


def scatter_of(layout, *, writes):
    """Scatter equivalent to a layout, for writes or for reads."""
    if isinstance(layout, Scatter):
        return layout
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
    """Positions for a value's units in LayoutRows, -1 for units outside its rows."""
    layout = part.layout
    places = _places(layout)
    units  = layout.row_cells * CELL_BITS // min(layout.bits, CELL_BITS)
    moved  = np.full(places.size, -1, np.int32)
    count  = 0
    for first, end in part.ranges:
        inside = (first <= places // units) & (places // units < end)
        moved[inside] = places[inside] + (count - first) * units
        count += end - first
    return moved


def _places(layout):
    """Positions for an array's units in a layout, in array order."""
    if layout.bits > CELL_BITS:
        upper, lower = layout.words32
        return np.stack([_places(word) + word.first_cell - layout.first_cell
                         for word in (lower, upper)], axis=1).ravel()
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
