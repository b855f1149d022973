"""Table memory at first: the entries of all tables, and their places."""

from .isa import FREE_ENTRY, PLACES, TABLES, Table

__all__ = ["ENTRIES", "FIRST", "PLACE_BITS"]

PLACE_BITS = 11  #: Of the place of an entry.


def _fill():
    """Entries from the first to the end of the last table; 0 where none lies."""
    entries = [0] * FREE_ENTRY
    for table, place in PLACES.items():
        entries[place.first:place.first + place.entries] = TABLES[table].values
    return entries


ENTRIES = _fill()
FIRST   = {Table.NONE: 0} | {table: place.first for table, place in PLACES.items()}
