"""The golden machine against plain loops, its faults, and its refusals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from golden.machine import Machine, ProgramError
from hdl.config import CoreConfig
from hdl.isa import (
    ELEMENT_BITS,
    Access,
    AccumulatorRange,
    Adjust,
    AguMode,
    Axis,
    Count,
    Memory,
    Move,
    Op,
    Pass,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    State,
    Status,
    Table,
    Width,
)
from tests.naive_pass import run_pass
from tests.rtl_device import noise

CONFIGS = [CoreConfig(f"ways{ways}", ways=ways, x_rows=512, y_rows=512, passes=4)
           for ways in (1, 2, 4)]
SMALL = CONFIGS[1]
PLAIN = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299))


def machine_with_noise(config, seed):
    machine, rng = Machine(config), np.random.default_rng(seed)
    for cells in (machine.x, machine.y):
        cells[:] = rng.integers(0, 1 << 16, cells.size)
    return machine


def run_one(pass_, config=SMALL, seed=0):
    """Outcome and machine after a program of one pass."""
    machine = machine_with_noise(config, seed)
    machine.load([replace(pass_, last=True)])
    return machine.run(), machine


def random_access(rng, units, taps):
    """An access that faults now and then, around the middle of the memory or at an edge of it."""
    mode   = rng.choice(list(AguMode), p=[0.6, 0.2, 0.2])
    length = int(rng.choice([1, 4, 32, 64, 128, 256]))
    low    = int(rng.choice([0, 3, 40, units - length]))
    outer  = tuple(int(min(stride, length)) for stride in rng.integers(-1, 6, 3))
    inner  = tuple(int(stride) for stride in rng.integers(-1, 6, 3)) if taps else (0, 0, 0)
    return Access(low + int(rng.integers(0, length)), low, low + length - 1, outer, inner, mode)


def random_pass(rng, config):
    """A pass of every mode, never refused before it starts."""
    choice = {name: rng.choice(list(kind)) for name, kind in (
        ("x_shape", Shape), ("y_shape", Shape), ("x_width", Width), ("y_width", Width),
        ("z_width", Width), ("z_memory", Memory), ("rounding", RoundMode),
        ("acc_range", AccumulatorRange), ("op", [Op.MAC, Op.MAC, Op.MAX, Op.MIN]),
        ("table", Table), ("table_rounding", RoundMode))}
    rows, cols = (Axis(*(int(v) for v in rng.integers([0, 0, 1], [3, 3, 9]))) for _ in range(2))
    limit = 127 if choice["z_width"] is Width.BITS8 else 32767
    bias  = [None, 0, 7, config.y_rows - 4]
    if rng.random() < 0.4:  # of noise for parameters only those of large sums differ
        choice |= {"scale": Scale(int(rng.integers(1, 4))), "addend": bool(rng.integers(2))}
    if choice["x_width"] is Width.BITS8:
        choice["x_zero"] = int(rng.choice([0, 0, 1, -128, 127, 32640, -32640]))
    if choice["table"] is not Table.NONE and rng.random() < 0.5:
        limit = (1 << ELEMENT_BITS - 1) - 1
    scaled, zero = "scale" in choice, int(rng.choice([0, 0, 3, -100]))
    most = 32767 if choice["table"] is Table.NONE else (1 << ELEMENT_BITS - 1) - 1
    counts = rng.integers(1, 4, 6)
    x, beats = random_access(rng, config.x_rows * 4, True), int(rng.integers(1, 5))
    if x.mode is AguMode.BIT_REVERSED and choice["x_shape"] is Shape.LANES:
        beats = 1
    return Pass(
        x=x, y=random_access(rng, config.y_rows, True),
        z=random_access(rng, config.x_rows * 4, False), outer=tuple(int(n) for n in counts[:3]),
        taps=tuple(int(n) for n in counts[3:]), rows=rows, cols=cols,
        beats=beats, shift=0 if scaled else int(rng.choice([-16, -3, 0, 1, 9, 20, 40])),
        bias_row=bias[rng.integers(scaled, len(bias))], table_shift=int(rng.integers(0, 16)),
        zero=zero,
        clip=(max(int(rng.choice([-limit - 1, 0, -5])), -most - 1 - zero),
              min(int(rng.choice([limit, 6])), most - zero)), **choice)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.parametrize("block", range(4))
def test_equals_plain_loops_on_random_passes(config, block):
    faults = set()
    for seed in range(100 * block, 100 * block + 100):
        pass_    = random_pass(np.random.default_rng(seed), config)
        before   = machine_with_noise(config, seed)
        expected = run_pass(pass_, config, before.x, before.y)

        outcome, machine = run_one(pass_, config, seed)

        fault = None if outcome.state is State.DONE else outcome.status.name
        found = (machine.x.tolist(), machine.y.tolist(), fault, any(outcome.overflow))
        expected = (*expected[:3], expected[3] and fault is None)
        for name, actual, wanted in zip(("X", "Y", "fault", "overflow"), found, expected,
                                        strict=True):
            assert actual == wanted, f"{name} differs at seed {seed}: {pass_}"
        faults.add(fault)
    assert {None, "X_ACCESS", "Y_ACCESS", "Z_ACCESS", "EMPTY"} <= faults


def without_faults(rng, config):
    """A pass that neither faults nor uses what a program leaves behind."""
    drawn = random_pass(rng, config)
    clip  = np.clip(drawn.clip, -32768 - min(drawn.zero, 0), 32767 - max(drawn.zero, 0))
    loops = replace(drawn, op=Op.MAC, bias_row=None, table=Table.NONE, beats=4, rows=Axis(),
                    cols=Axis(), scale=Scale.NONE, addend=False, clip=tuple(clip.tolist()))
    x, y, z = (Access(100, 50, 499, *(tuple(int(step) for step in rng.integers(-2, 4, 3))
                                      for _ in range(2))) for _ in range(3))
    return replace(loops, x=x, y=y, z=replace(z, taps=(0, 0, 0)))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_scales_as_plain_loops_do(config):
    inside = 0
    for seed in range(30):
        rng   = np.random.default_rng(seed)
        pass_ = replace(without_faults(rng, config), outer=(3, 1, 2), bias_row=460, shift=0,
                        scale=Scale(seed % 3 + 1), addend=bool(seed & 1), last=True)
        machine = Machine(config)
        for memory, cells in noise(config, seed, [pass_]).items():
            {Memory.X: machine.x, Memory.Y: machine.y}[memory][:] = cells
        x, y, fault, overflow = run_pass(pass_, config, machine.x, machine.y)
        z = {Memory.X: machine.x, Memory.Y: machine.y}[pass_.z_memory].copy()
        machine.load([pass_])

        outcome = machine.run()

        assert fault is None
        assert (machine.x.tolist(), machine.y.tolist()) == (x, y), (seed, pass_)
        assert outcome.overflow == (overflow,)
        written = {Memory.X: machine.x, Memory.Y: machine.y}[pass_.z_memory]
        inside += len(set(written[written != z].tolist())) > 4
    assert inside > 15  # most results are not just limits


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_holds_and_resumes_sums_as_plain_loops_do(config):
    overflows = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        one, two, three = (without_faults(rng, config) for _ in range(3))
        entry = int(rng.integers(0, 13))
        program = [
            replace(one, hold=True, entry=entry, outer=(3, 1, 2)),
            replace(two, hold=True, resume=True, entry=entry, outer=(3, 1, 1)),
            replace(three, resume=True, entry=entry, outer=(3, 2, 1), beats=3, wait=True,
                    last=True)]
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
    rng   = np.random.default_rng(1)
    first = replace(without_faults(rng, SMALL), wait=True)
    one, two, last = (replace(without_faults(rng, SMALL), wait=True) for _ in range(3))
    one = replace(one, x=replace(one.x, move=Move.SECOND), z=replace(one.z, move=Move.FIRST))
    two = replace(two, y=replace(two.y, move=Move.FIRST), back=1, repeat=2, advance=(3, -5))
    last    = replace(last, z=replace(last.z, move=Move.FIRST), last=True)
    unrolled = [first]
    for count in range(3):
        unrolled += [
            replace(one, x=moved(one.x, -5 * count), z=moved(one.z, 3 * count)),
            replace(two, y=moved(two.y, 3 * count), repeat=0)]
    unrolled.append(replace(last, z=moved(last.z, 0)))
    config  = replace(SMALL, passes=8)
    machines = [Machine(config) for _ in range(2)]
    for machine, program in zip(machines, ([first, one, two, last], unrolled), strict=True):
        for cells in (machine.x, machine.y):
            cells[:] = np.random.default_rng(2).integers(0, 1 << 16, cells.size)
        machine.load(program)
        assert machine.run().state is State.DONE

    assert np.array_equal(machines[0].x, machines[1].x)
    assert np.array_equal(machines[0].y, machines[1].y)


def test_a_loop_cannot_go_back_beyond_the_first_pass():
    outcome, _ = run_one(replace(PLAIN, back=1, repeat=1))

    assert (outcome.state, outcome.status, outcome.pass_index) == (State.FAULT, Status.END, 0)


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
    # Windows of X in cells: groups of 8 bits share rows of 8 groups with their neighbours.
    reader  = replace(PLAIN, x=Access(296, 296, 320), z=Access(0, 0, 9), last=True)
    machine = machine_with_noise(SMALL, 0)
    machine.load([PLAIN, reader])
    with pytest.raises(ProgramError, match=r"Pass 1 must wait: its X window holds results of pass"):
        machine.run()
    machine.load([PLAIN, replace(reader, wait=True)])
    assert machine.run().state is State.DONE
    machine.load([replace(PLAIN, z_memory=Memory.Y, z=Access(4000, 4000, 4007)),
                  replace(reader, x=PLAIN.x, bias_row=250)])
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


def element_pass(first, groups, **changes):
    """Copy ``groups`` full outputs of 16-bit X from group ``first`` on to group 1000."""
    lanes = Access(base=first, low=first, high=first + 4 * groups - 1, outer=(0, 0, 4))
    ones  = Access(base=0, low=0, high=0)
    out   = Access(base=1000, low=1000, high=1000 + 4 * groups - 1, outer=(0, 0, 4))
    return Pass(x=lanes, y=ones, z=out, outer=(1, 1, groups), x_shape=Shape.LANES,
                y_shape=Shape.LANES, x_width=Width.BITS16, y_width=Width.BITS16,
                z_width=Width.BITS16, clip=(-32768, 32767), **changes)


def run_elements(values, *passes):
    """Elements that the last of ``passes`` writes when X begins with ``values``."""
    machine = Machine(SMALL)
    machine.x[:len(values)] = np.array(values, np.int16).view(np.uint16)
    machine.y[:SMALL.lanes] = 1
    program = [replace(pass_, wait=True) for pass_ in passes]
    machine.load([*program[:-1], replace(program[-1], last=True)])
    assert machine.run().state is State.DONE
    start = 1000 * SMALL.ways
    return machine.x[start:start + len(values)].view(np.int16).tolist()


@pytest.mark.parametrize("spread", [0, 1, 200, 32767, 32768, 32769, 65535])
@pytest.mark.parametrize("top", [32767, 32766, 20000, 3])
def test_an_anchored_pass_counts_from_the_maximum(top, spread):
    values = [top, max(top - spread, -32768), *range(top - 2, top - 8, -1)]
    wide   = top - min(values) > 32768

    found = run_elements(values, element_pass(0, 1, reduce=Reduce.MAX),
                         element_pass(0, 1, reduce=Reduce.MIN), element_pass(0, 1, anchored=True))

    assert found == [max((value >> 1) - (top >> 1) if wide else value - top, -32768)
                     for value in values]


@pytest.mark.parametrize(("total", "rounding"), [
    (1, RoundMode.UP), (32767, RoundMode.UP), (32768, RoundMode.UP), (98303, RoundMode.CONVERGENT),
    (65535, RoundMode.UP), (131071, RoundMode.CONVERGENT), (40001, RoundMode.FLOOR),
    (0, RoundMode.UP), (-5, RoundMode.UP)])
def test_inverse_and_places_of_a_sum(total, rounding):
    parts  = [min(max(total - 32767 * index, -32768), 32767) if total > 0 else 0
              for index in range(8)]
    values = [part if part > 0 else 0 for part in parts] if total > 0 else [total, *[0] * 7]
    total  = max(total, 1)
    places = total.bit_length() - 1
    whole, rest = divmod(total << 30 - places, 1 << 16)
    whole += rounding is not RoundMode.FLOOR and (
        rest > 1 << 15 or (rest == 1 << 15 and (rounding is RoundMode.UP or whole % 2 == 1)))
    inverse = min(2 ** 29 // min(whole, 32767), 32767)
    summed  = element_pass(0, 1, reduce=Reduce.SUM, table_rounding=rounding)

    assert run_elements(values, summed, element_pass(0, 1, inverted=True)) == [inverse] * 8
    assert run_elements(values, summed, element_pass(0, 1, adjust=Adjust.PLACES)) == [
        int(Fraction(value, 1 << places).__round__()) for value in values]


def test_scalars_fold_over_passes_and_drop_the_end():
    values = [5, 1, 2, 3, 4, 100, 200, 9]

    kept = run_elements(values, element_pass(0, 1, reduce=Reduce.SUM, drop=2),
                        element_pass(0, 1, reduce=Reduce.SUM, fresh=False, drop=3),
                        element_pass(0, 1, shift=-5, adjust=Adjust.PLACES))

    # small has two elements a group: at most two are dropped
    assert (sum(values[:6]) * 2).bit_length() - 1 == 7
    assert kept == [round(Fraction(value, 4)) for value in values]


def test_a_scalar_must_be_waited_for():
    machine = machine_with_noise(SMALL, 0)
    machine.load([element_pass(0, 1, reduce=Reduce.SUM),
                  element_pass(0, 1, inverted=True, last=True)])

    with pytest.raises(ProgramError, match=r"^Pass 1 must wait: it uses a scalar of pass 0$"):
        machine.run()
