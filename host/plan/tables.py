# SPDX-License-Identifier: Apache-2.0
"""Place the layers' own tables in table memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.hdl.isa import FREE_ENTRY, OWN_TABLES, PLACES, TABLE_ENTRIES
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.memory.tables import PlacedTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Table
    from xymac.host.memory.tables import OwnTable

__all__ = ["place_tables"]


def place_tables(wanted: Sequence[OwnTable],
                 used: set[Table]) -> tuple[PlacedTable, ...] | Refusal:
    """PlacedTables (a tuple), one per distinct OwnTable.

    Tables follow the core's built-in tables. If they do not fit, they also overlay built-in tables
    without uses.

    Parameters
    ----------
    wanted : list of OwnTable
    used : set of Table, codes in the passes

    Returns a Refusal, with sizes, if entries or codes do not suffice.
    """
    wanted = list(dict.fromkeys(wanted))
    if len(wanted) > len(OWN_TABLES):
        return Refusal(RefusalKind.TABLES, f"A program can use {len(OWN_TABLES)} tables of its "
                       f"own, not {len(wanted)}")
    free = [(FREE_ENTRY, TABLE_ENTRIES)]
    placed = _fit(wanted, free)
    if placed is None:
        ends   = [*sorted(place.first for place in PLACES.values()), FREE_ENTRY]
        unused = [(place.first, ends[ends.index(place.first) + 1])
                  for table, place in PLACES.items() if table not in used]
        placed = _fit(wanted, _join(unused + free))
    if placed is None:
        return Refusal(
            RefusalKind.TABLES,
            f"Tables of {', '.join(str(len(own.values)) for own in wanted)} entries do not fit the "
            f"{TABLE_ENTRIES} of the core beside those that are used")
    return tuple(PlacedTable(OWN_TABLES[index], first, own)
                 for index, (own, first) in enumerate(zip(wanted, placed, strict=True)))


def _join(spans):
    """Spans in descending order, with adjacent spans merged."""
    joined = []
    for start, end in sorted(spans):
        if joined and joined[-1][1] == start:
            start = joined.pop()[0]
        joined.append((start, end))
    return joined[::-1]


def _fit(wanted, spans):
    """First entries, all even, or None; the longest table is placed first."""
    spans, firsts = list(spans), {}
    for own in sorted(wanted, key=lambda own: -len(own.values)):
        size  = len(own.values) + len(own.values) % 2
        index = next((index for index, (start, end) in enumerate(spans) if start + size <= end
                      and start + own.offset >= 0 and start + own.offset < TABLE_ENTRIES), None)
        if index is None:
            return None
        start, end = spans[index]
        firsts[own], spans[index] = start, (start + size, end)
    return [firsts[own] for own in wanted]
