# SPDX-License-Identifier: Apache-2.0
"""A pass reads a result in RTL in the first cycle in which the golden machine lets it."""

from bisect import bisect_left
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac.golden.machine.machine import Machine, ProgramError
from xymac.hdl.config import SIZES
from xymac.hdl.isa import (
    BANKS,
    Access,
    Memory,
    Op,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Table,
    Width,
    bias_rows,
)
from xymac.host.plan.program.waits import set_waits

OUTPUTS = 24   #: Of the pass that writes; the last is read.
STEPS   = 12   #: Of each of its outputs: the next pass is ready to begin in the next cycle.
SOURCE  = 200  #: First vector of its results.
AREA    = 200  #: Vectors that random passes read or write.
RECORD  = 100  #: Row of Y with the records.
KINDS   = {"plain": {}, "scaled": {"scale": Scale.BITS32, "rounding": RoundMode.UP},
           "looked": {"table": Table.TANH, "table_shift": 3},
           "scaled and looked": {"scale": Scale.BITS32, "rounding": RoundMode.UP,
                                 "table": Table.TANH, "table_shift": 3}}
BY_LANE = {"x_shape": Shape.LANES, "y_shape": Shape.LANES}
READERS = {"vector": {}, "vector by lane": {"y_shape": Shape.LANES}, "lanes": BY_LANE,
           "vector to lanes": {"x_shape": Shape.LANES}, "maximum": {"op": Op.MAX},
           "maximum by lane": {"op": Op.MAX} | BY_LANE, "cross": {"op": Op.CROSS}}


def writer(width, **fields):
    """Writes vectors from ``SOURCE`` on."""
    last = SOURCE + BANKS * OUTPUTS - 1
    return Pass(**{"x": Access(0, 0, BANKS * OUTPUTS - 1, (0, 0, BANKS)), "y": Access(0, 0, 0),
                   "z": Access(SOURCE, SOURCE, last, (0, 0, BANKS)),
                   "outer": (1, 1, OUTPUTS), "taps": (1, 1, STEPS), "x_shape": Shape.LANES,
                   "y_shape": Shape.LANES, "x_width": width, "z_width": width,
                   "clip": (-128, 127)} | records(fields))


def reader(width, vector, steps, **fields):
    """Reads vector 0 for ``steps`` steps, then ``vector``."""
    return Pass(**{"x": Access(0, 0, 319, taps=(0, vector, 0)), "y": Access(0, 0, 0),
                   "z": Access(400, 400, 403), "taps": (1, 2, steps), "x_width": width,
                   "z_width": Width.BITS16, "clip": (-32768, 32767),
                   "last": True} | records(fields))


def records(fields):
    return fields | ({"bias_row": RECORD} if "scale" in fields else {})


def find_steps(make, config):
    """The fewest steps without a wait of the second pass of ``make(steps)``, at most 79; more steps
    give more time."""
    counts = range(1, 80)
    return counts[bisect_left(counts, True, key=lambda steps: (
        not set_waits(make(steps), config)[-1].control.wait))]


def assert_in_time(make, config, device, width=Width.BITS16):
    """The RTL result of the program ``make(steps)`` with the fewest steps is that of the machine,
    which refuses a step less.
    """
    steps   = find_steps(make, config)
    machine = Machine(config)
    noise(machine, width)
    if steps > 1:
        machine.load(make(steps - 1))
        with pytest.raises(ProgramError, match="must wait"):
            machine.run()
    noise(machine, width)
    for memory, cells in ((Memory.X, machine.x), (Memory.Y, machine.y)):
        device.write_cells(memory, 0, cells)
    machine.load(make(steps))
    machine.run()
    device.load_program(make(steps))
    device.run().check()

    read = device.read_cells(Memory.X, 0, machine.x.size)
    np.testing.assert_array_equal(read, machine.x, err_msg=f"{steps} steps")


def noise(machine, width=Width.BITS8):
    """Fill X and Y with small elements of a width, and write records with a factor of 1."""
    rng = random_of(3)
    narrow = width is Width.BITS8
    for cells in (machine.x, machine.y):
        cells[:] = rng.integers(1, 6, cells.size) * (0x101 if narrow else 1)
    rows, ways = bias_rows(machine.ways), machine.ways
    words = np.zeros((2, rows * ways), np.uint16)
    for word in range(3):
        words[0, word] = ((1 << 30) | (30 << 37)) >> 16 * word & 0xFFFF
    in_rows = words.reshape(2, rows, ways)[:, ::-1]  # the most significant row is first
    y = machine.y.reshape(-1, ways, machine.lanes)
    y[RECORD:RECORD + 2 * rows] = in_rows.reshape(2 * rows, ways)[..., None]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("how", READERS)
