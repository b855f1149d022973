# SPDX-License-Identifier: Apache-2.0
"""The bit STOP of CONTROL ends every program, and any reset leaves a core that works."""

from dataclasses import replace

import numpy as np
import pytest

from tests.rtl.test_faults import GOOD, LINE, status_of, write_register
from tests.support.raw_words import change_fields, load_words, written_cells
from tests.support.rtl_device import assert_same, fill, noise, run_machine, run_rtl, sizes_of
from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac.hdl.config import COMPACT
from xymac.hdl.isa import (
    PASS_WORDS,
    Access,
    AguMode,
    Control,
    Encoded,
    Memory,
    Register,
    Shape,
    State,
    Status,
    Width,
    pack,
)
from xymac.host.device.device import DeviceError

LIMIT = 1000  # cycles from STOP to the interrupt
LONG  = replace(GOOD, outer=(65535, 65535, 65535), z=replace(GOOD.epilogue.z, outer=(0, 0, 0)),
                bias_row=None)
#: Programs that take longer than anybody waits.
ENDLESS = {
    "outputs": [LONG],
    "one output": [replace(LONG, outer=(1, 1, 1), taps=(65535, 65535, 65535),
                           x=replace(LINE, taps=(0, 0, 0)), y=replace(LINE, taps=(0, 0, 0)))],
    "a long run": [replace(LONG, taps=(1, 1, 65535), x=replace(LINE, taps=(0, 0, 0)),
                           y=replace(LINE, taps=(0, 0, 0)))],
    "a loop": [replace(GOOD, last=False), replace(GOOD, wait=True, back=1, repeat=65535)],
    "held sums": [replace(LONG, outer=(16, 65535, 65535), hold=True, shift=40)],
}


@pytest.fixture(scope="module", params=["tiny", "base", "compact"])
def device(request, rtl):
    """The core of a size after reset."""
    device = rtl(request.param)
    device.harness.reset()
    return device


def stop(device):
    """Stop the program that runs; returns the cycles until the interrupt."""
    before = device.harness.cycles
    device.stop()
    device.harness.run(4 * LIMIT)
    return device.harness.cycles - before


def assert_works(device, seed):
    """A program ends as on the machine, from new memories."""
    assert_same(run_rtl(device, [GOOD], seed=seed),
                run_machine(device.config, [GOOD], seed=seed), [GOOD])


@pytest.mark.parametrize("name", ENDLESS)
def test_endless_program(device, name):
    """Its end comes soon, at any moment; nothing outside the window is written."""
    rng, program = random_of(7), ENDLESS[name]
    for cycles in (0, 1, 30, *rng.integers(2, 3000, 5).tolist()):
        fill(device, 1)
        device.load_program(program)
        device.start()
        device.harness.spin(cycles)
        assert stop(device) <= LIMIT

        result = device.finish()

        assert (result.state, result.status) == (State.FAULT, Status.STOPPED)
        assert result.pass_index < len(program)
        written = written_cells(map(pack, program), device.config)
        for memory, cells in noise(device.config, 1).items():
            changed = device.read_cells(memory, 0, cells.size) != cells
            assert not (changed & ~written[memory]).any()
    assert_works(device, 2)


def test_a_stop_names_the_pass(device):
    """The oldest one that is not written."""
    device.load_program([replace(GOOD, last=False), LONG], 5)
    device.start(5)
    device.harness.spin(400_000 if device.config is COMPACT else 4000)

    stop(device)

    assert device.finish(5).pass_index == 6


@pytest.mark.parametrize("state", [State.IDLE, State.DONE, State.FAULT])
def test_a_stop_does_nothing_unless_a_program_runs(device, state):
    device.load_program([replace(GOOD, shift=9 if state is State.DONE else 41)])
    if state is not State.IDLE:
        device.start()
        device.harness.run(400_000)

    device.stop()

    assert status_of(device)[0] is state
    write_register(device, Register.CONTROL, Control.CLEAR.value)
    assert_works(device, 3)


def test_run_stops_what_takes_too_long(device):
    device.load_program([LONG])
    with pytest.raises(DeviceError, match="did not end within 99 cycles"):
        device.run(max_cycles=99)
    assert status_of(device) == (State.IDLE, Status.OK)
    assert_works(device, 4)


