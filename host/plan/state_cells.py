# SPDX-License-Identifier: Apache-2.0
"""Find a recurrent cell's state words among its constants.

Lowering packs the states minus their zero points into 48-bit constants. The position of each
element's words is found by comparing constants for layer states that differ from their zero points
in selected elements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["StateCells", "find_state_cells"]


@dataclass(frozen=True)
class StateCells:
    """Constant words with state elements, in whole 32-bit words.

    Parameters
    ----------
    name : str, layer field
    first : int, first 16-bit word index within the constant, even
    pieces, zero : see ``WideScatter``
    """

    name:   str
    first:  int
    pieces: np.ndarray
    zero:   int


def find_state_cells(cells_of: Callable[[Any], list[np.ndarray]], layer: Any,
                     names: tuple[str, ...]) -> tuple[list[list[StateCells]], Any]:
    """(StateCells list per constant, layer with blank states).

    Parameters
    ----------
    cells_of : function from a layer to all its constants' words, a uint16 array list
    layer : golden layer
    names : tuple of str, the layer's state fields

    RuntimeError if the constants depend on the states in a different way.
    """
    zeros = {name: _zero_of(getattr(layer, name)) for name in names}
    blank = replace(layer, **{name: _fill(layer, name, zeros[name]) for name in names})
    base  = cells_of(blank)
    found, given = [[] for _ in base], [cells.copy() for cells in base]
    for name in names:
        for index, pieces in enumerate(_locate(cells_of, blank, name, zeros[name], base)):
            _patch(given[index], pieces, getattr(layer, name).data.ravel(), zeros[name])
            found[index] += _spans(pieces, base[index], name, zeros[name])
    if not all(map(np.array_equal, given, cells_of(layer))):
        raise RuntimeError("The constants of a cell are not its weights and states alone")
    return found, blank


def _zero_of(state):
    """A state's zero point, 0 for formats without zero points."""
    centred = getattr(state, "centred", state.data)
    return int(state.data.ravel()[0]) - int(centred.ravel()[0])


def _fill(layer, name, value):
    state = getattr(layer, name)
    return replace(state, data=np.broadcast_to(value, state.data.size).astype(
        state.data.dtype).reshape(state.data.shape))


def _locate(cells_of, blank, name, zero, base):
    """State piece arrays, shaped like the constants ``base``; see ``WideScatter``."""
    def differ(value):
        other = cells_of(replace(blank, **{name: _fill(blank, name, zero + value)}))
        return [cells != before for cells, before in zip(other, base, strict=True)]

    data    = getattr(blank, name).data
    step    = -1 if zero > np.iinfo(data.dtype).min else 1  # -1 also changes the sign words
    numbers = [np.zeros(len(cells), np.int64) for cells in base]
    for bit in range(data.size.bit_length()):
        for number, different in zip(numbers, differ(step * (
                np.arange(1, data.size + 1) >> bit & 1)), strict=True):
            number |= different.astype(np.int64) << bit
    return [np.where(number, 2 * (number - 1) + ~low, -1)
            for number, low in zip(numbers, differ(1), strict=True)]


def _patch(cells, pieces, state, zero):
    """Write a state at the positions in ``pieces``."""
    values = (state.astype(np.int64) - zero)[np.maximum(pieces, 0) // 2] >> 16 * (pieces % 2)
    cells[pieces >= 0] = (values & 0xFFFF).astype(np.uint16)[pieces >= 0]


def _spans(pieces, cells, name, zero):
    """Yield StateCells for each run of state words."""
    words = np.unique(np.flatnonzero(pieces >= 0) // 2)
    if not words.size:
        return
    if cells.reshape(-1, 2)[words].any():
        raise RuntimeError("A word holds a state and something else")
    for span in np.split(words, np.flatnonzero(np.diff(words) > 1) + 1):
        first, end = 2 * int(span[0]), 2 * int(span[-1]) + 2
        yield StateCells(name, first, pieces[first:end], zero)
