# SPDX-License-Identifier: Apache-2.0
"""The heap of the golden machine: what passes rank, what pops leaves, and what never starts."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.random_passes import CONFIGS, SMALL
from tests.support.seed import random_of
from xymac.golden.machine.machine import Machine, ProgramError
from xymac.golden.mli2 import ArgMax, Element, Fixed, QuantTensor
from xymac.hdl.config import COMPACT
from xymac.hdl.isa import Access, Op, Pass, Reduce, Shape, State, Status, Width

OUT = 1000  # group
ONE = Access(base=0, low=0, high=0)


def rank(first, count, ways, size, **changes):
    """Rank ``count`` elements of 16-bit X from group ``first`` on, as a heap of ``size``."""
    groups = -(-count // ways)
    return Pass(x=Access(first, first, first + groups - 1, outer=(0, 0, 1)), y=ONE,
                z=Access(OUT, OUT, OUT), outer=(1, 1, groups), x_shape=Shape.LANES,
                y_shape=Shape.LANES, x_width=Width.BITS16, y_width=Width.BITS16,
                z_width=Width.BITS16, clip=(-32768, 32767), beats=1, reduce=Reduce.RANK,
                entry=size - 1, drop=-count % ways, wait=True, **changes)


def pop(at, ways):
    """Write the place at the root, plus 1 - 2**15, to group ``at`` behind ``OUT``; then pop."""
    return replace(rank(0, ways, ways, 1), z=Access(OUT + at, OUT, OUT + 99), y=Access(1, 1, 1),
                   reduce=Reduce.POP, anchored=True)


def run(config, values, passes):
    """State and status of a program, and elements of its groups from ``OUT`` on."""
    machine = Machine(replace(config, passes=32))
    machine.x[:len(values)] = np.array(values, np.int16).view(np.uint16)
    machine.y[:config.lanes] = 1
    machine.load([*passes[:-1], replace(passes[-1], last=True)])
    outcome = machine.run()
    groups  = machine.x[OUT * config.ways:(OUT + 100) * config.ways].view(np.int16)
    return outcome, groups.reshape(-1, config.ways)[:, 0].astype(int)


def places_of(values, topk):
    """Places of the largest values in the order of the library."""
    x = QuantTensor(np.array(values, np.int16), Element.FX_16, Fixed(3))
    return ArgMax(topk).run(x).output.data.ravel().tolist()


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.parametrize("size", range(1, 17))
def test_places_are_those_of_the_library(config, size):
    rng = random_of(size)
    for count in (size, size + 1, size + config.ways, 41):
        values = rng.integers(-3, 3, count)
        passes = [rank(0, count, config.ways, size),
                  *(pop(at, config.ways) for at in reversed(range(size)))]

        outcome, groups = run(config, values, passes)

        assert outcome.state is State.DONE
        assert (groups[:size] + 32767).tolist() == places_of(values, size)


def test_a_heap_goes_on_over_passes():
    """Places count on; a fresh one counts anew."""
    values = [5, 9, 7, 1, 8, 6, 9, 0]
    first, second = rank(0, 3, 2, 2), rank(2, 4, 2, 2, fresh=False)
    for passes, ranked in (([first, second], [5, 9, 7, 8, 6, 9, 0]),
                           ([first, replace(second, fresh=True)], [8, 6, 9, 0])):
        places = run(SMALL, values, [*passes, pop(1, 2), pop(0, 2)])[1][:2] + 32767
        assert places.tolist() == places_of(ranked, 2)


def test_an_element_behind_a_pop_begins_anew():
    """Of the same size; another pop, or a pass without an element, does not."""
    values = [5, 9, 7, 1, 8, 6, 9, 0]
    more   = rank(2, 4, 2, 2, fresh=False)
    passes = [rank(0, 3, 2, 2), pop(4, 2), pop(5, 2), more, pop(1, 2), pop(0, 2)]
    assert (run(SMALL, values, passes)[1][:2] + 32767).tolist() == places_of([8, 6, 9, 0], 2)


def test_the_only_element_stays():
    """It does where there are fewer elements than the heap can hold, too."""
    for size in (1, 9):
        passes = [rank(0, 1, 2, size), *(pop(at, 2) for at in range(3))]
        assert run(SMALL, [4, 4], passes)[1][:3].tolist() == [-32767] * 3


def test_a_maximum_takes_the_place_of_the_root():
    whole  = replace(rank(0, 2, 2, 1), reduce=Reduce.MAX, entry=0)
    lowest = replace(whole, reduce=Reduce.MIN)
    user   = replace(pop(3, 2), reduce=Reduce.NONE)
    for passes, most in (([whole, lowest, rank(0, 2, 2, 1)], 32766),
                         ([rank(0, 2, 2, 1), whole, lowest], 7)):
        assert run(SMALL, [7, 7], [*passes, user])[1][3] == -most


@pytest.mark.parametrize(("changes", "status", "field"), [
    ({"op": Op.MAX}, Status.OPCODE, 0), ({"op": Op.SPREAD, "beats": 2}, Status.OPCODE, 0),
    ({"beats": 2}, Status.COUNT, 6), ({"beats": 0}, Status.COUNT, 6)])
@pytest.mark.parametrize("reduce", [Reduce.RANK, Reduce.POP])
def test_what_never_starts(changes, status, field, reduce):
    outcome, groups = run(SMALL, [1], [replace(rank(0, 2, 2, 1), reduce=reduce, **changes)])
    assert (outcome.state, outcome.status, outcome.field) == (State.FAULT, status, field)
    assert not groups.any()


def test_the_compact_core_has_none():
    for pass_ in (rank(0, 1, 1, 1), pop(0, 1)):
        outcome, groups = run(COMPACT, [1], [pass_])
        assert (outcome.state, outcome.status) == (State.FAULT, Status.OPCODE)
        assert not groups.any()


def test_the_root_must_be_waited_for():
    program = [rank(0, 2, 2, 2), replace(pop(0, 2), x=Access(50, 50, 50), wait=False)]
    with pytest.raises(ProgramError, match=r"^Pass 1 must wait: it uses a scalar of pass 0$"):
        run(SMALL, [1], program)
