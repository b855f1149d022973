# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.fetch.loader: passes, start addresses and the verdict."""


import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from xymac.hdl.core.fetch.loader import Loader, Moves, PlaceWrite, ProgramWrite, Starts
from xymac.hdl.isa import (
    OWN_TABLES,
    PASS_STRIDE,
    PLACES,
    Access,
    Move,
    Op,
    Pass,
    Status,
    Table,
    TablePlace,
    pack,
    pack_place,
    pack_words,
)
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

PASSES = int(cocotb.plusargs["passes"])
COUNT  = int(cocotb.plusargs["slots"])
CYCLES = Loader(passes=PASSES, ways=1, x_rows=512, y_rows=512, slots=COUNT, functions=0).cycles


def random_pass(rng):
    """A legal pass, or a pass with an unknown operation."""
    def access():
        return Access(rng.randint(-300, 300), 0, 99, move=rng.choice(list(Move)))

    return Pass(x=access(), y=access(), z=access(), op=rng.choice([Op.MAC, Op.MAX, Op.NONE]),
                clip=(rng.randint(-32768, 0), rng.randint(0, 32767)),
                table=rng.choice([Table.NONE, *Table]))


def starts_of(pass_, moves):
    """X, Y and Z start addresses, moves added."""
    return [access.base - access.low + (0, *moves)[access.move.value]
            for access in (pass_.operands.x, pass_.operands.y, pass_.epilogue.z)]


async def place_tables(dut, rng):
    """Move some host tables; returns every table's encoded address, by code."""
    words = {table.value: pack_place(PLACES.get(table)) for table in Table}
    for table in rng.sample(OWN_TABLES, 5):
        first = 2 * rng.randrange(1000)
        words[table.value] = pack_place(TablePlace(first, rng.randint(2, 2048 - first), -first))
        strobes = rng.randrange(16)
        for enable in (strobes, 15 ^ strobes):  # disabled bytes are noise
            word = sum((words[table.value] if enable >> byte & 1 else rng.getrandbits(32))
                       & 0xFF << 8 * byte for byte in range(4))
            dut.place.value = (encode(PlaceWrite, {"table": table, "enable": enable})
                               | word << PlaceWrite["place"].offset)
            await RisingEdge(dut.clk)
    dut.place.value = 0
    return words


async def prepare(dut):
    """Fill program memory; returns the passes."""
    rng = random_of(81)
    dut.load.value = dut.flush.value = dut.place.value = 0
    await start(dut)
    passes = [random_pass(rng) for _ in range(PASSES)]
    dut.write_enable.value = 1
    for number, pass_ in enumerate(passes):
        for index, word in enumerate(pack_words(pass_)):
            dut.write.value = encode(ProgramWrite(PASSES), {
                "address": number * PASS_STRIDE + index, "data": word, "mask": 0xFF})
            await RisingEdge(dut.clk)
    dut.write_enable.value = 0
    return passes


async def load(dut, number, slot, moves, again=1):
    """Load a pass; returns the cycles taken."""
    dut.again.value = again
    dut.number.value, dut.slot.value, dut.moves.value = number, slot, encode(Moves, moves)
    dut.load.value, cycles = 1, 1
    await RisingEdge(dut.clk)
    while True:
        await RisingEdge(dut.clk)
        if dut.loaded.value:
            break
        cycles += 1
    dut.load.value = 0
    await RisingEdge(dut.clk)
    return cycles + 1


@cocotb.test
async def loads_passes(dut):
    """A pass is complete and marks its slot; its start addresses and table place follow."""
    passes, rng  = await prepare(dut), random_of(82)
    words = await place_tables(dut, rng)
    for number in range(60):
        index, slot = rng.randrange(PASSES), number % COUNT
        moves = [rng.randint(-2000, 2000) for _ in range(2)]
        again = rng.randrange(2)
        assert await load(dut, index, slot, moves, again) == CYCLES
        pass_ = passes[index]
        place = words[pass_.epilogue.table.value]
        nowhere = pass_.epilogue.table is not Table.NONE and place == pack_place(None)
        assert Status(int(dut.status.value)) is (
            Status.OPCODE if pass_.accumulate.op is Op.NONE
            else Status.TABLE if nowhere else Status.OK)
        assert int(dut.pass_.value) == pack(pass_)
        assert int(dut.loading.value) == 1 << slot
        await ClockCycles(dut.clk, rng.randint(1, 3))
        assert not dut.loading.value
        assert int(dut.pass_.value) == pack(pass_)
        assert decode(Starts, int(dut.moved.value)) == starts_of(
            pass_, [again * move for move in moves])
        assert int(dut.found.value) == place


@cocotb.test
async def flush_stops(dut):
    """After a flush at any time the next pass is loaded completely."""
    passes, rng = await prepare(dut), random_of(83)
    for cycles in range(1, CYCLES):
        dut.number.value, dut.slot.value, dut.load.value = 0, 0, 1
        await ClockCycles(dut.clk, cycles)
        dut.flush.value = 1
        await RisingEdge(dut.clk)
        dut.flush.value = dut.load.value = 0
        await ClockCycles(dut.clk, 2)
        index = rng.randrange(PASSES)
        await load(dut, index, 1, [5, 7])
        assert int(dut.pass_.value) == pack(passes[index])
        assert decode(Starts, int(dut.moved.value)) == starts_of(passes[index], [5, 7])
