# SPDX-License-Identifier: Apache-2.0
"""Tables that a layer brings with it, and where they lie in table memory."""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import FREE_ENTRY, PLACES, TABLES, Table, TablePlace

__all__ = ["OwnTable", "PlacedTable"]


@dataclass(frozen=True)
class OwnTable:
    """A table that is not one of ``xymac.hdl.isa.TABLES``.

    Parameters
    ----------
    values : tuple of int, entries of 16 bits, 2 at least
    offset : int, the entry for an element 0
    """

    values: tuple
    offset: int


@dataclass(frozen=True)
class PlacedTable:
    """An OwnTable with its code and its place.

    Parameters
    ----------
    table : Table
    first : int, its first entry in table memory
    own : OwnTable
    """

    table: Table
    first: int
    own:   OwnTable

    @property
    def borrows(self):
        """Whether it lies where one of ``xymac.hdl.isa.TABLES`` does."""
        return self.first < FREE_ENTRY

    def write(self, device):
        """Write it to a Device."""
        device.write_table(self.first, np.array(self.own.values, np.int16))
        device.place_table(self.table, TablePlace(self.first, len(self.own.values),
                                                  self.own.offset))

    def give_back(self, device):
        """Write what the core has of itself where the table lies."""
        end = self.first + len(self.own.values)
        for table, place in PLACES.items():
            if place.first < end and self.first < place.first + place.entries:
                device.write_table(place.first, np.array(TABLES[table].values, np.int16))
