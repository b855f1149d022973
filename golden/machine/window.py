"""The window of an access as elements: the rows of a memory that it touches."""

from dataclasses import dataclass

import numpy as np

from hdl.isa import CELL_BITS, Memory, Width

__all__ = ["Window"]


@dataclass(frozen=True)
class Window:
    """Addresses ``low`` to ``high`` of a memory, both included.

    Parameters
    ----------
    memory : Memory, the one it is called
    cells : array of uint16, all of that memory, in linear order
    row : int, cells of a row
    width : Width of an element
    unit : int, elements that an address stands for
    low, high : int
    """

    memory: Memory
    cells:  np.ndarray
    row:    int
    width:  Width
    unit:   int
    low:    int
    high:   int

    @property
    def _halves(self):
        """Elements of a cell."""
        return CELL_BITS // (8 if self.width is Width.BITS8 else 16)

    @property
    def inside(self):
        """Whether there is an address in it and all are in the memory."""
        return self.low <= self.high < self.cells.size * self._halves // self.unit

    @property
    def _rows(self):
        """First row that it touches, and the one behind the last."""
        addresses = self.row * self._halves // self.unit
        return self.low // addresses, self.high // addresses + 1

    @property
    def start(self):
        """Address where the first row begins."""
        return self._rows[0] * (self.row * self._halves // self.unit)

    def _select_rows(self):
        """Cells of the rows that it touches, a view."""
        first, end = self._rows
        return self.cells[first * self.row:end * self.row]

    def elements(self):
        """Elements from ``start`` on, of all rows that it touches: a copy [addresses, unit]."""
        cells = self._select_rows()
        if self.width is Width.BITS16:
            return cells.view("<i2").reshape(-1, self.unit).copy()
        halves = cells.view(np.int8).reshape(-1, self.row, 2)
        return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(-1, self.unit)

    def store(self, elements):
        """Write back what ``elements`` returned."""
        cells = self._select_rows()
        if self.width is Width.BITS16:
            cells.view("<i2")[:] = elements.ravel()
        else:
            cells.view(np.int8)[:] = elements.reshape(-1, 2, self.row).swapaxes(1, 2).ravel()

    def cells_of(self, addresses, span):
        """Index among the cells of the memory of what ``span`` addresses from each of ``addresses``
        hold: [addresses, elements]."""
        elements = addresses[:, None] * self.unit + np.arange(span * self.unit)
        if self.width is Width.BITS16:
            return elements
        block, place = np.divmod(elements, 2 * self.row)
        return block * self.row + place % self.row

    def places(self):
        """Index of the cells in it among those of the memory."""
        first, end = self.low * self.unit, (self.high + 1) * self.unit
        if self.width is Width.BITS16:
            return slice(first, end)
        start  = self._rows[0] * self.row
        inside = np.zeros((self._rows[1] - self._rows[0], 2, self.row), bool)
        inside.reshape(-1)[first - 2 * start:end - 2 * start] = True
        return start + np.flatnonzero(inside.any(1))
