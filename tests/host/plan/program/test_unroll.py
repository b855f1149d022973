# SPDX-License-Identifier: Apache-2.0
"""Loops of passes written out: what they leave is what the loop leaves."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.machine.machine import Machine
from xymac.hdl.config import TINY
from xymac.hdl.isa import BACK_MAX, Access, Move, Pass, Shape, Width
from xymac.host.plan.program.segments import cut_program
from xymac.host.plan.program.unroll import unroll_loops

ROOM = replace(TINY, passes=256)
WORD = Access(0, 0, 0)


def copy(source, target, moves, factor):
    """Pass that writes four groups of X times a word of Y."""
    x, z = (Access(group, 0, 4095, move=move)
            for group, move in zip((source, target), moves, strict=True))
    return Pass(x=x, y=replace(WORD, base=factor, high=3), z=z, x_shape=Shape.LANES,
                y_shape=Shape.LANES, clip=(-32768, 32767),
                x_width=Width.BITS16, y_width=Width.BITS16, z_width=Width.BITS16)


def loop(length, repeat, rng):
    """A pass, a loop of ``length`` passes that move in all ways, and another pass."""
    body = [copy(*rng.integers(500, 3000, 2).tolist(), rng.choice(list(Move), 2).tolist(),
                 int(rng.integers(4))) for _ in range(length)]
    body[-1] = replace(body[-1], back=length - 1, repeat=repeat, advance=(-7, 12))
    return [copy(100, 700, (Move.NONE, Move.NONE), 1), *body,
            copy(700, 900, (Move.NONE, Move.NONE), 2)]


def cells_after(config, programs):
    machine = Machine(config)
    machine.x[:], machine.y[:16] = random_of(5).integers(0, 9, machine.x.size), np.arange(16)
    for program in programs:
        machine.load(program)
        assert machine.run().pass_index == len(program) - 1
    return machine.x


@pytest.mark.parametrize(("length", "repeat"), [(33, 1), (40, 5), (BACK_MAX + 1, 2)])
def test_a_loop_written_out_leaves_the_same(length, repeat):
    passes   = loop(length, repeat, random_of(length))
    unrolled = unroll_loops(passes, TINY)

    assert len(unrolled) == 2 + length * (repeat + 1)
    assert not any(pass_.control.repeat or pass_.control.back for pass_ in unrolled)
    assert (cells_after(TINY, cut_program(unrolled, TINY)) ==
            cells_after(ROOM, cut_program(passes, ROOM))).all()


def test_loops_that_fit_stay():
    for length, config in ((32, TINY), (BACK_MAX + 1, ROOM)):
        passes = loop(length, 3, random_of(1))
        assert unroll_loops(passes, config) == passes


def test_a_loop_beyond_what_a_pass_can_go_back_is_written_out():
    passes = loop(BACK_MAX + 2, 3, random_of(1))
    assert len(unroll_loops(passes, ROOM)) == 2 + 4 * (BACK_MAX + 2)
