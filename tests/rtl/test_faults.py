# SPDX-License-Identifier: Apache-2.0
"""Every status of the RTL: what it says, what it leaves, and that the next program runs."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.rtl_device import (
    assert_same,
    fill,
    noise,
    outcome,
    run_machine,
    run_rtl,
    window_bytes,
)
from xymac.hdl.config import TINY
from xymac.hdl.isa import (
    PASS_STRIDE,
    PASS_WORDS,
    Access,
    AguMode,
    Axis,
    Control,
    Count,
    Encoded,
    Flag,
    Memory,
    Op,
    Pass,
    Reduce,
    Region,
    Register,
    Shape,
    State,
    Status,
    Width,
    pack,
)
from xymac.host.plan.program.waits import set_waits

LINE = Access(0, 0, 99, taps=(0, 0, 1))
GOOD = Pass(x=LINE, y=LINE, z=Access(200, 200, 239, outer=(8, 0, 4)), outer=(5, 1, 2),
            taps=(1, 1, 30), shift=9, bias_row=70, last=True)
WIDE = {"x_width": Width.BITS16, "y_width": Width.BITS16, "z_width": Width.BITS16,
        "clip": (-32768, 32767)}
Y_END = TINY.y_rows  # 16-bit words of Y

#: Changes to ``GOOD``, the status they end in, and its field.
FAULTS = {
    "opcode": ({"op": Op.NONE}, Status.OPCODE, 0),
    "rank of a maximum": ({"op": Op.MAX, "reduce": Reduce.RANK, "beats": 1}, Status.OPCODE, 0),
    **{f"count {Count(n).name}": (
        {"outer": tuple(int(n != loop) for loop in range(3)),
         "taps": tuple(int(n - 3 != loop) for loop in range(3))}, Status.COUNT, n)
       for n in range(6)},
    "no beats": ({"beats": 0}, Status.COUNT, Count.BEATS.value),
    "many beats": ({"beats": 5}, Status.COUNT, Count.BEATS.value),
    "shift left": ({"shift": -17}, Status.SHIFT, 0),
    "shift right": ({"shift": 41}, Status.SHIFT, 0),
    "window x": ({"x": Access(0, 16300, 16384)}, Status.WINDOW, Count.X.value),
    "window y": ({"y": Access(0, 0, 8192)}, Status.WINDOW, Count.Y.value),
    "window y lanes": ({"y": Access(0, 0, 8192), "y_shape": Shape.LANES}, Status.WINDOW,
                       Count.Y.value),
    "window z": ({"z": Access(0, 16300, 16384)}, Status.WINDOW, Count.Z.value),
    "window z in y": ({"z": Access(0, 0, 32768), "z_memory": Memory.Y}, Status.WINDOW,
                      Count.Z.value),
    "empty window": ({"y": Access(8, 8, 7)}, Status.WINDOW, Count.Y.value),
    "x above": ({"x": replace(LINE, high=98, outer=(23, 0, 0))}, Status.X_ACCESS, 0),
    "x below": ({"x": Access(3, 0, 99, outer=(-1, 0, 0))}, Status.X_ACCESS, 0),
    "x lanes": ({"x": Access(0, 0, 31, outer=(1, 0, 0), taps=(0, 0, 1)), "x_shape": Shape.LANES},
                Status.X_ACCESS, 0),
    "x modulo": ({"x": Access(5, 0, 9, outer=(1, 0, 0), taps=(0, 0, 1), mode=AguMode.MODULO)},
                 Status.X_ACCESS, 0),
    "y above": ({"y": replace(LINE, high=29, outer=(0, 0, 1))}, Status.Y_ACCESS, 0),
    "y below": ({"y": Access(1, 1, 99, outer=(0, 0, -1), taps=(0, 0, 1))}, Status.Y_ACCESS, 0),
    "y reversed": ({"y": Access(0, 0, 31, outer=(1, 0, 0), taps=(0, 0, 1),
                                mode=AguMode.BIT_REVERSED)}, Status.Y_ACCESS, 0),
    "bias": ({"bias_row": Y_END - 9}, Status.Y_ACCESS, 0),
    "bias at once": ({"bias_row": Y_END}, Status.Y_ACCESS, 0),
    "z above": ({"z": replace(GOOD.epilogue.z, high=231)}, Status.Z_ACCESS, 0),
    "z within an output": ({"z": replace(GOOD.epilogue.z, high=221)}, Status.Z_ACCESS, 0),
    "z below": ({"z": Access(201, 200, 239, outer=(-2, 0, 9))}, Status.Z_ACCESS, 0),
    "z within, back again": ({"z": replace(GOOD.epilogue.z, base=210, high=222, outer=(-1, 0, 11)),
                              "outer": (9, 1, 2)}, Status.Z_ACCESS, 0),
    "z in y": ({"z": replace(GOOD.epilogue.z, base=4000, low=4000, high=4030),
                "z_memory": Memory.Y},
               Status.Z_ACCESS, 0),
    "empty at once": ({"cols": Axis(0, 0, 0)}, Status.EMPTY, 0),
    "empty later": ({"cols": Axis(0, 7, 7), "taps": (1, 6, 5)}, Status.EMPTY, 0),
}
#: Statuses of a pass that has begun.
STARTED = (Status.X_ACCESS, Status.Y_ACCESS, Status.Z_ACCESS, Status.EMPTY)


@pytest.fixture
def device(rtl):
    """A core of size tiny after reset, its program memory cleared."""
    device = rtl("tiny")
    device.harness.reset()
    device.harness.memory("program")[:] = 0
    return device


def status_of(device):
    word = int(device.harness.read(np.array([Register.STATUS.value]))[0])
    return State(word & 0xF), Status(word >> 4 & 0xF)


def write_register(device, register, value):
    device.harness.write(register.value, value)


@pytest.mark.parametrize("name", FAULTS)
def test_fault_then_next_program(device, name):
    """As on the machine; nothing outside the window; the next program is not affected."""
    changes, status, field = FAULTS[name]
    program = [replace(GOOD, **changes)]

    run = run_rtl(device, program, first=3, seed=1)

    result = run.result
    assert (result.state, result.status, result.field, result.pass_index) == (
        State.FAULT, status, field, 3)
    assert_same(run, run_machine(TINY, program, first=3, seed=1), program)
    for memory, cells in noise(TINY, 1).items():
        changed = run.cells[memory].view(np.uint8) != cells.view(np.uint8)
        if status in STARTED and memory is program[0].epilogue.z_memory:
            changed &= ~window_bytes(program[0], TINY)
        assert not changed.any(), changed.argmax()
    assert status_of(device) == (State.IDLE, Status.OK)
    assert_same(run_rtl(device, [GOOD], seed=2), run_machine(TINY, [GOOD], seed=2), [GOOD])


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("wait", [False, True])
def test_fault_of_a_later_pass(device, name, wait):
    """What the passes before it write is all there, and only that of those behind is not."""
    before  = replace(GOOD, last=False, z=Access(500, 500, 539, outer=(8, 0, 4)))
    behind  = replace(GOOD, z=Access(700, 700, 739, outer=(8, 0, 4)))
    changes = FAULTS[name][0]
    program = [before, replace(GOOD, **changes, last=False, wait=wait), behind, behind]

    run = run_rtl(device, program, seed=4)

    expected = run_machine(TINY, program, seed=4)
    assert (expected.result.state, expected.result.pass_index) == (State.FAULT, 1)
    assert_same(run, expected, program)
    assert_same(run_rtl(device, [GOOD], seed=5), run_machine(TINY, [GOOD], seed=5), [GOOD])


@pytest.mark.parametrize("opcode", [0, *range(len(Op), 16)])
def test_unknown_opcodes(device, opcode):
    """Of all 16 codes only those of ``Op`` run, whatever the rest of the pass says."""
    field, packed = Encoded["op"], pack(replace(GOOD, shift=41, taps=(0, 1, 1)))
    packed = packed & ~((1 << field.width) - 1 << field.offset) | opcode << field.offset
    words  = np.array([packed >> 32 * index & 0xFFFF_FFFF for index in range(2 * PASS_WORDS)],
                      np.uint64)
    start  = Region.PROGRAM.value + 8 * PASS_STRIDE * 7
    device.harness.write(start + 4 * np.arange(words.size), words)
    fill(device, 1)

    result = device.run(7)

    assert (result.state, result.status, result.pass_index) == (State.FAULT, Status.OPCODE, 7)
    for memory, cells in noise(TINY, 1).items():
        np.testing.assert_array_equal(device.read_cells(memory, 0, cells.size), cells)


@pytest.mark.parametrize("first", [28, 31])
def test_program_without_a_last_pass(device, first):
    program = [replace(GOOD, last=False)] * (TINY.passes - first)
    run     = run_rtl(device, program, first=first, seed=1)

    assert (run.result.status, run.result.pass_index) == (Status.END, TINY.passes)
    assert_same(run, run_machine(TINY, program, first=first, seed=1), program)
    assert device.run(TINY.passes).status is Status.END


def test_start_beyond_a_fault_waits_for_a_clear(device):
    """A start in state FAULT does nothing; after the clear it does."""
    device.load_program([GOOD, replace(GOOD, shift=41)])
    device.start(1)
    device.harness.run(1000)
    assert status_of(device) == (State.FAULT, Status.SHIFT)
    fill(device, 1)

    device.start(0)
    device.harness.spin(500)

    assert status_of(device) == (State.FAULT, Status.SHIFT)
    for memory, cells in noise(TINY, 1).items():
        np.testing.assert_array_equal(device.read_cells(memory, 0, cells.size), cells)
    write_register(device, Register.CONTROL, Control.CLEAR.value)
    assert status_of(device) == (State.IDLE, Status.OK)
    assert not device.harness.irq
    assert device.run(0).state is State.DONE


def test_a_running_program_has_no_status_no_field_and_no_pass(device):
    long = replace(GOOD, z=Access(200, 200, 239), outer=(1, 1, 1), taps=(60, 60, 1), x=replace(
        LINE, taps=(0, 0, 0)), y=replace(LINE, taps=(0, 0, 0)))
    for _ in range(2):  # the second time behind a program that ended in a later pass
        device.load_program([replace(long, last=False), long])
        write_register(device, Register.CONTROL, Control.START.value)
        device.harness.run(100)
        assert device.harness.read(np.array([Register.STATUS.value])) == State.BUSY.value
        device.harness.run(100_000)
        assert status_of(device) == (State.DONE, Status.OK)


def test_clear_and_start_are_ignored_during_a_run(device):
    long = replace(GOOD, taps=(5, 5, 30), outer=(5, 9, 2))
    fill(device, 3)
    device.load_program([long, replace(GOOD, shift=41)])
    device.start(0)
    write_register(device, Register.CONTROL, Control.CLEAR.value)
    write_register(device, Register.FIRST, 1)
    write_register(device, Register.CONTROL, Control.START.value)
    assert status_of(device)[0] is State.BUSY
    device.harness.run(200_000)

    result = device.finish(0)

    expected = run_machine(TINY, [long], seed=3)
    assert outcome(result) == outcome(expected.result)
    for memory, cells in expected.cells.items():
        np.testing.assert_array_equal(device.read_cells(memory, 0, cells.size), cells)


@pytest.mark.parametrize("swap", [False, True])
def test_windows_of_the_pass_before_do_not_matter(device, swap):
    """Passes and programs in turn write far apart, in different memories and widths."""
    far  = replace(GOOD, z=Access(32000, 31990, 32767, outer=(8, 0, 4)), z_memory=Memory.Y)
    wide = replace(GOOD, z=Access(0, 0, 39, outer=(8, 0, 4)), x=replace(LINE, base=4000, low=4000,
                   high=4099), **WIDE)
    programs = [[far], [wide], [replace(far, last=False), wide], [replace(wide, last=False), far],
                [far]]
    for seed, passes in enumerate(programs[::-1] if swap else programs):
        program = set_waits(passes, TINY)
        assert_same(run_rtl(device, program, seed=seed), run_machine(TINY, program, seed=seed),
                    program)


def test_overflow_of_a_fault_is_not_seen_in_the_next_program(device):
    """Sums that overflow on both sides of a refused write leave no flag behind."""
    low = np.full(8192, 0x8000, np.uint16)
    bad = Pass(x=LINE, y=LINE, z=Access(400, 400, 403, outer=(0, 0, 1)), outer=(1, 1, 40),
               taps=(1, 1, 8), beats=1, **WIDE, last=True)
    for memory in Memory:
        device.write_cells(memory, 0, low)
    device.load_program([bad, replace(bad, taps=(1, 1, 1), outer=(1, 1, 4), last=True)])

    assert device.run(0).status is Status.Z_ACCESS
    result = device.run(1)

    assert (result.state, result.flags) == (State.DONE, Flag(0))
    assert not result.trace[0].overflow


def test_overflow_behind_a_fault_is_not_flagged(device):
    """All outputs of the pass are issued when the first write is refused."""
    bad = Pass(x=LINE, y=LINE, z=Access(399, 400, 403, outer=(0, 0, 1)), outer=(1, 1, 4),
               taps=(1, 1, 8), beats=1, **WIDE, last=True)
    for memory in Memory:
        device.write_cells(memory, 0, np.full(8192, 0x8000, np.uint16))
    device.load_program([bad])

    result = device.run()

    assert (result.status, result.flags) == (Status.Z_ACCESS, Flag(0))


@pytest.mark.parametrize("steps", [1, 7, 30])
@pytest.mark.parametrize("outputs", [1, 5, 16])
def test_fault_names_its_pass_while_results_drain(device, outputs, steps):
    """Fetched passes behind the fault do not change its number."""
    bad = replace(GOOD, outer=(1, 1, outputs), taps=(1, 1, steps), bias_row=None, last=False,
                  x=Access(71 if outputs == 1 else 0, 0, 70, outer=(0, 0, 70), taps=(0, 0, 1)),
                  z=Access(200, 200, 299, outer=(0, 0, 4)))
    program = [bad, *[replace(GOOD, last=False)] * 3, GOOD]
    assert_same(run_rtl(device, program, seed=6), run_machine(TINY, program, seed=6), program)
