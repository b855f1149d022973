# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.tables.Tables."""


import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.core.tables import TableWrite
from xymac.hdl.entries import ENTRIES, FIRST, PLACE_BITS
from xymac.hdl.isa import FREE_ENTRY, PLACES, TABLE_ENTRIES, TABLES
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start

HALF    = PLACE_BITS - 1
COLUMNS = int(cocotb.plusargs["columns"])
NO_WRITE = encode(TableWrite, {"half": 0, "data": [0, 0], "enable": [0, 0]})


async def begin(dut):
    """Start the clock, with writes disabled."""
    dut.write.value = NO_WRITE
    await start(dut)


async def write(dut, half, data, enable):
    """Write the enabled bytes in a pair of entries."""
    dut.write.value = encode(TableWrite, {"half": half, "data": data, "enable": enable})
    await RisingEdge(dut.clk)
    dut.write.value = NO_WRITE


async def check_neighbours(dut, values, places, rng):
    """Every column reads the entries at ``places`` and their successors, in its own order."""
    orders  = [rng.sample(places, len(places)) for _ in range(COLUMNS)]
    results = await feed(dut, [
        {f"readers__{column}__place": (place + 1) // 2 | place // 2 << HALF
         for column, place in enumerate(row)} for row in zip(*orders, strict=True)],
        [f"readers__{column}__entry" for column in range(COLUMNS)], 1)
    for row, result in zip(zip(*orders, strict=True), results, strict=True):
        for column, place in enumerate(row):
            even, odd = (place + 1) // 2 * 2, place // 2 * 2 + 1
            assert result[f"readers__{column}__entry"] == (
                values[even] % 65536 | values[odd] % 65536 << 16), (column, place)


@cocotb.test
async def every_entry(dut):
    """Every column reads all neighbours in every table, at both parities, in its own order."""
    places = [place.first + entry for place in PLACES.values()
              for entry in range(place.entries - 1)]
    await begin(dut)
    await check_neighbours(dut, ENTRIES, places, random_of(91))


@cocotb.test
async def tables_follow_one_another(dut):
    """The tables lie back to back, each from an even address on."""
    place = 0
    await begin(dut)
    for table, samples in TABLES.items():
        assert FIRST[table] == place
        reader   = f"readers__{COLUMNS - 1}"
        [result] = await feed(dut, [{f"{reader}__place": place // 2 * ((1 << HALF) + 1)}],
                              [f"{reader}__entry"], 1)
        assert result[f"{reader}__entry"] & 0xFFFF == samples.values[0] % 65536
        place += len(samples.values) + len(samples.values) % 2
    assert place == FREE_ENTRY


@cocotb.test
async def writes_change_what_they_name(dut):
    """One write a cycle changes the enabled bytes in any pair; all other bytes keep their value."""
    rng, values = random_of(92), ENTRIES + [0] * (TABLE_ENTRIES - FREE_ENTRY)
    await begin(dut)
    for half in [0, TABLE_ENTRIES // 2 - 1, *(rng.randrange(TABLE_ENTRIES // 2)
                                              for _ in range(600))]:
        data, enable = ([rng.getrandbits(bits) for _ in range(2)] for bits in (16, 2))
        await write(dut, half, data, enable)
        for parity in range(2):
            taken, entry = (0, 0x00FF, 0xFF00, 0xFFFF)[enable[parity]], 2 * half + parity
            values[entry] = values[entry] & ~taken & 0xFFFF | data[parity] & taken
    for _ in range(3):
        await RisingEdge(dut.clk)
    await check_neighbours(dut, values, list(range(TABLE_ENTRIES - 1)), rng)
