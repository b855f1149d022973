# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.xmem.XMemory: vector reads across banks and rows, byte writes."""

from itertools import chain

import cocotb

from xymac.hdl.core.xmem import Write, XMemory
from xymac.hdl.isa import BANKS
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

WAYS = int(cocotb.plusargs["ways"])
ROWS = int(cocotb.plusargs["rows"])
X    = XMemory(ways=WAYS, rows=ROWS)
USED = [*range(6), *range(ROWS - 6, ROWS)]  # rows that the bench fills


def write_of(row, bank, columns, bytes_):
    """A write for every column; only the columns in the mask ``columns`` take it."""
    return [{"x": 1, "row": row, "bank": 1 << bank, "column": columns, "bytes": bytes_}
            for _ in range(WAYS)]


def element(cells, index, wide, lane):
    """A lane's signed element ``index``."""
    cell = cells[(index if wide else index // 2) % ROWS, lane]
    bits = cell if wide else cell >> 8 * (index % 2) & 0xFF
    size = 16 if wide else 8
    return bits - (1 << size) * (bits >> size - 1)


def expect(cells, address, wide, zero, lanes, crossed, one=0):
    """Vectors for all banks: addressed, consecutive (``lanes``), ``crossed``, or ones (``one``)."""
    if one:
        return [[1] * WAYS] * BANKS
    groups = [address + bank if lanes else address ^ bank if crossed else address
              for bank in range(BANKS)]
    return [[element(cells, group // BANKS, wide, group % BANKS * WAYS + column) - zero
             for column in range(WAYS)] for group in groups]


def random_writes(rng, cells, count):
    """Writes in random order, and their effect on ``cells``."""
    for _ in range(count):
        row, bank = rng.choice(USED), rng.randrange(BANKS)
        columns, bytes_ = rng.randrange(1 << WAYS), rng.randrange(4)
        data = [rng.randrange(1 << 16) for _ in range(WAYS)]
        mask = 0xFF * (bytes_ & 1) | 0xFF00 * (bytes_ >> 1)
        for column in range(WAYS):
            if columns >> column & 1:
                lane = bank * WAYS + column
                cells[row, lane] = cells[row, lane] & ~mask | data[column] & mask
        yield {"write": encode(X.write.shape(), write_of(row, bank, columns, bytes_)),
               "data": encode(X.data.shape(), data)}


@cocotb.test
async def reads_what_was_written(dut):
    """Rounds of writes and reads; a read may cross rows, but not the memory's end."""
    rng   = random_of(91)
    cells = {(row, lane): 0 for row in range(ROWS) for lane in range(BANKS * WAYS)}
    await start(dut)
    for _ in range(10):
        idle = {"write": 0, "read": 0}
        await feed(dut, [*random_writes(rng, cells, 80), idle], [], 0)
        reads = []
        for _ in range(80):
            wide  = rng.randrange(2)
            row   = rng.choice([row for row in USED if row not in (5, ROWS - 1)])
            index = row if wide else 2 * row + rng.randrange(2)
            zero  = 0 if wide else rng.choice([0, 1, -128, 127, 32640, -32640])
            address = index * BANKS + rng.randrange(BANKS)
            lanes, crossed = rng.choice([(0, 0), (1, 0), (0, 1)])
            reads.append({"address": address, "wide": wide, "zero": zero, "lanes": lanes,
                          "crossed": crossed, "one": int(rng.random() < 0.1)})
        shape = X.read.shape()
        results = await feed(dut, [{"read": encode(shape, read)} for read in reads], ["o"],
                             XMemory.LATENCY)
        for read, result in zip(reads, results, strict=True):
            assert decode(X.o.shape(), result["o"]) == expect(cells, **read), read
        results = await feed(dut, [{"read": encode(shape, read)} for read in reads], ["elements"],
                             XMemory.PLAIN)
        for read, result in zip(reads, results, strict=True):
            if read["lanes"]:
                groups = expect(cells, **read | {"one": 0})
                plain  = decode(X.elements.shape(), result["elements"])
                first  = WAYS * (read["address"] % BANKS)
                assert plain[first:] + plain[:first] == [*chain(*groups)], read


@cocotb.test
async def writes_to_y_pass_by(dut):
    """A write whose ``x`` is 0 changes nothing."""
    await start(dut)
    one  = {**write_of(2, 1, 1, 3)[0], "x": 0, "y": 1}
    data = encode(X.data.shape(), [0x7FFF] * WAYS)
    await feed(dut, [{"write": encode(X.write.shape(), write_of(2, 1, 1, 3)), "data": 0},
                     {"write": encode(Write(WAYS), one), "data": data}, {"write": 0}], [], 0)
    read = encode(X.read.shape(), {"address": 2 * BANKS + 1, "wide": 1})
    (result,) = await feed(dut, [{"read": read}], ["o"], XMemory.LATENCY)
    assert decode(X.o.shape(), result["o"])[0][0] == 0
