# SPDX-License-Identifier: Apache-2.0
"""Later passes take the cycles of waits, and every result stays the same."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import each_core
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import BASE
from xymac.hdl.isa import Access, Pass, Reduce, Shape, State, Width
from xymac.host.cycles.model import predict
from xymac.host.plan.program.fillers import fill_waits
from xymac.host.plan.program.waits import set_waits

WORDS = {"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
         "y_width": Width.BITS16, "z_width": Width.BITS16, "clip": (-32768, 32767)}


def copy(source, target, count=1, **fields):
    """Pass that copies ``count`` rows of four groups from group ``source`` to ``target``."""
    x, z = (Access(first, first, first + 4 * count - 1, (0, 0, 4)) for first in (source, target))
    return Pass(**{"x": x, "y": Access(0, 0, 0), "z": z, "outer": (1, 1, count)} | WORDS | fields)


CHAIN = [copy(0, 100), copy(100, 200), copy(200, 300)]


def order_of(passes, config=BASE):
    return [index for index, _ in fill_waits(passes, config)]


def cycles_of(passes, config=BASE):
    return predict(set_waits(passes, config), config).cycles


def cells_after(passes, config):
    machine = Machine(config)
    machine.x[:], machine.y[:] = random_of(5).integers(-99, 99, machine.x.size), 1
    machine.load(set_waits(passes, config))
    assert machine.run().state is State.DONE
    return machine.x


def test_a_copy_moves_before_the_wait():
    made = fill_waits([*CHAIN[:2], copy(400, 600, 20)], BASE)

    assert [index for index, _ in made] == [0, 2, 1]
    assert not any(pass_.control.wait for pass_ in set_waits([pass_ for _, pass_ in made], BASE))
    assert cycles_of([pass_ for _, pass_ in made]) <= cycles_of(
        [*CHAIN[:2], copy(400, 600, 20)]) - 20


def test_a_long_copy_fills_two_waits():
    passes = [*CHAIN, copy(400, 600, 40)]

    made = fill_waits(passes, BASE)

    assert [index for index, _ in made] == [0, 3, 1, 3, 2]
    assert sum(pass_.loop.outer[2] for index, pass_ in made if index == 3) == 40
    assert np.array_equal(cells_after([pass_ for _, pass_ in made], BASE),
                          cells_after(passes, BASE))


def test_short_copies_fill_a_wait_together():
    shorts = [copy(400 + 40 * number, 600 + 40 * number, 6) for number in range(3)]

    assert order_of([*CHAIN[:2], *shorts]) == [0, 2, 3, 4, 1]


@pytest.mark.parametrize("other", [
    copy(200, 600, 20),                   # reads what the waiting pass writes
    copy(400, 200, 20),                   # writes the same
    copy(400, 100, 20),                   # writes what the waiting pass reads
    copy(400, 600, 20, reduce=Reduce.MAX),
    copy(400, 600, 20, hold=True, z=Access(600, 600, 603)),
    copy(400, 600, 20, repeat=1)])
def test_passes_that_depend_on_the_wait_stay(other):
    assert order_of([*CHAIN[:2], other]) == [0, 1, 2]


def test_loops_and_full_programs_stay():
    far = copy(400, 600, 20)

    assert order_of([CHAIN[0], replace(CHAIN[1], back=1, repeat=2), far]) == [0, 1, 2]
    assert order_of([CHAIN[0], CHAIN[1], replace(CHAIN[2], repeat=2), far]) == [0, 1, 2, 3]
    assert order_of([*CHAIN[:2], far] * 43)[:3] == [0, 1, 2]  # 129 passes


@each_core
@pytest.mark.parametrize("key", range(25))
def test_random_programs_are_never_later_and_leave_the_same(config, key):
    rng, passes = random_of(key), []
    for _ in range(int(rng.integers(3, 12))):
        source, target = rng.choice(12, 2, replace=False) * 40
        passes.append(copy(int(source), int(target), int(rng.integers(1, 10))))

    made = [pass_ for _, pass_ in fill_waits(passes, config)]

    assert cycles_of(made, config) <= cycles_of(passes, config)
    assert np.array_equal(cells_after(made, config), cells_after(passes, config))


def test_random_programs_do_change():
    changed = 0
    for key in range(25):
        rng    = random_of(key)
        passes = [copy(int(source) * 40, int(target) * 40, int(rng.integers(1, 10)))
                  for source, target in (rng.choice(12, 2, replace=False) for _ in range(9))]
        changed += order_of(passes) != [*range(9)]

    assert changed > 5
