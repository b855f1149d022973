# SPDX-License-Identifier: Apache-2.0
"""Stimuli aimed at crosses of the core: the host in every state, faults at every moment."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tests.rtl.test_faults import FAULTS, GOOD, status_of, write_register
from tests.rtl.test_stop import LONG, stop
from tests.support.rtl_device import fill, noise, outcome
from tests.support.sizes import between
from xymac.hdl.isa import (
    FREE_ENTRY,
    OWN_TABLES,
    Access,
    Axis,
    Control,
    Memory,
    Region,
    Register,
    State,
    Status,
)
from xymac.host.device.device import MachineDevice
from xymac.sim.rtl.harness import SimulationError

sizes  = pytest.mark.parametrize("size", ["tiny", between("base")])
FAULTY = replace(GOOD, shift=41)
#: Faults of all sizes: names in ``FAULTS``, and a table without a place.
NAMES  = ("opcode", "count OUTER0", "shift left", "empty window", "x above", "y above", "z above",
          "empty at once", "table")


@pytest.fixture
def core(rtl, size):
    """A core of a size after reset, its program memory cleared."""
    device = rtl(size)
    device.harness.reset()
    device.harness.memory("program")[:] = 0
    return device


def enter(device, state):
    """Bring a core after reset into a state."""
    fill(device, 1)
    if state is State.IDLE:
        return
    device.load_program([{State.BUSY: LONG, State.DONE: GOOD, State.FAULT: FAULTY}[state]])
    device.start()
    if state is not State.BUSY:
        device.harness.run(10_000)
    assert status_of(device)[0] is state


def refused(device, address):
    with pytest.raises(SimulationError, match="refused"):
        device.harness.read(np.array([address]))
    with pytest.raises(SimulationError, match="refused"):
        device.harness.write(address, 0)


@sizes
@pytest.mark.parametrize("state", State)
def test_every_access_in_every_state(core, state):
    """Memories and registers answer as ever; what is not there is refused; the state stays."""
    enter(core, state)
    rng = np.random.default_rng(state.value)
    for region, cells in ((Region.X, core.config.x_bytes), (Region.Y, core.config.y_bytes)):
        address = region.value + cells - 4
        word    = int(rng.integers(1 << 32))
        core.harness.write(address, word)
        assert int(core.harness.read(np.array([address]))[0]) == word
    core.harness.write(Region.PROGRAM.value + 8 * 16 * (core.config.passes - 1), 0)
    core.harness.write(Region.TABLES.value + 4 * (FREE_ENTRY // 2 + 1), 0)
    core.harness.write(Region.PLACES.value, 0)
    core.harness.read(np.array([Region.TRACE.value]))
    for mask in (1, 0):
        write_register(core, Register.IRQ_MASK, mask)
        assert int(core.harness.read(np.array([Register.IRQ_MASK.value]))[0]) == mask
    for address in (Region.PLACES.value + 0x8000, 1, 2):  # the first register has the address 0
        refused(core, address)
    assert status_of(core)[0] is state


@sizes
@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("command", [Control.START, Control.CLEAR, Control.STOP])
def test_every_command_in_every_state(core, state, command):
    """A command that a state has no use for changes nothing."""
    enter(core, state)
    write_register(core, Register.CONTROL, command.value)
    core.harness.spin(2000)
    expected = {(State.IDLE, Control.START): State.FAULT,  # there is no operation
                (State.BUSY, Control.STOP): State.FAULT, (State.DONE, Control.CLEAR): State.IDLE,
                (State.FAULT, Control.CLEAR): State.IDLE}
    assert status_of(core)[0] is expected.get((state, command), state)


def prepare(device, name, before):
    """Load a program whose last pass has a fault, behind so many good passes."""
    changes = {"table": OWN_TABLES[0]} if name == "table" else FAULTS[name][0]
    fill(device, 2)
    if name == "table":
        device.place_table(OWN_TABLES[0], None)
    device.load_program([replace(GOOD, last=False)] * before + [replace(GOOD, **changes)])


def poll(device):
    """Read cells beyond those of the programs; they hold their noise."""
    start = device.config.x_bytes // 2 - 400
    words = device.harness.read(Region.X.value + 2 * start + 4 * np.arange(200))
    cells = noise(device.config, 2)[Memory.X][start:start + 400]
    np.testing.assert_array_equal(words, cells.view(np.uint32))


@sizes
@pytest.mark.parametrize("polls", [False, True])
@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_every_fault_while_the_host_reads(core, name, before, polls):
    """In the first pass and a later one; reads are right, and the fault is that of the machine."""
    with MachineDevice(core.config) as machine:
        prepare(machine, name, before)
        expected = machine.run()
    prepare(core, name, before)
    core.start()
    if polls:
        poll(core)
    core.harness.run(10_000)
    result = core.finish()
    assert outcome(result) == outcome(expected)
    assert result.status is (Status.TABLE if name == "table" else FAULTS[name][1])
    assert result.pass_index == before


@sizes
@pytest.mark.parametrize("polls", [False, True])
@pytest.mark.parametrize("beyond", [0, 1])
def test_the_end_of_program_memory_while_the_host_reads(core, beyond, polls):
    """At once, and behind a pass."""
    fill(core, 2)
    core.load_program([replace(GOOD, last=False)], core.config.passes - 1)
    core.start(core.config.passes - 1 + beyond)
    if polls:
        poll(core)
    core.harness.run(10_000)
    assert core.finish(core.config.passes - 1 + beyond).status is Status.END


@sizes
@pytest.mark.parametrize("before", [0, 1])
def test_a_stop_while_the_host_reads(core, before):
    program = [replace(GOOD, last=False)] * before + [LONG]
    fill(core, 3)
    core.load_program(program)
    core.start()
    core.harness.spin(1500)
    write_register(core, Register.CONTROL, Control.STOP.value)
    core.harness.read(Region.X.value + 4 * np.arange(200))
    core.harness.run(10_000)
    result = core.finish()
    assert (result.status, result.pass_index) == (Status.STOPPED, before)


#: A pass whose second output faults after as many steps as the first has.
LATE = replace(GOOD, outer=(1, 2, 1), x=Access(0, 0, 99), y=Access(0, 0, 99),
               z=Access(200, 200, 239, outer=(0, 8, 0)), bias_row=None, last=False)
MOMENTS = {
    Status.X_ACCESS: {"x": Access(0, 0, 99, outer=(0, 200, 0))},
    Status.Y_ACCESS: {"y": Access(0, 0, 99, outer=(0, 200, 0))},
    Status.Z_ACCESS: {"z": Access(200, 200, 203, outer=(0, 8, 0))},
    Status.EMPTY:    {"rows": Axis(0, 1, 1)},
}


@sizes
@pytest.mark.parametrize("status", MOMENTS)
def test_a_fault_at_every_moment_of_fetch(core, status):
    """A pass behind a good one faults later and later, while fetch loads the passes behind it."""
    good = replace(GOOD, last=False, outer=(1, 1, 1))
    for steps in range(1, 150):
        program = [good, replace(LATE, taps=(1, 1, steps), **MOMENTS[status])] + [good] * 4
        fill(core, 4)
        core.load_program([*program, replace(GOOD, last=True)])
        core.start()
        core.harness.run(10_000)
        result = core.finish()
        assert (result.status, result.pass_index) == (status, 1), steps


@sizes
def test_a_write_fault_as_fetch_claims_a_slot(core):
    """The first output of a pass faults soon after the last result before it.

    This result frees a slot, which fetch claims four cycles later; then it loads and judges. The
    output before it has enough steps that all slots are full, and the next ones follow without a
    gap: they do not end a pass.
    """
    before = replace(LATE, outer=(1, 1, 1), taps=(1, 1, 400))
    for steps, beat in itertools.product(range(1, 40), range(4)):
        z     = Access(200, 200, 199 + beat) if beat else Access(199, 200, 200)
        fault = replace(LATE, taps=(1, 1, steps), z=z)
        fill(core, 4)
        core.load_program([before, fault, *[before] * 4, replace(GOOD, last=True)])
        core.start()
        core.harness.run(10_000)
        result = core.finish()
        assert (result.status, result.pass_index) == (Status.Z_ACCESS, 1), (steps, beat)


@sizes
def test_a_stop_at_every_moment_of_fetch(core):
    """Fetch waits, claims a slot, loads or judges as the stop comes."""
    program = [replace(GOOD, last=False, outer=(1, 1, 1))] * 6 + [LONG]
    for cycles in range(300):
        fill(core, 5)
        core.load_program(program)
        core.start()
        core.harness.spin(cycles)
        stop(core)
        result = core.finish()
        assert result.status is Status.STOPPED
        assert result.pass_index < len(program)
