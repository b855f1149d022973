# SPDX-License-Identifier: Apache-2.0
"""A layer's own tables, and where they lie in table memory."""

from dataclasses import dataclass

from xymac.hdl.isa import FREE_ENTRY, Table

__all__ = ["OwnTable", "PlacedTable"]


@dataclass(frozen=True)
class OwnTable:
    """A table outside ``xymac.hdl.isa.TABLES``.

    Parameters
    ----------
    values : tuple of int, 16-bit entries, at least 2
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
        """Whether it lies in the entries of ``xymac.hdl.isa.TABLES``."""
        return self.first < FREE_ENTRY
