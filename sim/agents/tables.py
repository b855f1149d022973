# SPDX-License-Identifier: Apache-2.0
"""Tables for benches on blocks with table lookups."""

from cocotb.triggers import RisingEdge

from xymac.hdl.entries import ENTRIES, PLACE_BITS
from xymac.hdl.isa import FREE_ENTRY, PLACES, TABLE_ENTRIES, TABLES, TablePlace
from xymac.sim.agents.seed import random_of

__all__ = ["TABLES_AT", "VALUES", "place_fields", "serve_tables"]

_EXTREMES = [-32768, 32767, 0, -1, 16384, -16384]


def _draw_values():
    """Entries behind the tables in ``xymac.hdl.isa``: extremes, then any."""
    rng   = random_of(93)
    count = TABLE_ENTRIES - FREE_ENTRY
    return [rng.choice(_EXTREMES) for _ in range(100)] + [
        rng.randint(-32768, 32767) for _ in range(count - 100)]


#: All entries, signed.
VALUES = ENTRIES + _draw_values()
#: Places of ``xymac.hdl.isa`` tables and of three random tables, one at the end of the memory
#: and one with two entries.
TABLES_AT = [*PLACES.values(), TablePlace(FREE_ENTRY, 100, 33),
             TablePlace(FREE_ENTRY + 90, TABLE_ENTRIES - FREE_ENTRY - 90, 200),
             TablePlace(FREE_ENTRY + 4, 2, 7)]
assert all(VALUES[place.first:place.first + place.entries] == list(TABLES[table].values)
           for table, place in PLACES.items())


def place_fields(place):
    """``xymac.hdl.isa.Place`` fields for a TablePlace."""
    return {"zero": place.first + place.offset, "half": place.first // 2,
            "last": place.first + place.entries - 2}


async def serve_tables(dut):
    """Answer reads at the port ``tables`` a cycle later."""
    half = PLACE_BITS - 1
    while True:
        await RisingEdge(dut.clk)
        places = int(dut.tables__place.value)
        even, odd = places % (1 << half), places >> half
        dut.tables__entry.value = VALUES[2 * even] % 65536 | VALUES[2 * odd + 1] % 65536 << 16
