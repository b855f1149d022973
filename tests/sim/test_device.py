# SPDX-License-Identifier: Apache-2.0
"""The RTL as a device: its back door, bus, faults and waveforms."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest

from tests.support.random_passes import random_pass, without_faults
from tests.support.rtl_device import fill, noise, place_tables
from tests.support.seed import SEED, random_of
from xymac.hdl.config import BASE, TINY, CoreConfig
from xymac.hdl.isa import COUNTERS, Access, Memory, Pass, Region, State, Status
from xymac.host.device.device import DeviceError, MachineDevice
from xymac.sim.benchmarks.measure import measure
from xymac.sim.rtl.backdoor import Backdoor, memory_names
from xymac.sim.rtl.device import RtlDevice

LINE = Access(0, 0, 63, outer=(1, 0, 0), taps=(0, 0, 1))
PASS = Pass(x=LINE, y=Access(0, 0, 63, taps=(0, 0, 1)), z=Access(100, 100, 163, outer=(4, 0, 0)),
            outer=(10, 1, 1), taps=(1, 1, 16), shift=9, last=True)


@pytest.fixture
def on_the_bus(device):
    """The same core, its memories reached by requests."""
    bus = RtlDevice(TINY, backdoor=False)
    yield bus
    bus.close()


def cells_of(rng, count):
    return rng.integers(0, 1 << 16, count, dtype=np.uint16)


@pytest.mark.parametrize("memory", Memory)
@pytest.mark.parametrize(("start", "count"), [
    (0, 1), (1, 1), (1, 2), (3, 8), (4, 4), (5, 0), (8188, 9), (8191, 1)])
def test_back_door_and_bus_agree(on_the_bus, memory, start, count):
    start = min(start, 8192 - count)
    rng, whole = random_of(start + count), RtlDevice(TINY)
    before, cells = cells_of(rng, 8192), cells_of(rng, count)
    expected = before.copy()
    expected[start:start + count] = cells
    bus = on_the_bus

    with whole:
        for device in (bus, whole):
            device.write_cells(memory, max(start - 4, 0), before[max(start - 4, 0):start + 12])
            device.write_cells(memory, start, cells)
            around = slice(max(start - 4, 0), min(start + 12, 8192))
            contents = device.read_cells(memory, around.start, around.stop - around.start)
            np.testing.assert_array_equal(contents, expected[around])
            np.testing.assert_array_equal(device.read_cells(memory, start, count), cells)


def test_cells_written_behind_are_read_in_front(on_the_bus):
    """Row 2048 of Y and beyond lie in a second memory; each way in with each way out."""
    rng  = random_of(5)
    back = Backdoor(on_the_bus.harness, TINY)
    for memory, start in ((Memory.X, 4 * 2047 - 3), (Memory.Y, 4 * 2048 - 5), (Memory.Y, 16371)):
        first, second = cells_of(rng, 7), cells_of(rng, 7)
        back.write_cells(memory, start, first)
        np.testing.assert_array_equal(on_the_bus.read_cells(memory, start, 7), first)
        on_the_bus.write_cells(memory, start, second)
        on_the_bus.harness.spin(64)  # An answered write is under way to its lane.
        np.testing.assert_array_equal(back.read_cells(memory, start, 7), second)


@pytest.mark.parametrize("memory", Memory)
def test_cells_outside(device, memory):
    size = {Memory.X: 8192, Memory.Y: 16384}[memory]
    with pytest.raises(ValueError, match=rf"must lie between 0 and {size - 1}, not {size - 1} to"):
        device.write_cells(memory, size - 1, np.zeros(2, np.uint16))
    with pytest.raises(ValueError, match=r"not -1 to 0$"):
        device.read_cells(memory, -1, 2)


@pytest.mark.parametrize("way", ["back door", "bus"])
def test_program_equals_machine(device, on_the_bus, way):
    rng = random_of(6)
    rtl = device if way == "back door" else on_the_bus
    with MachineDevice(TINY) as machine:
        for one in (rtl, machine):
            rng = random_of(6)
            one.write_cells(Memory.X, 0, cells_of(rng, 8192))
            one.write_cells(Memory.Y, 0, cells_of(rng, 16384))
            one.load_program([PASS], first=3)
        result, expected = rtl.run(3), machine.run(3)

        assert (result.state, result.status, result.flags) == (State.DONE, Status.OK,
                                                               expected.flags)
        np.testing.assert_array_equal(rtl.read_cells(Memory.X, 0, 8192),
                                      machine.read_cells(Memory.X, 0, 8192))
    counters = result.counters
    assert tuple(counters) == COUNTERS
    assert counters["issued"] == 160
    assert counters["cycles"] == sum(counters.values()) - counters["cycles"]
    (record,) = result.trace
    assert record.counters["issued"] == 160
    assert record.counters["cycles"] < record.written <= counters["cycles"]


def random_programs(count):
    """Programs of one to six random passes, every other one with faults, and where each begins."""
    rng = random_of(7)
    for number in range(count):
        size, draw = int(rng.integers(1, 7)), (random_pass, without_faults)[number % 2]
        passes = [replace(draw(rng, TINY), last=index == size - 1) for index in range(size)]
        yield passes, int(rng.integers(0, 32 - size))


def test_back_door_and_bus_tell_the_same_of_a_program(device, on_the_bus):
    ended, traced = set(), 0
    for passes, first in random_programs(40):
        results = []
        for one in (device, on_the_bus):
            one.harness.reset()
            back = Backdoor(one.harness, TINY)
            for memory, cells in noise(TINY, 3, passes).items():
                back.write_cells(memory, 0, cells)
            place_tables(one, 3)
            one.load_program(passes, first)
            results.append(one.run(first, max_cycles=100_000))
        assert results[0] == results[1], (passes, first)
        ended.add(results[0].state)
        traced += len(results[0].trace)
    assert ended == {State.DONE, State.FAULT}
    assert traced > 40


def test_trace_is_not_read_over_the_bus(device, monkeypatch):
    asked, read = [], device.harness.read
    monkeypatch.setattr(device.harness, "read",
                        lambda addresses: asked.extend(addresses) or read(addresses))
    device.load_program([PASS])

    result = device.run()

    assert len(result.trace) == 1
    assert 0 < max(asked) < Region.PROGRAM.value


def outcome_in_another_process(seed):
    """Run ``PASS`` on a core of this process, with the noise of ``seed``."""
    SEED.use(seed)
    with RtlDevice(TINY) as device:
        fill(device, 4)
        device.load_program([PASS])
        return device.run(), device.read_cells(Memory.X, 0, 8192).tobytes()


def test_processes_do_not_disturb_each_other(device):
    expected = outcome_in_another_process(SEED.value)

    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert [*pool.map(outcome_in_another_process, [SEED.value] * 3)] == [expected] * 3


def test_fault_is_reported_and_cleared(device):
    device.load_program([replace(PASS, taps=(1, 1, 16), outer=(2, 1, 1), last=False),
                         replace(PASS, taps=(1, 1, 65))])
    for _ in range(2):
        result = device.run()
        assert (result.state, result.status, result.pass_index) == (State.FAULT, Status.X_ACCESS, 1)
        assert len(result.trace) == 1
        with pytest.raises(DeviceError, match=r"at pass 1 with status X_ACCESS"):
            result.check()


def test_too_long(device):
    device.load_program([PASS])
    with pytest.raises(DeviceError, match=r"^The program did not end within 20 cycles$"):
        device.run(max_cycles=20)
    assert device.run().state is State.DONE


def test_program_too_long(device):
    with pytest.raises(ValueError, match=r"^Passes must lie between 0 and 31, not 31 to 32$"):
        device.load_program([PASS, PASS], first=31)


def test_memory_names():
    assert sum(name.startswith("y_tail") for name in memory_names(BASE)) == 16
    flat = CoreConfig("flat", ways=1, x_rows=512, y_rows=2048, passes=2)
    assert memory_names(flat) == ["program", "trace", *(f"x_{lane}" for lane in range(4)),
                                  *(f"y_main_{lane}" for lane in range(4))]


def test_measure():
    harness, bare = measure(TINY)
    assert harness > 10_000
    assert bare > 10_000