def test_reset_at_any_moment(device):
    for cycles in random_of(8).integers(0, 2000, 6).tolist():
        device.load_program([LONG])
        device.start()
        device.harness.spin(cycles)
        device.harness.reset()
    assert_works(device, 5)


#: Fields that ``pack`` derives, and a value that leads outside.
DERIVED = {
    "order of z": ({"z": Access(512, 512, 527, outer=(0, 0, 4), mode=AguMode.BIT_REVERSED)},
                   {"z.order": 16}, Memory.X),
    "order of x": ({"x": Access(0, 0, 31, taps=(0, 0, 1), mode=AguMode.BIT_REVERSED)},
                   {"x.agu.order": 9}, Memory.X),
    "last of x": ({}, {"x.last": 100}, Memory.X),
    "last of x by lanes": ({"x_shape": Shape.LANES}, {"x.last": 97}, Memory.X),
    "last of y": ({}, {"y.last": 131_000}, Memory.Y),
}


@pytest.mark.parametrize("name", DERIVED)
@each_name
def test_derived_fields_are_those_of_the_window(rtl, size, name):
    device, (changes, fields, _) = rtl(size), DERIVED[name]
    pass_ = replace(GOOD, outer=(1, 1, 4), taps=(1, 1, 8), z_width=Width.BITS16, **changes)
    packed = pack(pass_)
    fill(device, 1)
    load_words(device, [change_fields(packed, fields)])

    result = device.run()

    assert (result.state, result.status) == (State.FAULT, Status.WINDOW)
    for memory, cells in noise(device.config, 1).items():
        np.testing.assert_array_equal(device.read_cells(memory, 0, cells.size), cells)


def random_program(rng):
    """Words of passes of which some fields, or all, are random."""
    passes = [pack(replace(GOOD, last=False)), pack(replace(GOOD, wait=True))]
    names  = list(Encoded.members)
    for index, packed in enumerate(passes):
        if rng.integers(0, 8) == 0:
            packed = int.from_bytes(rng.bytes(8 * PASS_WORDS), "little")
            packed = change_fields(packed, {"op": int(rng.integers(1, 8)), "beats": 4})
        for name in rng.choice(names, int(rng.integers(1, 6)), replace=False):
            field  = Encoded[name]
            drawn  = int.from_bytes(rng.bytes(64), "little") % (1 << field.width)
            packed = packed & ~((1 << field.width) - 1 << field.offset) | drawn << field.offset
        if rng.integers(0, 2):
            packed = change_fields(packed, {
                "z.mode": int(rng.integers(0, 4)), "z.order": int(rng.integers(0, 32)),
                "z.low": int(rng.integers(0, 4000)), "z.high": int(rng.integers(0, 200))})
        passes[index] = packed
    return passes


def assert_inside(device, count, seed):
    """Random words end or are stopped, and no cell outside their windows changes."""
    rng, statuses = random_of(seed), set()
    cells = noise(device.config, seed)
    for memory in Memory:
        device.write_cells(memory, 0, cells[memory])
    for _ in range(count):
        program = random_program(rng)
        load_words(device, [*program, 0])  # nothing of another test runs behind it
        device.start()
        device.harness.run(60_000 if device.config is COMPACT else 2500)
        if not device.harness.irq:
            assert stop(device) <= LIMIT, program
        statuses.add(device.finish().status)
        written = written_cells(program, device.config)
        for memory in Memory:
            now = device.read_cells(memory, 0, sizes_of(device.config)[memory])
            wrong = np.flatnonzero((now != cells[memory]) & ~written[memory])
            assert not wrong.size, (memory, wrong[:9], [hex(packed) for packed in program])
            cells[memory] = now
    return statuses


@pytest.mark.parametrize(("size", "count"), [("tiny", 300), ("base", 60), ("compact", 25)])
def test_random_words(rtl, size, count):
    device = rtl(size)
    device.harness.reset()

    statuses = assert_inside(device, count, 9)

    assert {Status.OK, Status.WINDOW} <= statuses
    assert_works(device, 6)


@pytest.mark.long
@pytest.mark.parametrize(("size", "count"), [("tiny", 10_000), ("small", 2000), ("base", 2000),
                                             ("compact", 500)])
def test_many_random_words(rtl, size, count):
    device = rtl(size)
    device.harness.reset()
    assert_inside(device, count, 10)
    assert_works(device, 6)
