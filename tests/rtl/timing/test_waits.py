# SPDX-License-Identifier: Apache-2.0
"""A pass reads, in RTL, what the pass before has just written, at once or after its wait."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import SIZES
from xymac.hdl.isa import BANKS, Access, Memory, Pass, RoundMode, Scale, Shape, Width, bias_rows

ROWS = 24  #: Outputs of the first pass.


def programs(config, scaled):
    """Pairs of passes: the second reads what an output of the first has written as soon as it may;
    at last it waits, and its first step reads the last output, each group by itself.
    """
    words = {"x_width": Width.BITS16, "z_width": Width.BITS16}
    words |= {"scale": Scale.BITS32, "rounding": RoundMode.UP, "bias_row": 100} if scaled else {
        "shift": 15}
    first = Pass(x=Access(0, 0, 4 * ROWS - 1, (0, 0, 4)), y=Access(0, 0, 0),
                 z=Access(200, 200, 199 + 4 * ROWS, (0, 0, 4)), outer=(1, 1, ROWS),
                 x_shape=Shape.LANES, y_shape=Shape.LANES, clip=(-32768, 32767), **words)
    for output in range(ROWS - 1, ROWS - 9, -1):
        steps = config.depth - BANKS * (ROWS - 1 - output) - 1
        yield [first, Pass(x=Access(0, 0, 199 + 4 * ROWS, taps=(0, 200 + 4 * output, 0)),
                           y=Access(0, 0, 0), z=Access(400, 400, 403), taps=(1, 2, steps),
                           clip=(-32768, 32767), last=True, **words)]
    for group in range(BANKS):
        last = 200 + BANKS * (ROWS - 1) + group
        yield [first, Pass(x=Access(last, last, last), y=Access(0, 0, 0), z=Access(400, 400, 403),
                           clip=(-32768, 32767), last=True, wait=True, **words)]
    row, groups = 140, BANKS * config.ways  # the same in Y: an output is one way of all lanes
    last = row * config.ways + ROWS - 1
    yield [replace(first, z_memory=Memory.Y, z=Access(row * groups, row * groups, row * groups
                                                      + 4 * ROWS - 1, (0, 0, 4))),
           Pass(x=Access(0, 0, 0), y=Access(last, last, last), z=Access(400, 400, 403),
                y_shape=Shape.LANES, y_width=Width.BITS16, clip=(-32768, 32767), last=True,
                wait=True, **words)]


def assert_alike(program, config, device, rng):
    """Golden machine and RTL leave the same in X after ``program``, of random cells."""
    machine = Machine(config)
    cells = {Memory.X: rng.integers(0, 1 << 16, machine.x.size).astype("<u2"),
             Memory.Y: rng.integers(0, 1 << 16, machine.y.size).astype("<u2")}
    machine.x[:], machine.y[:] = cells[Memory.X], cells[Memory.Y]
    for memory, values in cells.items():
        device.write_cells(memory, 0, values)
    machine.load(program)
    machine.run()

    device.load_program(program)
    device.run().check()

    np.testing.assert_array_equal(device.read_cells(Memory.X, 0, machine.x.size), machine.x)


@pytest.mark.parametrize("scaled", [False, True])
@each_name
def test_results_are_there_in_time(size, scaled, rtl):
    rng = random_of(1)
    for program in programs(SIZES[size], scaled):
        assert_alike(program, SIZES[size], rtl(size), rng)


@pytest.mark.parametrize("scaled", [False, True])
@each_name
def test_records_of_a_waiting_pass_may_be_results(size, scaled, rtl):
    config = SIZES[size]
    first, second = next(programs(config, scaled))
    row    = 140  # from here on the first pass writes Y, and the records of the second one at last
    base   = row * BANKS * config.ways
    first  = replace(first, z_memory=Memory.Y,
                     z=Access(base, base, base + 4 * ROWS - 1, (0, 0, 4)))
    second = replace(second, wait=True, x=Access(0, 0, 3),
                     bias_row=row + ROWS // config.ways - bias_rows(config.ways))
    assert_alike([first, second], config, rtl(size), random_of(2))
