# SPDX-License-Identifier: Apache-2.0
"""Allocate rows in X and Y memory."""

from __future__ import annotations

from bisect import bisect
from copy import copy
from typing import TYPE_CHECKING

from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.errors import Refusal, RefusalKind

if TYPE_CHECKING:
    from xymac.hdl.config import CoreConfig

__all__ = ["Rows"]

_KINDS = {Memory.X: RefusalKind.X_MEMORY, Memory.Y: RefusalKind.Y_MEMORY}


class Rows:
    """First-fit allocator of consecutive memory rows, from either end.

    Parameters
    ----------
    config : CoreConfig
    memory : Memory
    """

    def __init__(self, config: CoreConfig, memory: Memory) -> None:
        self.memory = memory
        self.name   = memory.name
        self.rows  = config.x_rows if memory is Memory.X else config.y_rows
        cells      = config.lanes * (1 if memory is Memory.X else config.ways)
        self.row_bytes = cells * CELL_BITS // 8
        self._taken = {}
        self._gaps  = [(0, self.rows)]  # (first, stop), in order, none empty

    @property
    def free_rows(self) -> int:
        """Free row count."""
        return self.rows - sum(self._taken.values())

    @property
    def longest(self) -> tuple[int, int]:
        """The longest free run: (first row, row count)."""
        return max(((first, stop - first) for first, stop in self._gaps),
                   key=lambda gap: gap[1], default=(0, 0))

    def copy(self) -> Rows:
        """An independent copy with the same taken rows."""
        other = copy(self)
        other._taken, other._gaps = dict(self._taken), list(self._gaps)
        return other

    def take(self, rows: int, name: str, *, top: bool = False, align: int = 1,
             below: int | None = None) -> int | Refusal:
        """Reserve ``rows`` rows at the lowest free address, or with ``top`` at the highest.

        Returns the first row, a multiple of ``align`` unless ``top``; a Refusal beginning with
        ``name``, sizes in bytes, if no free run is long enough. All rows are below row ``below``,
        unless None.
        """
        below = self.rows if below is None else below
        for index in reversed(range(len(self._gaps))) if top else range(len(self._gaps)):
            start, stop = self._gaps[index]
            end   = min(stop, below)
            first = end - rows if top else -(-start // align) * align
            if first >= start and first + rows <= end:
                break
        else:
            _, longest = self.longest
            return Refusal(
                _KINDS[self.memory],
                f"{name} needs {rows * self.row_bytes} bytes of {self.name} memory",
                because=f"of its {self.rows * self.row_bytes} bytes "
                        f"{self.free_rows * self.row_bytes} are free, {longest * self.row_bytes} "
                        f"in one piece")
        if rows:
            self._taken[first] = rows
            left = (start, first), (first + rows, stop)
            self._gaps[index:index + 1] = [gap for gap in left if gap[0] < gap[1]]
        return first

    def release(self, first: int) -> None:
        """Free the run starting at row ``first``; KeyError if no run starts there."""
        stop  = first + self._taken.pop(first)
        index = bisect(self._gaps, (first, stop))
        start, end = index, index
        if index and self._gaps[index - 1][1] == first:
            start, first = index - 1, self._gaps[index - 1][0]
        if index < len(self._gaps) and self._gaps[index][0] == stop:
            end, stop = index + 1, self._gaps[index][1]
        self._gaps[start:end] = [(first, stop)]
