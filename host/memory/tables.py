# SPDX-License-Identifier: Apache-2.0
"""Tables that a layer brings with it, and where they lie in table memory."""

from dataclasses import dataclass

from xymac.hdl.isa import FREE_ENTRY, Table

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
