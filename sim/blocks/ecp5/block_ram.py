# SPDX-License-Identifier: Apache-2.0
"""Bench for the ECP5 block RAM model, against lists of its 2,048 9-bit bytes."""


import cocotb

from xymac.sim.agents.ecp5_cells import CONTENT
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

WIDTHS = [int(width) for width in cocotb.plusargs["widths"].split(",")]
MODE   = cocotb.plusargs["mode"]
LATE   = cocotb.plusargs["registered"]  # ports with output registers
EDGES  = [0, 0x3FFF, 0x2000, 0x1FFF]


def places(width, address):
    """Parts of the element at ``address``: (byte, first bit, bit count) each."""
    if width >= 9:
        count = width // 9
        return [((address >> 3) // count * count + part, 0, 9) for part in range(count)]
    return [(address >> 3, address % 8 // width * width, width)]


def read(memory, width, address):
    """Element at ``address``."""
    value = shift = 0
    for byte, bit, count in places(width, address):
        value |= (memory[byte] >> bit & (1 << count) - 1) << shift
        shift += count
    return value


def write(memory, width, address, data):
    """Write the element at ``address``; returns the written (byte, bit) pairs."""
    written = set()
    for part, (byte, bit, count) in enumerate(places(width, address)):
        if width <= 9 or address >> part & 1:
            field = (1 << count) - 1
            memory[byte] = memory[byte] & ~(field << bit) | (data >> 9 * part & field) << bit
            written |= {(byte, index) for index in range(bit, bit + count)}
    return written


def expect(stimuli):
    """Both ports' outputs after each stimulus."""
    memory = [part for word in CONTENT for part in (word & 0x1FF, word >> 9)]
    a = b = 0
    outputs = []
    for item in stimuli:
        before, written = list(memory), set()
        if item["a_enable"] and item["a_write"]:
            written = write(memory, WIDTHS[0], item["a_address"], item["a_data"])
        if item["a_enable"] and not (item["a_write"] and MODE == "NORMAL"):
            source = memory if MODE == "WRITETHROUGH" else before
            a = read(source, WIDTHS[0], item["a_address"])
        if item["b_enable"]:
            for byte, bit in written:
                before[byte] ^= 1 << bit
            b = read(before, WIDTHS[1], item["b_address"])
        outputs.append((a, b))
    before = [(0, 0), *outputs]
    return [(before[n][0] if "A" in LATE else a, before[n][1] if "B" in LATE else b)
            for n, (a, b) in enumerate(outputs)]


def stimuli(rng):
    """Reads of the initial content, then writes and reads, mostly at a few addresses."""
    for address in range(0, 1 << 14, 5):
        yield {"a_enable": 1, "a_write": 0, "b_enable": 1, "a_address": address,
               "b_address": 0x3FFF - address, "a_data": 0}
    near = [*EDGES, *(rng.getrandbits(14) for _ in range(4))]
    for _ in range(4000):
        yield {"a_enable": rng.random() < 0.8, "a_write": rng.random() < 0.6,
               "b_enable": rng.random() < 0.8, "a_address": rng.choice(near) ^ rng.getrandbits(5),
               "b_address": rng.choice(near) ^ rng.getrandbits(5), "a_data": rng.getrandbits(36)}


@cocotb.test
async def elements(dut):
    """Check both ports after every cycle; at 36 bits port A is half of B's element, not checked."""
    given = list(stimuli(random_of(102)))
    await start(dut)
    results = await feed(dut, given, ["a", "b"], 1)
    for item, result, (a, b) in zip(given, results, expect(given), strict=True):
        assert result["b"] == b, item
        assert WIDTHS[0] == 36 or result["a"] == a, item
