# SPDX-License-Identifier: Apache-2.0
"""Waits are set where a pass may read what is not written yet, and only there."""

from dataclasses import replace

import pytest

from tests.support.naive.machine import reads_own_results
from tests.support.seed import random_of
from tests.support.sizes import each_core
from xymac.golden.machine.machine import Machine, ProgramError
from xymac.hdl.config import BASE
from xymac.hdl.isa import BANKS, Access, Memory, Move, Pass, Shape, State, Width
from xymac.host.plan.program.waits import set_waits

ROWS  = 24  #: Outputs of the first pass.
WORDS = {"x_width": Width.BITS16, "z_width": Width.BITS16}


def producer():
    """Copies groups 0 to 95 to 200 to 295, a row of four an output, elements of 16 bits."""
    return Pass(x=Access(0, 0, 4 * ROWS - 1, (0, 0, 4)), y=Access(0, 0, 0),
                z=Access(200, 200, 199 + 4 * ROWS, (0, 0, 4)), outer=(1, 1, ROWS),
                x_shape=Shape.LANES, y_shape=Shape.LANES, **WORDS)


def reader(steps, output):
    """Reads group 0 for ``steps`` steps, then what output ``output`` has written."""
    return Pass(x=Access(0, 0, 199 + 4 * ROWS, taps=(0, 200 + 4 * output, 0)), y=Access(0, 0, 0),
                z=Access(400, 400, 403), taps=(1, 2, steps), last=True, **WORDS)


@each_core
@pytest.mark.parametrize("output", [ROWS - 1, ROWS - 2, ROWS - 9])
def test_a_late_step_may_read_what_was_written_last(config, output):
    steps   = config.depth - BANKS * (ROWS - 1 - output) - 1
    early   = [producer(), reader(steps - 1, output)]
    in_time = [producer(), reader(steps, output)]
    machine = Machine(config)

    assert set_waits(early, config)[1].control.wait
    assert not set_waits(in_time, config)[1].control.wait
    machine.load(in_time)
    assert machine.run().state is State.DONE
    machine.load(early)
    with pytest.raises(ProgramError, match="Pass 1 must wait: its X window holds"):
        machine.run()


@each_core
def test_head_behind_tail_does_not_wait(config):
    again  = replace(producer(), x=Access(200, 200, 199 + 4 * ROWS, (0, 0, 4)),
                     z=Access(400, 400, 399 + 4 * ROWS, (0, 0, 4)))
    upward = replace(again, x=replace(again.operands.x, base=196 + 4 * ROWS, outer=(0, 0, -4)))

    assert not set_waits([producer(), again], config)[1].control.wait
    assert set_waits([producer(), upward], config)[1].control.wait


@each_core
@pytest.mark.parametrize("stride", [4, -4])
def test_outputs_beyond_the_memory_are_written_nowhere(config, stride):
    groups  = config.x_rows * BANKS
    first   = groups - 8 if stride > 0 else 4
    program = [replace(producer(), z=Access(first, 0, groups - 1, (0, 0, stride))), reader(1, 0)]

    assert not set_waits(program, config)[1].control.wait


def test_biases_and_weights_wait():
    # Group g of Y is in row g // 16, and address g // 16 of Y by VECTOR, of 16 bits.
    words = replace(producer(), z_memory=Memory.Y)
    last  = (199 + 4 * ROWS) // 16
    other = replace(producer(), z=Access(400, 400, 399 + 4 * ROWS, (0, 0, 4)))

    def waits(**fields):
        return set_waits([words, replace(other, **fields)], BASE)[1].control.wait

    assert waits(bias_row=last)
    assert not waits(bias_row=last + 1)
    assert waits(y=Access(last, 0, 99), y_shape=Shape.VECTOR, y_width=Width.BITS16)
    assert not waits(y=Access(last + 1, 0, 99), y_shape=Shape.VECTOR, y_width=Width.BITS16)


@pytest.mark.parametrize(("move", "waits"), [(Move.NONE, False), (Move.FIRST, True)])
def test_loops_wait_for_the_windows_of_what_moves(move, waits):
    """Other accesses are the same in each iteration."""
    again = replace(producer(), x=Access(200, 200, 199 + 4 * ROWS, (0, 0, 4), move=move),
                    z=Access(400, 400, 399 + 4 * ROWS, (0, 0, 4)), repeat=3)
    back  = replace(again, back=1)

    assert [pass_.control.wait for pass_ in set_waits([producer(), back], BASE)] == [False, waits]


@pytest.mark.parametrize("key", range(40))
def test_programs_keep_the_rule_of_the_machine(key):
    """What is set by rows is never less than what the machine asks of cells."""
    rng, passes = random_of(key), []
    while len(passes) < 6:
        starts = rng.integers(0, 64, 2) * 4
        count  = int(rng.integers(1, 30))
        step   = int(rng.choice([4, -4, 0]))
        base   = int(starts[0]) + (4 * count if step < 0 else 0)
        drawn  = Pass(x=Access(base, 0, 511, (0, 0, step)), y=Access(0, 0, 0),
                      z=Access(int(starts[1]), int(starts[1]), int(starts[1]) + 4 * count,
                               (0, 0, 4)), outer=(1, 1, count), x_shape=Shape.LANES,
                      y_shape=Shape.LANES, taps=(1, 1, int(rng.integers(1, 4))), **WORDS)
        if not reads_own_results(drawn, BASE):
            passes.append(drawn)
    machine = Machine(BASE)
    machine.load(set_waits(passes, BASE))

    assert machine.run().state is State.DONE
