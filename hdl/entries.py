"""All tables in a row, one after another: their entries, and where each begins."""

from amaranth.utils import ceil_log2

from .isa import TABLES, Table

__all__ = ["ENTRIES", "FIRST", "PLACE_BITS"]

ENTRIES    = [value for samples in TABLES.values() for value in samples.values]
PLACE_BITS = ceil_log2(len(ENTRIES))  #: Of the place of an entry in the row.


def _place_tables():
    """Place of the first entry of every table."""
    first, place = {Table.NONE: 0}, 0
    for table, samples in TABLES.items():
        first[table] = place
        place += len(samples.values)
    return first


FIRST = _place_tables()  #: By ``Table``.
