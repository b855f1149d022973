"""The host beside the array: byte strobes, refused addresses, reads and writes during a run."""

from dataclasses import replace

import numpy as np
import pytest

from hdl.config import SIZES, TINY
from hdl.isa import (
    PASS_STRIDE,
    TRACE_STRIDE,
    Access,
    Flag,
    Memory,
    Pass,
    Region,
    Register,
    Shape,
    State,
    Width,
)
from sim.device import RtlDevice
from sim.harness import SimulationError
from tests.rtl_device import assert_counters, fill, noise, run_machine, run_rtl, sizes_of

BASES = {Memory.X: Region.X.value, Memory.Y: Region.Y.value}
#: Reads groups 0 to 99 of X and words 0 to 99 of Y, writes groups 200 to 439 of X.
PASS = Pass(x=Access(0, 0, 99, taps=(0, 0, 1)), y=Access(0, 0, 99, taps=(0, 0, 1)),
            z=Access(200, 200, 439, outer=(8, 0, 4)), outer=(30, 1, 2), taps=(1, 1, 80), shift=9,
            last=True)
LONG = replace(PASS, taps=(1, 5, 80))
#: Writes a group in each of its cycles; and in four of five.
FULL, DENSE = (replace(PASS, outer=(2, 30, 20), taps=(1, 1, steps),
                       z=replace(PASS.z, outer=(8, 8, 4), high=600)) for steps in (1, 5))


@pytest.fixture
def device(rtl):
    """A core of size tiny after reset."""
    device = rtl("tiny")
    device.harness.reset()
    return device


def cells_of(device):
    return {memory: device.read_cells(memory, 0, size)
            for memory, size in sizes_of(device.config).items()}


def settle(device):
    """Let the last answered write arrive."""
    device.harness.spin(64)


def assert_cells(device, expected):
    settle(device)
    for memory, cells in cells_of(device).items():
        np.testing.assert_array_equal(cells, expected[memory], memory.name)


def begin(device, pass_, seed=1):
    """Start a program of one pass on noise; returns the cells the machine ends with."""
    fill(device, seed)
    device.load_program([pass_])
    device.start()
    device.harness.spin(60)  # until it has been fetched
    return run_machine(device.config, [pass_], seed=seed).cells


def end(device):
    """Run to the interrupt; returns the RunResult. The program must still run."""
    assert not device.harness.irq
    device.harness.run(1_000_000)
    result = device.finish()
    assert result.state is State.DONE
    assert_counters(result)
    return result


@pytest.mark.parametrize("size", SIZES)
def test_every_byte_strobe(rtl, size):
    """Random words, with each of the 16 masks, over both memories to their ends."""
    device = rtl(size)
    device.harness.reset()
    fill(device, 1)
    expected, rng = noise(device.config, 1), np.random.default_rng(2)
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
    "register": Register.FIRST.value + 4, "register below counters": Register.CYCLES.value - 4,
    "register above": Register.HOST.value + 4, "registers": 0x100, "hole": 0xFFFC,
    "program": Region.PROGRAM.value + 8 * PASS_STRIDE * TINY.passes,
    "trace": Region.TRACE.value + 4 * TRACE_STRIDE * TINY.passes, "behind trace": 0x030000,
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


