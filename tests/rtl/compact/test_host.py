# SPDX-License-Identifier: Apache-2.0
"""The host of the compact core: its registers, memories beside a run, the trace."""

from dataclasses import replace

import numpy as np
import pytest

from tests.rtl.test_faults import GOOD, status_of, write_register
from tests.support.beside_a_run import BASES, LONG, PASS, assert_cells, begin, end
from tests.support.rtl_device import assert_counters, assert_same, fill, noise, run_machine, run_rtl
from xymac.hdl.compact.core import Compact
from xymac.hdl.compact.memory import Cells
from xymac.hdl.config import COMPACT, SMALL
from xymac.hdl.isa import TRACE_STRIDE, Control, Flag, Memory, Region, Register, State, Status
from xymac.sim.rtl.device import RtlDevice
from xymac.sim.rtl.harness import SimulationError


def test_whole_program_over_the_bus(core):
    """Nothing but requests: memories, program, start, results."""
    with RtlDevice(COMPACT, backdoor=False) as bus:
        for memory in Memory:
            bus.write_cells(memory, 0, noise(COMPACT, 1)[memory][:1000])
        fill(core, 1)
        bus.load_program([PASS], 7)

        assert bus.run(7) == run_rtl(core, [PASS], first=7).result

        np.testing.assert_array_equal(bus.read_cells(Memory.X, 101, 499),
                                      core.read_cells(Memory.X, 101, 499))


def test_constant_registers(device):
    words = device.harness.read(4 * np.arange(Register.FEATURES.value // 4 + 1)).tolist()

    assert words == [0x434D5958, 2, 1 | 32 << 8, 2048 | 4096 << 16, 0, 0, 0, 0, 0, 7 | 1 << 8,
                     0xF0F_000E, 16]


def test_registers_keep_what_they_have_bits_for(device):
    for register, bits in ((Register.IRQ_MASK, 1), (Register.FIRST, 0x3F), (Register.FLAGS, 0),
                           (Register.CYCLES, 0)):
        device.harness.write(register.value, 0xFFFF_FFFF, 0b0001)
        assert device.harness.read(np.array([register.value])) == bits
    with pytest.raises(SimulationError, match="refused"):
        device.harness.write(Register.FEATURES.value + 4, 0)


def test_start_beyond_a_fault_waits_for_a_clear(device):
    """A start in state FAULT does nothing; after the clear it does."""
    device.load_program([GOOD, replace(GOOD, shift=41)])
    device.start(1)
    device.harness.run(10_000)
    assert status_of(device) == (State.FAULT, Status.SHIFT)
    fill(device, 1)

    device.start(0)
    device.harness.spin(5000)

    assert status_of(device) == (State.FAULT, Status.SHIFT)
    assert_cells(device, noise(COMPACT, 1))
    write_register(device, Register.CONTROL, Control.CLEAR.value)
    assert status_of(device) == (State.IDLE, Status.OK)
    assert not device.harness.irq
    assert device.run(0).state is State.DONE


def test_clear_and_start_are_ignored_during_a_run(device):
    device.load_program([PASS])
    fill(device, 3)
    device.start(0)
    for value in (Control.START, Control.CLEAR):
        write_register(device, Register.CONTROL, value.value)
    assert status_of(device)[0] is State.BUSY

    assert end_of(device) == run_machine(COMPACT, [PASS], seed=3).result.state


def end_of(device):
    """State in which the program that runs ends."""
    device.harness.run(1_000_000)
    return device.finish().state


@pytest.mark.parametrize("memory", Memory)
def test_writes_and_reads_beside_a_run(device, memory):
    """All writes outside of the windows land, none is a hit; reads see them at once."""
    expected = begin(device, LONG)
    first = {Memory.X: 76 * 4, Memory.Y: 50 * 4}[memory]
    for step in range(40):
        word = first // 2 + 3 * step
        device.harness.write(BASES[memory] + 4 * word, 0xC0DE0000 + step)
        expected[memory].view(np.uint32)[word] = 0xC0DE0000 + step
        assert device.harness.read(np.array([BASES[memory] + 4 * word])) == 0xC0DE0000 + step

    assert end(device).flags == Flag(0)
    assert_cells(device, expected)


def test_window_of_a_pass_is_free_when_it_is_written(device):
    first = replace(PASS, outer=(1, 1, 1), last=False,
                          z=replace(PASS.epilogue.z, base=800, low=800, high=1039))
    for cycles, flags in ((60, Flag.HOST_HIT), (6000, Flag(0))):
        fill(device, 1)
        device.load_program([first, LONG])
        device.start()
        device.harness.spin(cycles)
        device.harness.write(BASES[Memory.X] + 2 * 404, 0)

        assert end(device).flags == flags


def test_trace_of_every_pass(device):
    """Each record is later than the one before, the counters later than the last; all add up."""
    program = [replace(PASS, last=False), replace(PASS, wait=True)]
    run = run_rtl(device, program, seed=2)

    assert_same(run, run_machine(COMPACT, program, seed=2), program)
    assert_counters(run.result)
    steps = PASS.loop.outer[0] * PASS.loop.outer[2] * PASS.loop.taps[2]
    assert [record.counters["issued"] for record in run.result.trace] == [steps, 2 * steps]
    assert run.result.trace[1].written < run.result.counters["cycles"]
    words = np.arange(TRACE_STRIDE * 2)
    device.harness.read(Region.TRACE.value + 4 * words)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Compact(SMALL), "has the size compact, not small"),
    (lambda: Cells(vendor="ecp5"), "must be None or 'ice40', not 'ecp5'")])
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