@each_name
def test_results_are_read_as_soon_as_they_may(size, how, name, rtl):
    config, scaled = SIZES[size], {key: value for key, value in KINDS[name].items()
                                   if key in ("scale", "rounding")}
    for width, group in product(Width, range(BANKS)):
        vector = SOURCE + BANKS * (OUTPUTS - 1) + (0 if "lanes" in how or how == "cross" else group)
        assert_in_time(lambda steps, width=width, vector=vector: [
            writer(width, **KINDS[name]), reader(width, vector, steps, **READERS[how], **scaled)],
            config, rtl(size), width)


@pytest.mark.parametrize("name", ["plain", "scaled"])
@each_name
def test_short_passes_take_the_cycles_of_their_records(size, name, rtl):
    """Also of several outputs, each of which has records of its own, and of none."""
    fields = KINDS[name] | {"bias_row": RECORD}
    for outer, taps in ((1, 1), (1, 3), (2, 1), (2, 6)):
        between = Pass(**{"x": Access(0, 0, 3), "y": Access(0, 0, 3), "outer": (outer, 1, 1),
                          "taps": (1, 1, taps), "z": Access(700, 700, 703)} | fields)
        assert_in_time(lambda steps, between=between: [
            writer(Width.BITS16, **KINDS[name]), between,
            reader(Width.BITS16, SOURCE + BANKS * OUTPUTS - 1, steps, **fields)],
            SIZES[size], rtl(size))


@pytest.mark.parametrize("shape", Shape)
@each_name
def test_results_in_y_are_read_as_soon_as_they_may(size, shape, rtl):
    config = SIZES[size]
    row, vectors = 140, BANKS * config.ways  # vectors in a row
    last = row + -(-BANKS * OUTPUTS // vectors) - 1
    end  = (last + 1) * vectors - 1
    to_y = {"z_memory": Memory.Y, "z": Access(row * vectors, row * vectors, end, (0, 0, BANKS))}
    at = {Shape.VECTOR: last, Shape.LANES: last * config.ways + (OUTPUTS - 1) % config.ways}[shape]
    assert_in_time(lambda steps: [
        writer(Width.BITS16, **to_y),
        reader(Width.BITS16, 0, steps, y=Access(0, 0, 1200, taps=(0, at, 0)), y_shape=shape,
               y_width=Width.BITS16)], config, rtl(size))


@each_name
def test_records_are_read_as_soon_as_they_may(size, rtl):
    """A pass between both takes the cycles; the bias of the last is written by the first."""
    config = SIZES[size]
    row, vectors = 140, BANKS * config.ways
    rows = bias_rows(config.ways)
    to_y = {"z_memory": Memory.Y, "z": Access(row * vectors, row * vectors,
                                              row * vectors + BANKS * OUTPUTS - 1, (0, 0, BANKS))}
    last = row + -(-BANKS * OUTPUTS // vectors) - 1
    assert_in_time(lambda steps: [
        writer(Width.BITS16, **to_y),
        reader(Width.BITS16, 0, steps, z=Access(700, 700, 703), last=False),
        replace(reader(Width.BITS16, 0, 1), bias_row=last - rows + 1)], config, rtl(size))


def random_pass(rng, config):
    """A pass of a random kind from one area of X to another, in which passes before have written.
    """
    width  = rng.choice(list(Width))
    kind   = KINDS[rng.choice(list(KINDS))]
    how    = READERS[rng.choice(list(READERS))]
    a, b, c = (int(rng.integers(1, 4)) for _ in range(3))
    areas  = rng.permutation(2) * AREA + SOURCE
    source, target = (int(area) + BANKS * int(rng.integers(0, 8)) for area in areas)
    low, to_low = map(int, areas)
    return Pass(**{
        "x": Access(source, low, low + AREA - 1, (4, int(rng.integers(0, 8)), 4), (1, 0, 4)),
        "y": Access(0, 0, 40, taps=(0, 0, 1)), "outer": (a, b, c),
        "beats": int(rng.integers(1, BANKS + 1)),
        "taps": (int(rng.integers(1, 3)), 1, int(rng.integers(1, 7))),
        "z": Access(target, to_low, to_low + AREA - 1, (24, 8, 4)),
        "x_width": width, "z_width": width, "clip": (-5, 5)} | how | records(kind)
        | ({"once": True} if "scale" in kind and rng.integers(2) else {}))


@pytest.mark.parametrize("key", range(10))
@each_name
def test_random_programs(size, key, rtl):
    config, rng = SIZES[size], random_of(key)
    for _ in range(4):
        program = set_waits([random_pass(rng, config) for _ in range(6)], config)
        machine, device = Machine(config), rtl(size)
        noise(machine)
        for memory, cells in ((Memory.X, machine.x), (Memory.Y, machine.y)):
            device.write_cells(memory, 0, cells)
        machine.load(program)
        machine.run()
        device.load_program(program)
        device.run().check()

        np.testing.assert_array_equal(device.read_cells(Memory.X, 0, machine.x.size), machine.x)
