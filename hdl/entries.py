# SPDX-License-Identifier: Apache-2.0
"""Initial table memory content: entries and places for all tables."""

from .isa import FREE_ENTRY, PLACES, TABLES, Table

__all__ = ["ENTRIES", "FIRST", "PLACE_BITS"]

PLACE_BITS = 11  #: Address bits of an entry.


def _fill():
    """Entries up to the last table's end; 0 between tables."""
    entries = [0] * FREE_ENTRY
    for table, place in PLACES.items():
        entries[place.first:place.first + place.entries] = TABLES[table].values
    return entries


ENTRIES = _fill()
FIRST   = {Table.NONE: 0} | {table: place.first for table, place in PLACES.items()}
