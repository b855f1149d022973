"""Bench of hdl.core.tables.Tables."""


import cocotb

from hdl.entries import FIRST, PLACE_BITS
from hdl.isa import TABLES
from sim.agents.pipeline import feed
from sim.agents.seed import random_of
from sim.agents.stream import start
from sim.agents.tables import entry_at

HALF = PLACE_BITS - 1


@cocotb.test
async def every_entry(dut):
    """Every column reads all neighbours of every table, from either parity, in its own order."""
    columns = int(cocotb.plusargs["columns"])
    rng     = random_of(91)
    places  = [first + entry for table, first in FIRST.items() if table in TABLES
               for entry in range(len(TABLES[table].values) - 1)]
    orders  = [rng.sample(places, len(places)) for _ in range(columns)]
    await start(dut)
    results = await feed(dut, [
        {f"readers__{column}__place": (place + 1) // 2 | place // 2 << HALF
         for column, place in enumerate(row)} for row in zip(*orders, strict=True)],
        [f"readers__{column}__entry" for column in range(columns)], 1)
    for row, result in zip(zip(*orders, strict=True), results, strict=True):
        for column, place in enumerate(row):
            even, odd = (place + 1) // 2 * 2, place // 2 * 2 + 1
            assert result[f"readers__{column}__entry"] == entry_at(even) | entry_at(odd) << 16


@cocotb.test
async def tables_follow_one_another(dut):
    """The first entries of the tables are where their lengths put them."""
    columns, place = int(cocotb.plusargs["columns"]), 0
    await start(dut)
    for table, samples in TABLES.items():
        assert FIRST[table] == place
        reader  = f"readers__{columns - 1}"
        [result] = await feed(dut, [{f"{reader}__place": place // 2 * ((1 << HALF) + 1)}],
                              [f"{reader}__entry"], 1)
        assert result[f"{reader}__entry"] >> 16 * (place % 2) & 0xFFFF == samples.values[0] % 65536
        place += len(samples.values)
