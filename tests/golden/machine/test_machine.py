# SPDX-License-Identifier: Apache-2.0
"""The golden machine against plain loops, its faults, and its refusals."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.naive.machine import run_pass
from tests.support.random_passes import (
    CONFIGS,
    SMALL,
    machine_with_noise,
    random_pass,
    without_faults,
)
from tests.support.rtl_device import noise, noise_tables
from tests.support.seed import random_of
from tests.support.sizes import rarely
from xymac.golden.machine.machine import Machine, ProgramError
from xymac.hdl.isa import (
    FREE_ENTRY,
    PLACES,
    TABLES,
    Access,
    AccumulatorRange,
    Count,
    Memory,
    Move,
    Op,
    Pass,
    Scale,
    Shape,
    State,
    Status,
    Width,
)

PLAIN = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299))


def run_one(pass_, config=SMALL, seed=0):
    """Outcome and machine after a program of one pass."""
    machine = machine_with_noise(config, seed)
    machine.load([replace(pass_, last=True)])
    return machine.run(), machine


def own_tables(seed):
    """Values and offset of every table of the host in a machine with noise."""
    entries, places = noise_tables(seed)
    memory = [0] * FREE_ENTRY + entries.tolist()
    for table, samples in TABLES.items():
        memory[PLACES[table].first:PLACES[table].first + len(samples.values)] = samples.values
    return {table: (memory[place.first:place.first + place.entries], place.offset)
            for table, place in places.items()}


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.parametrize("block", [0, 1, *rarely(2, 3)])
def test_equals_plain_loops_on_random_passes(config, block):
    faults, refused = set(), 0
    for seed in range(100 * block, 100 * block + 100):
        pass_    = random_pass(random_of(seed), config)
        before   = machine_with_noise(config, seed)
        expected = run_pass(pass_, config, before.x, before.y, tables=own_tables(seed))

        try:
            outcome, machine = run_one(pass_, config, seed)
        except ProgramError:  # reads its own results, see test_overwrite.py
            refused += 1
            continue

        fault = None if outcome.state is State.DONE else outcome.status.name
        reached = (machine.x.tolist(), machine.y.tolist(), fault, any(outcome.overflow))
        expected = (*expected[:3], expected[3] and fault is None)
        for name, actual, wanted in zip(("X", "Y", "fault", "overflow"), reached, expected,
                                        strict=True):
            assert actual == wanted, f"{name} differs at seed {seed}: {pass_}"
        faults.add(fault)
    assert {None, "X_ACCESS", "Y_ACCESS", "Z_ACCESS", "EMPTY"} <= faults
    assert refused < 10


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_scales_as_plain_loops_do(config):
    inside = 0
    for seed in range(60):
        rng   = random_of(seed)
        pass_ = without_faults(rng, config, outer=(3, 1, 2), bias_row=460, shift=0,
                               scale=Scale(seed % 3 + 1), addend=bool(seed & 1), last=True)
        machine = Machine(config)
        for memory, cells in noise(config, seed, [pass_]).items():
            {Memory.X: machine.x, Memory.Y: machine.y}[memory][:] = cells
        x, y, fault, overflow = run_pass(pass_, config, machine.x, machine.y)
        z = {Memory.X: machine.x, Memory.Y: machine.y}[pass_.epilogue.z_memory].copy()
        machine.load([pass_])

        outcome = machine.run()

        assert fault is None
        assert (machine.x.tolist(), machine.y.tolist()) == (x, y), (seed, pass_)
        assert outcome.overflow == (overflow,)
        written = {Memory.X: machine.x, Memory.Y: machine.y}[pass_.epilogue.z_memory]
        inside += len(set(written[written != z].tolist())) > 4
    assert inside > 15  # many results are not just limits


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_holds_and_resumes_sums_as_plain_loops_do(config):
    overflows = 0
    for seed in range(60):
        rng = random_of(seed)
        entry = int(rng.integers(0, 13))
        program = [without_faults(rng, config, entry=entry, **fields) for fields in (
            {"hold": True, "outer": (3, 1, 2)},
            {"hold": True, "resume": True, "outer": (3, 1, 1)},
            {"resume": True, "outer": (3, 2, 1), "beats": 3, "wait": True, "last": True})]
        machine = machine_with_noise(config, seed)
        x, y, held, expected = machine.x, machine.y, {}, []
        for pass_ in program:
            x, y, fault, overflow = run_pass(pass_, config, x, y, held)
            assert fault is None
            expected.append(overflow)
        machine.load(program)

        outcome = machine.run()

        assert (machine.x.tolist(), machine.y.tolist()) == (x, y), seed
        assert outcome.overflow == tuple(expected)
        overflows += any(expected)
    assert 0 < overflows < 60


def moved(access, distance):
    return replace(access, base=access.base + distance, move=Move.NONE)


def test_a_loop_is_its_passes_again_with_their_bases_moved():
    rng   = random_of(1)
    first = replace(without_faults(rng, SMALL), wait=True)
    one, two, last = (replace(without_faults(rng, SMALL), wait=True) for _ in range(3))
    one = replace(one, x=replace(one.operands.x, move=Move.SECOND),
                  z=replace(one.epilogue.z, move=Move.FIRST))
    two = replace(two, y=replace(two.operands.y, move=Move.FIRST), back=1, repeat=2,
                  advance=(3, -5))
    last    = replace(last, z=replace(last.epilogue.z, move=Move.FIRST), last=True)
    unrolled = [first]
    for count in range(3):
        unrolled += [
            replace(one, x=moved(one.operands.x, -5 * count), z=moved(one.epilogue.z, 3 * count)),
            replace(two, y=moved(two.operands.y, 3 * count), repeat=0)]
    unrolled.append(replace(last, z=moved(last.epilogue.z, 0)))
    config  = replace(SMALL, passes=8)
    machines = [Machine(config) for _ in range(2)]
    for machine, program in zip(machines, ([first, one, two, last], unrolled), strict=True):
        for cells in (machine.x, machine.y):
            cells[:] = random_of(2).integers(0, 1 << 16, cells.size)
        machine.load(program)
        assert machine.run().state is State.DONE

    assert np.array_equal(machines[0].x, machines[1].x)
    assert np.array_equal(machines[0].y, machines[1].y)


def test_a_loop_cannot_go_back_beyond_the_first_pass():
    outcome, _ = run_one(replace(PLAIN, back=1, repeat=1))

    assert (outcome.state, outcome.status, outcome.pass_index) == (State.FAULT, Status.END, 0)


@pytest.mark.parametrize("repeats", [(1, 1), (2, 3), (3, 1)])
def test_an_endless_loop_in_a_loop_is_refused(repeats):
    """One counter serves all loops, so the inner loop restarts the outer one."""
    machine = machine_with_noise(SMALL, 0)
    inner, outer = (replace(PLAIN, wait=True, back=back, repeat=repeat)
                    for back, repeat in enumerate(repeats))
    machine.load([inner, replace(outer, last=True)])

    with pytest.raises(ProgramError, match=r"^Pass \d is repeated without an end: loops must not "
                                           r"nest$"):
        machine.run()


@pytest.mark.parametrize(("outer", "taps", "message"), [
    ((65535, 65535, 1), (1, 1, 1), ("has 4,294,836,225 outputs; the machine executes at most "
                                   "4,194,304")),
    ((1, 1, 1), (1, 65535, 65535), ("has 4,294,836,225 steps an output; the machine executes at "
                                   "most 262,144")),
    ((1, 2048, 2048), (1, 1, 65), ("has 272,629,760 steps; the machine executes at most "
                                  "268,435,456")),
])
@pytest.mark.parametrize("op", [Op.MAC, Op.GATHER])
def test_a_pass_beyond_the_limits_is_refused(outer, taps, message, op):
    """Its working memory would exhaust the computer."""
    machine = machine_with_noise(SMALL, 0)
    machine.load([replace(PLAIN, outer=outer, taps=taps, op=op, y=Access(0, 0, 15), last=True)])

    with pytest.raises(ProgramError, match=f"^Pass 0 {message}$"):
        machine.run()


REFUSALS = {
    "opcode": ({"op": Op.NONE}, Status.OPCODE, 0),
    "outer": ({"outer": (1, 0, 0)}, Status.COUNT, Count.OUTER1.value),
    "taps": ({"taps": (1, 1, 0)}, Status.COUNT, Count.TAPS2.value),
    "no beat": ({"beats": 0}, Status.COUNT, Count.BEATS.value),
    "many beats": ({"beats": 5}, Status.COUNT, Count.BEATS.value),
    "held beats": ({"hold": True, "beats": 3}, Status.COUNT, Count.BEATS.value),
    "left": ({"shift": -17}, Status.SHIFT, 0),
    "right": ({"shift": 41}, Status.SHIFT, 0),
    "x": ({"x": Access(0, 0, 4096)}, Status.WINDOW, Count.X.value),
    "y": ({"y": Access(0, 5, 4)}, Status.WINDOW, Count.Y.value),
    "z": ({"z": Access(0, 0, 4096)}, Status.WINDOW, Count.Z.value),
    "crossed low": ({"x": Access(2, 2, 101), "op": Op.CROSS}, Status.WINDOW, Count.X.value),
    "crossed high": ({"x": Access(0, 0, 98), "op": Op.CROSS}, Status.WINDOW, Count.X.value),
    "z in y": ({"z": Access(0, 0, 8192), "z_memory": Memory.Y}, Status.WINDOW, Count.Z.value),
    "order": ({"op": Op.NONE, "shift": 41, "taps": (0, 1, 1)}, Status.OPCODE, 0),
    "count first": ({"beats": 0, "taps": (0, 1, 1)}, Status.COUNT, Count.TAPS0.value),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refuses_a_pass_before_it_starts(name):
    changes, status, field = REFUSALS[name]
    before = machine_with_noise(SMALL, 0)

    outcome, machine = run_one(replace(PLAIN, **changes))

    assert (outcome.state, outcome.status, outcome.field) == (State.FAULT, status, field)
    assert np.array_equal(machine.x, before.x)
    assert np.array_equal(machine.y, before.y)


@pytest.mark.parametrize(("changes", "units"), [
    ({"x_width": Width.BITS8}, 4096), ({"x_width": Width.BITS16}, 2048),
    ({"y_width": Width.BITS8}, 1024), ({"y_width": Width.BITS16}, 512),
    ({"y_width": Width.BITS16, "y_shape": Shape.LANES}, 1024)], ids=str)
def test_windows_may_reach_the_last_unit(changes, units):
    name = "x" if "x_width" in changes else "y"
    last = replace(PLAIN, z_memory=Memory.Y if name == "x" else Memory.X, **changes,
                   **{name: Access(units - 1, 0, units - 1)})

    assert run_one(last)[0].state is State.DONE
    beyond = replace(last, **{name: Access(0, 0, units)})
    assert run_one(beyond)[0].status is Status.WINDOW


def test_program_ends_at_its_last_pass_or_at_the_end_of_memory():
    machine = machine_with_noise(SMALL, 0)
    machine.load([PLAIN, replace(PLAIN, last=True)], first=1)
    assert len(machine.run(1).overflow) == 2
    assert machine.run().status is Status.OPCODE
    machine.load([PLAIN] * 4)
    outcome = machine.run()
    assert (outcome.status, outcome.pass_index) == (Status.END, 4)


def test_overflow_belongs_to_its_pass():
    wide = replace(PLAIN, x_width=Width.BITS16, y_width=Width.BITS16, taps=(1, 1, 90),
                   x=Access(0, 0, 99, taps=(0, 0, 0)), y=Access(0, 0, 99, taps=(0, 0, 0)))
    machine = Machine(SMALL)
    machine.x[:] = machine.y[:] = 0x8000
    machine.load([replace(wide, taps=(1, 1, 1)), replace(wide, z=Access(300, 300, 399)),
                  replace(wide, z=Access(400, 400, 499), acc_range=AccumulatorRange.BITS40,
                          last=True)])
    assert machine.run().overflow == (True, True, False)


def test_missing_wait_is_found():
    # Bytes count: groups of 8 bits share words with others of their row of 8 groups.
    reader  = replace(PLAIN, x=Access(203, 203, 320), z=Access(0, 0, 9), last=True)
    machine = machine_with_noise(SMALL, 0)
    machine.load([PLAIN, reader])
    with pytest.raises(ProgramError, match=r"Pass 1 must wait: its X window holds results of pass"):
        machine.run()
    for harmless in (replace(reader, wait=True), replace(reader, x=Access(204, 203, 320))):
        machine.load([PLAIN, harmless])
        assert machine.run().state is State.DONE
    machine.load([replace(PLAIN, z_memory=Memory.Y, z=Access(4000, 4000, 4007)),
                  replace(reader, x=PLAIN.operands.x, bias_row=250)])
    with pytest.raises(ProgramError, match="Pass 1 must wait: its bias window holds results of p"):
        machine.run()


@pytest.mark.parametrize(("call", "message"), [
    (lambda machine: machine.load([PLAIN] * 5), "Program memory holds 4 passes, not 5 from 0"),
    (lambda machine: machine.load([PLAIN], first=4), "holds 4 passes, not 1 from 4"),
    (lambda machine: machine.run(4), "First pass must be between 0 and 3, not 4"),
    (lambda machine: machine.load([replace(PLAIN, bias_row=70000)]), "bias_row must be between")])
def test_refuses_what_program_memory_cannot_hold(call, message):
    with pytest.raises(ValueError, match=message):
        call(Machine(SMALL))
