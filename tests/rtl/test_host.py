# SPDX-License-Identifier: Apache-2.0
"""The host beside the array: byte strobes, refused addresses, reads and writes during a run."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.beside_a_run import BASES, LONG, PASS, assert_cells, begin, end
from tests.support.rtl_device import assert_same, fill, noise, run_machine, run_rtl
from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac.hdl.config import SIZES, TINY
from xymac.hdl.isa import (
    PASS_STRIDE,
    TABLE_ENTRIES,
    TRACE_STRIDE,
    Access,
    Flag,
    Memory,
    Region,
    Register,
    Table,
)
from xymac.sim.rtl.device import RtlDevice
from xymac.sim.rtl.harness import SimulationError

#: Writes a group in each of its cycles; and in four of five.
FULL, DENSE = (replace(PASS, outer=(2, 30, 20), taps=(1, 1, steps),
                       z=replace(PASS.epilogue.z, outer=(8, 8, 4), high=600)) for steps in (1, 5))


@each_name
def test_every_byte_strobe(rtl, size):
    """Random words, with each of the 16 masks, over both memories to their ends."""
    device = rtl(size)
    device.harness.reset()
    fill(device, 1)
    expected, rng = noise(device.config, 1), random_of(2)
    for memory, cells in expected.items():
        text  = cells.view(np.uint8).reshape(-1, 4)
        words = np.unique([0, 1, *rng.integers(0, len(text), 300), len(text) - 1])
        data  = rng.integers(0, 1 << 32, words.size, dtype=np.uint32)
        masks = np.arange(words.size) % 16
        device.harness.write(BASES[memory] + 4 * words, data, masks)
        chosen = (masks[:, None] >> np.arange(4) & 1).astype(bool)
        text[words] = np.where(chosen, data.view(np.uint8).reshape(-1, 4), text[words])
        np.testing.assert_array_equal(device.harness.read(BASES[memory] + 4 * words),
                                      text[words].copy().view(np.uint32)[:, 0])

    assert_cells(device, expected)


NOTHING = {
    "register": Register.FEATURES.value + 4, "register below counters": Register.CYCLES.value - 4,
    "register above": Register.HOST.value + 4, "registers": 0x100, "hole": 0xFFFC,
    "program": Region.PROGRAM.value + 8 * PASS_STRIDE * TINY.passes,
    "trace": Region.TRACE.value + 4 * TRACE_STRIDE * TINY.passes,
    "behind tables": Region.TABLES.value + 2 * TABLE_ENTRIES,
    "behind places": Region.PLACES.value + 4 * len(Table),
    "below x": Region.X.value - 4, "x": Region.X.value + TINY.x_bytes,
    "below y": Region.Y.value - 4, "y": Region.Y.value + TINY.y_bytes, "last": 0x3FFFFC}


@pytest.mark.parametrize("where", NOTHING)
def test_addresses_without_anything(device, where):
    """Refused, changing nothing, and the next request is answered."""
    fill(device, 1)
    with pytest.raises(SimulationError, match=f"refused a request to {NOTHING[where]:#x}$"):
        device.harness.read(np.array([NOTHING[where]]))
    with pytest.raises(SimulationError, match="refused a request"):
        device.harness.write(NOTHING[where], 0x12345678)
    device.harness.read(np.array([Register.IDENTITY.value]))
    assert_cells(device, noise(TINY, 1))


@pytest.mark.parametrize("run", [False, True])
def test_program_is_not_read_and_trace_not_written(device, run):
    """A program still runs after the refusal, and its trace is what it was."""
    device.load_program([PASS])
    expected = device.run()
    if run:
        device.start()
    for offset in (0, 8 * PASS_STRIDE * TINY.passes - 4):
        with pytest.raises(SimulationError, match="refused"):
            device.harness.read(np.array([Region.PROGRAM.value + offset]))
    for word in (0, TRACE_STRIDE - 1, TRACE_STRIDE * TINY.passes - 1):
        with pytest.raises(SimulationError, match="refused"):
            device.harness.write(Region.TRACE.value + 4 * word, 0)
    assert (end(device) if run else device.run()) == expected


@each_name
def test_whole_program_over_the_bus(size):
    """Nothing but requests: memories, program, start, results."""
    config = SIZES[size]
    first  = replace(PASS, last=False)
    second = replace(PASS, x=replace(PASS.operands.x, base=220, low=200, high=439), wait=True,
                     z=Access(4000, 4000, 4239, outer=(8, 0, 4)), z_memory=Memory.Y, bias_row=40)
    with RtlDevice(config, backdoor=False) as bus, RtlDevice(config) as behind:
        fill(behind, 1)
        for memory, rows in ((Memory.X, (0, 1500)), (Memory.Y, (0, 4 * 1500))):
            bus.write_cells(memory, *(rows[0], noise(config, 1)[memory][slice(*rows)]))
        bus.load_program([first, second], 7)
        result = bus.run(7)
        expected = run_rtl(behind, [first, second], first=7)

        assert result == expected.result
        for memory, count in ((Memory.X, 1500), (Memory.Y, 6000)):
            np.testing.assert_array_equal(bus.read_cells(memory, 0, count),
                                          expected.cells[memory][:count])


@each_name
@pytest.mark.parametrize("cycles", [1, 30, 60, 95, 140, 400])
def test_a_program_after_a_reset_in_another(rtl, size, cycles):
    """Nothing of the first one comes out of the stages that have no reset."""
    device = rtl(size)
    fill(device, 1)
    device.load_program([DENSE])
    device.start()
    device.harness.run(cycles)
    device.harness.reset()

    assert_same(run_rtl(device, [PASS], seed=6), run_machine(device.config, [PASS], seed=6), [PASS])


def burst(device, memory, cells, count, seed=3):
    """Write ``count`` random words over ``cells`` (first, end), one word twice; returns cells."""
    rng   = random_of(seed)
    words = rng.integers(cells[0] // 2, cells[1] // 2, count)
    data  = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    device.harness.write(BASES[memory] + 4 * words, data)
    return words, data


def apply(expected, memory, writes):
    """What a burst leaves: later writes win."""
    view = expected[memory].view(np.uint32)
    for word, data in zip(*writes, strict=True):
        view[word] = data


@pytest.mark.parametrize("pass_", [PASS, DENSE], ids=["few results", "dense results"])
@pytest.mark.parametrize("memory", Memory)
def test_writes_outside_every_window(device, pass_, memory):
    """Hundreds of writes during a run, in rows next to the windows: all land, none is a hit."""
    expected = begin(device, pass_)
    # 8-bit groups 0 to 607 of X lie in rows 0 to 75, words 0 to 99 of Y in rows 0 to 49.
    cells  = {Memory.X: (76 * 4, 8192), Memory.Y: (50 * 4, 16384)}[memory]
    writes = burst(device, memory, cells, 250)
    apply(expected, memory, writes)
    low = np.full(1, cells[0] // 2), np.array([0x89ABCDEF], np.uint32)
    device.harness.write(BASES[memory] + 4 * low[0], low[1])
    apply(expected, memory, low)

    result = end(device)

    assert result.flags == Flag(0)
    assert_cells(device, expected)


@pytest.mark.parametrize("memory", Memory)
def test_writes_wait_while_every_cycle_writes_a_result(device, memory):
    """The array never leaves a cycle; what the host wrote is there all the same."""
    expected = begin(device, FULL)
    for step in range(8):
        apply(expected, memory, burst(device, memory, (400, 8192), 40, seed=step))
    if not device.harness.irq:
        device.harness.run(1_000_000)

    assert device.finish().flags == Flag(0)
    assert_cells(device, expected)


@pytest.mark.parametrize("count", [1, 150])
def test_reads_during_a_run(device, count):
    """Right data, two cycles a word on the array, results as without them."""
    expected = begin(device, LONG)
    before, rng = noise(TINY, 1), random_of(4)
    for memory, first in ((Memory.X, 240), (Memory.Y, 0)):
        words = rng.integers(first // 2, len(before[memory]) // 2, count)
        contents = device.harness.read(BASES[memory] + 4 * words)
        np.testing.assert_array_equal(contents, before[memory].view(np.uint32)[words])

    result = end(device)

    assert result.counters["host"] == 2 * 2 * count
    assert result.flags == Flag(0)
    assert_cells(device, expected)


def test_reads_and_writes_in_turn(device):
    """A read that follows a write of the same word sees it, during a run and after."""
    expected = begin(device, DENSE)
    for step in range(60):
        memory = list(Memory)[step % 2]
        word   = 2000 + step
        device.harness.write(BASES[memory] + 4 * word, 0xC0DE0000 + step)
        apply(expected, memory, ([word], [0xC0DE0000 + step]))
        assert device.harness.read(np.array([BASES[memory] + 4 * word])) == 0xC0DE0000 + step

    result = end(device)

    assert (result.flags, result.counters["host"]) == (Flag(0), 120)
    assert_cells(device, expected)
