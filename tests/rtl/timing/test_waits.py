# SPDX-License-Identifier: Apache-2.0
"""A pass reads, in RTL, what the pass before has just written, at once or after its wait."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import SIZES
from xymac.hdl.isa import (
    BANKS,
    Access,
    AccumulatorRange,
    Memory,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Width,
    bias_rows,
)

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


def fill_at_random(rng, x_size, y_size):
    """Cells of X and Y."""
    return [rng.integers(0, 1 << 16, size) for size in (x_size, y_size)]


def assert_alike(program, config, device, rng, fill=None):
    """Golden machine and RTL leave the same in X after ``program``; ``fill`` sets the cells of X
    and Y, which are random by default."""
    machine = Machine(config)
    fill    = fill or fill_at_random
    cells   = dict(zip((Memory.X, Memory.Y), (values.astype("<u2") for values in fill(
        rng, machine.x.size, machine.y.size)), strict=True))
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


@pytest.mark.parametrize("word", range(3))
@each_name
def test_each_word_of_a_bias_may_be_the_last_result(size, word, rtl):
    """The second pass has only its bias, of which all words but one are 0."""
    config = SIZES[size]
    row    = 140 + bias_rows(config.ways) - 1 - word // config.ways
    base   = BANKS * (row * config.ways + word % config.ways)
    common = {"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
              "y_width": Width.BITS16, "z_width": Width.BITS16, "clip": (-32768, 32767),
              "acc_range": AccumulatorRange.BITS40, "y": Access(0, 0, 0)}
    first  = Pass(x=Access(0, 0, 3), z=Access(base, base, base + 3), z_memory=Memory.Y, **common)
    second = Pass(x=Access(4, 4, 7), z=Access(400, 400, 403), bias_row=140, shift=16 * word,
                  wait=True, last=True, **common)

    def fill(rng, x_size, y_size):
        x, y = np.zeros(x_size, int), np.zeros(y_size, int)
        x[:BANKS * config.lanes] = rng.integers(1, 100, BANKS * config.lanes)
        x[BANKS * config.ways:] = 0
        y[:config.lanes] = 1
        return x, y

    for key in range(3):
        assert_alike([first, second], config, rtl(size), random_of(key), fill)
        assert rtl(size).read_cells(Memory.X, 400 * config.ways, config.lanes).all()
