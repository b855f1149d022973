# SPDX-License-Identifier: Apache-2.0
"""The machine's table memory, and table lookups in passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import PLACES, TABLE_ENTRIES, TABLES, Table, Width, pack_place

from .rounding import shift_right

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass, TablePlace

__all__ = ["TableMemory"]


class TableMemory:
    """Table entries, and where each table lies in them.

    Attributes
    ----------
    entries : int16 array [``TABLE_ENTRIES``]
    places : dict from ``Table`` to TablePlace, for each table with a location
    """

    def __init__(self) -> None:
        self.entries = np.zeros(TABLE_ENTRIES, np.int16)
        self.places  = dict(PLACES)
        for table, place in PLACES.items():
            self.entries[place.first:place.first + place.entries] = TABLES[table].values

    def write(self, first: int, values: np.ndarray) -> None:
        """Write entries from index ``first`` on; ValueError unless they lie within the memory."""
        if not 0 <= first <= first + len(values) <= TABLE_ENTRIES:
            raise ValueError(f"Entries of tables must lie between 0 and {TABLE_ENTRIES - 1}, not "
                             f"{first} to {first + len(values) - 1}")
        self.entries[first:first + len(values)] = values

    def place(self, table: Table, place: TablePlace | None) -> None:
        """Set a table's location, None for no location; ValueError for an invalid location."""
        if table is Table.NONE:
            raise ValueError("NONE has no place")
        pack_place(place)
        self.places.pop(table, None)
        if place is not None:
            self.places[table] = place

    def look_up(self, pass_: Pass, shift: int, elements: np.ndarray) -> np.ndarray:
        """Table outputs for a pass's int64 ``elements``, in the pass's output width."""
        place  = self.places[pass_.epilogue.table]
        values = self.entries[place.first:place.first + place.entries].astype(np.int64)
        index  = np.clip((elements >> shift) + place.offset, 0, place.entries - 2)
        fall   = _wrap(values[index] - values[index + 1]) * (elements & (1 << shift) - 1)
        if shift:
            fall = shift_right(fall, shift, pass_.epilogue.table_rounding)
        sample = _wrap(values[index] - fall)
        if pass_.epilogue.z_width is Width.BITS16:
            return sample
        return np.minimum(shift_right(sample, 8, pass_.epilogue.table_rounding), 127)


def _wrap(values):
    return values.astype(np.int16).astype(np.int64)