@pytest.mark.parametrize("size", SIZES)
def test_whole_program_over_the_bus(size):
    """Nothing but requests: memories, program, start, results."""
    config = SIZES[size]
    first  = replace(PASS, last=False)
    second = replace(PASS, x=replace(PASS.x, base=220, low=200, high=439), wait=True,
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


def burst(device, memory, cells, count, seed=3):
    """Write ``count`` random words over ``cells`` (first, end), one word twice; returns cells."""
    rng   = np.random.default_rng(seed)
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


#: A cell in the first and in the last row of each window, and one just outside of it.
WATCHED = {
    "x first": (Memory.X, 0, True), "x last": (Memory.X, 51, True),
    "x beyond": (Memory.X, 52, False), "y first": (Memory.Y, 0, True),
    "y last": (Memory.Y, 199, True), "y beyond": (Memory.Y, 200, False),
    "z below": (Memory.X, 98, False), "z first": (Memory.X, 100, True),
    "z last": (Memory.X, 219, True), "z beyond": (Memory.X, 220, False),
    "bias below": (Memory.Y, 3998, False), "bias first": (Memory.Y, 4000, True),
    "bias last": (Memory.Y, 4000 + 4 * 90 - 1, True), "bias beyond": (Memory.Y, 4360, False)}


@pytest.mark.parametrize("where", WATCHED)
def test_window_edges_are_watched(device, where):
    """A hit in any row of a window, and in no row beside it."""
    memory, cell, hit = WATCHED[where]
    begin(device, replace(PASS, bias_row=1000))
    device.harness.write(BASES[memory] + cell // 2 * 4, 0x5A5A5A5A, 0b11 << cell % 2 * 2)

    result = end(device)

    assert bool(result.flags & Flag.HOST_HIT) == hit
    settle(device)
    if not where.startswith("z "):
        assert device.read_cells(memory, cell, 1)[0] == 0x5A5A


@pytest.mark.parametrize("changes", [
    {"x_width": Width.BITS16, "x": replace(PASS.x, base=400, low=400, high=499)},
    {"y_width": Width.BITS16, "y": replace(PASS.y, base=3900, low=3900, high=3999)},
    {"y_shape": Shape.LANES, "y": replace(PASS.y, base=8000, low=8000, high=8099)},
    {"z_memory": Memory.Y, "z_width": Width.BITS16, "z": replace(PASS.z, base=9000, low=9000,
                                                                  high=9239)}], ids=str)
@pytest.mark.parametrize("side", ["below", "first", "last", "beyond"])
def test_windows_of_every_shape_are_watched(device, changes, side):
    """Rows of 4 cells: of words of Y, of 4 groups of X or Z; half as many for 8 bits."""
    begin(device, replace(PASS, **changes))
    name, access = next((name, item) for name, item in changes.items() if len(name) == 1)
    memory  = {"x": Memory.X, "y": Memory.Y, "z": Memory.Y}[name]
    units   = 1 if name == "y" else 4
    units  *= 1 + (changes.get(f"{name}_width", Width.BITS8) is Width.BITS8)
    first, last = access.low // units, access.high // units
    row = {"below": first - 1, "first": first, "last": last, "beyond": last + 1}[side]

    device.harness.write(BASES[memory] + 8 * row, 0)

    assert end(device).flags == (Flag.HOST_HIT if side in ("first", "last") else Flag(0))


@pytest.mark.parametrize("cycles", [60, 400])
def test_window_of_a_pass_is_free_when_it_is_written(device, cycles):
    """The first pass takes some 200 cycles from its fetch on, the second one thousands."""
    first = replace(PASS, outer=(1, 1, 1), last=False,
                    z=replace(PASS.z, base=800, low=800, high=1039))
    fill(device, 1)
    device.load_program([first, LONG])
    device.start()
    device.harness.spin(cycles)
    device.harness.write(BASES[Memory.X] + 2 * 404, 0)  # of row 101; group 800 lies in row 100

    assert end(device).flags == (Flag.HOST_HIT if cycles == 60 else Flag(0))


def test_write_of_the_program_during_a_run_is_a_hit(device):
    expected = begin(device, PASS)
    device.harness.write(Region.PROGRAM.value + 8 * PASS_STRIDE * 9, 0)

    assert end(device).flags == Flag.HOST_HIT
    assert_cells(device, expected)
    assert device.run().flags == Flag(0)  # A start clears it.


@pytest.mark.parametrize("count", [1, 150])
def test_reads_during_a_run(device, count):
    """Right data, two cycles a word on the array, results as without them."""
    expected = begin(device, LONG)
    before, rng = noise(TINY, 1), np.random.default_rng(4)
    for memory, first in ((Memory.X, 240), (Memory.Y, 0)):
        words = rng.integers(first // 2, len(before[memory]) // 2, count)
        found = device.harness.read(BASES[memory] + 4 * words)
        np.testing.assert_array_equal(found, before[memory].view(np.uint32)[words])

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
