# SPDX-License-Identifier: Apache-2.0
"""Programs that no compiler writes on the golden machine: each ends, inside of its windows."""

from collections import Counter

import numpy as np

from tests.support.illegal import decoded, draw_program
from tests.support.random_passes import CONFIGS, machine_with_noise
from tests.support.raw_words import written_cells
from tests.support.seed import random_of
from xymac.golden.machine.machine import ProgramError
from xymac.hdl.isa import PASS_WORDS, Memory, State, Status

COUNT = 400  #: Programs without --stimuli.


def load(machine, program):
    """Write encoded passes and an empty one behind to the program memory."""
    words = [[packed >> 64 * index & (1 << 64) - 1 for index in range(PASS_WORDS)]
             for packed in [*program, 0][:len(machine.program)]]
    machine.program.words[:] = 0
    machine.program.words[:len(words), :PASS_WORDS] = words
    machine.program.decode(0, len(machine.program))


def run(machine, program):
    """Status of a program, None for one that must wait; nothing outside its windows changes."""
    load(machine, program)
    before = {Memory.X: machine.x.copy(), Memory.Y: machine.y.copy()}
    try:
        result = machine.run()
    except ProgramError:
        result = None
    masks = written_cells(program, machine_config(machine))
    for memory, cells in ((Memory.X, machine.x), (Memory.Y, machine.y)):
        changed = np.flatnonzero((cells != before[memory]) & ~masks[memory])
        assert not changed.size, (memory, changed[:9], [*map(hex, program)])
    if result is None:
        return None
    assert (result.state is State.DONE) == (result.status is Status.OK)
    assert result.pass_index <= len(program)
    if result.pass_index < len(program) and decoded(program[result.pass_index]) is None:
        assert result.status is Status.OPCODE
    return result.status


def machine_config(machine):
    return next(config for config in CONFIGS if config.ways == machine.ways)


def test_illegal_programs(stimuli, counted):
    count, rng, statuses = stimuli(COUNT), random_of(401), Counter()
    machines = [machine_with_noise(config, 402 + config.ways) for config in CONFIGS]
    for number in range(count):
        machine = machines[number % len(machines)]
        program = draw_program(rng, machine_config(machine), int(rng.integers(1, 4)))
        statuses[run(machine, program)] += 1
    counted("illegal programs on the golden machine", count)

    wanted = {Status.OK, Status.OPCODE, Status.COUNT, Status.WINDOW, Status.X_ACCESS,
              Status.Y_ACCESS, Status.Z_ACCESS}
    assert wanted <= {*statuses}
