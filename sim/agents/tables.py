"""Tables for a bench of a block that reads them."""

from cocotb.triggers import RisingEdge

from hdl.entries import PLACE_BITS
from hdl.isa import TABLES

__all__ = ["entry_at", "serve_tables"]

_VALUES = [value for samples in TABLES.values() for value in samples.values]


def entry_at(place):
    """The 16 bits of an entry, counted over all tables; 0 behind the last one."""
    return _VALUES[place] % 65536 if place < len(_VALUES) else 0


async def serve_tables(dut):
    """Answer the reads of the port ``tables`` a cycle later."""
    half = PLACE_BITS - 1
    while True:
        await RisingEdge(dut.clk)
        places = int(dut.tables__place.value)
        even, odd = places % (1 << half), places >> half
        dut.tables__entry.value = entry_at(2 * even) | entry_at(2 * odd + 1) << 16
