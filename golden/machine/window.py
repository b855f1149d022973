# SPDX-License-Identifier: Apache-2.0
"""Memory rows in an access window, as elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory, Width

__all__ = ["Window"]


@dataclass(frozen=True)
class Window:
    """Addresses ``low`` to ``high`` in a memory, both included.

    Parameters
    ----------
    memory : Memory, which memory the window lies in
    cells : uint16 array, all memory words in linear order
    row : int, words per row
    width : Width, element width
    unit : int, elements per address
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
        """Elements per word."""
        return CELL_BITS // (8 if self.width is Width.BITS8 else 16)

    @property
    def inside(self) -> bool:
        """Whether the window is not empty and lies within the memory."""
        return self.low <= self.high < self.cells.size * self._halves // self.unit

    @property
    def _rows(self):
        """The window's first row, and the row after its last row."""
        addresses = self.row * self._halves // self.unit
        return self.low // addresses, self.high // addresses + 1

    @property
    def start(self) -> int:
        """Address where the first row begins."""
        return self._rows[0] * (self.row * self._halves // self.unit)

    @property
    def span(self) -> tuple[Memory, int, int]:
        """The memory, the first word of the window's rows, and the word after their last."""
        first, end = self._rows
        return self.memory, first * self.row, end * self.row

    def _select_rows(self):
        """Words in the window's rows, a view."""
        first, end = self._rows
        return self.cells[first * self.row:end * self.row]

    def elements(self) -> np.ndarray:
        """Elements in all window rows, from address ``start`` on: a copy [addresses, unit]."""
        cells = self._select_rows()
        if self.width is Width.BITS16:
            return cells.view("<i2").reshape(-1, self.unit).copy()
        halves = cells.view(np.int8).reshape(-1, self.row, 2)
        return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(-1, self.unit)

    @property
    def dtype(self) -> np.dtype:
        """Type of an element."""
        return np.dtype(np.int8 if self.width is Width.BITS8 else "<i2")

    def store(self, addresses: np.ndarray, elements: np.ndarray) -> None:
        """Write ``elements`` [addresses, unit] at ``addresses``; the last of several at an address
        stays.
        """
        if self.width is Width.BITS16:
            self.cells.view("<i2").reshape(-1, self.unit)[addresses] = elements
            return
        half = self.row // self.unit  # addresses
        rows = self.cells.view(np.int8).reshape(-1, half, self.unit, 2).transpose(0, 3, 1, 2)
        rows[addresses // (2 * half), addresses // half % 2, addresses % half] = elements

    def cells_of(self, addresses: np.ndarray, span: int) -> np.ndarray:
        """Memory word indices [addresses, elements]: ``span`` addresses from each address on."""
        elements = addresses[:, None] * self.unit + np.arange(span * self.unit)
        if self.width is Width.BITS16:
            return elements
        block, place = np.divmod(elements, 2 * self.row)
        return block * self.row + place % self.row

    def bytes_of(self, addresses: np.ndarray, span: int) -> np.ndarray:
        """Byte indices [addresses, bytes]: ``span`` addresses from each address on, two bytes for
        each memory word.
        """
        words = self.cells_of(addresses, span)
        if self.width is Width.BITS16:
            return np.repeat(2 * words, 2, axis=1) + np.arange(2 * words.shape[1]) % 2
        elements = addresses[:, None] * self.unit + np.arange(span * self.unit)
        return 2 * words + elements // self.row % 2

    def places(self) -> slice | np.ndarray:
        """Memory indices for the words in the window."""
        first, end = self.low * self.unit, (self.high + 1) * self.unit
        if self.width is Width.BITS16:
            return slice(first, end)
        start  = self._rows[0] * self.row
        inside = np.zeros((self._rows[1] - self._rows[0], 2, self.row), bool)
        inside.reshape(-1)[first - 2 * start:end - 2 * start] = True
        return start + np.flatnonzero(inside.any(1))
