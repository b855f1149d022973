# SPDX-License-Identifier: Apache-2.0
"""Value element positions in a core memory, in transfer units."""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.memory.layout_rows import LayoutRows
from xymac.host.memory.scatter import scatter_of
from xymac.host.memory.strips import StripLayout

__all__ = ["Positions", "byte_positions", "can_move_elements", "positions_of"]


@dataclass(frozen=True, eq=False)
class Positions:
    """A value's units in X or Y; see ``Scatter``.

    Parameters
    ----------
    memory : Memory
    bits : int, 8 or 16. Positions count X elements in pass address order for 8 bits, else words
    places : int array, the positions
    taken : int array, for each position the unit's index in the flattened value, -1 for ``fill``
    fill : int
    """

    memory: Memory
    bits:   int
    places: np.ndarray
    taken:  np.ndarray
    fill:   int = 0

    def among(self, chosen):
        """The positions where the bool array ``chosen`` is set."""
        return replace(self, places=self.places[chosen], taken=self.taken[chosen])


def can_move_elements(layout):
    """Whether transfers can move single units in the layout: words, or 8-bit elements in X."""
    return layout.bits >= CELL_BITS or layout.memory is Memory.X


def positions_of(layout, shape, part, lanes, *, writes):
    """Positions for a value's units with ``shape``, or for its ``part``, in a layout.

    ``lanes`` is the word count per X row; with ``writes`` the transfer writes to the core, which
    repeats elements in windows and fills.
    """
    scatter = scatter_of(layout, writes=writes)
    index   = np.arange(int(np.prod(shape))).reshape(shape)
    index   = scatter.units((index[part] if part else index).reshape(-1))
    places  = scatter.places.astype(np.int64)
    taken   = index if scatter.takes is None else np.where(
        scatter.takes < 0, -1, index[scatter.takes])
    inside  = places >= 0
    windows = layout.layout if isinstance(layout, LayoutRows) else layout
    if writes and isinstance(windows, StripLayout):
        inside &= ~windows.unused.ravel()
    places, taken = places[inside], taken[inside]
    if layout.bits >= CELL_BITS:
        return Positions(layout.memory, CELL_BITS, layout.first_cell + places, taken, scatter.fill)
    word, upper = np.divmod(places, 2)
    row, lane   = np.divmod(layout.first_cell + word, lanes)
    return Positions(layout.memory, layout.bits, (2 * row + upper) * lanes + lane, taken,
                     scatter.fill)


def byte_positions(places, lanes):
    """Bytes of X, as it lies in words, of 8-bit elements at the positions ``places``."""
    row, rest = np.divmod(places, 2 * lanes)
    return 2 * (lanes * row + rest % lanes) + rest // lanes
