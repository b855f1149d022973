# SPDX-License-Identifier: Apache-2.0
"""Items of a period never overlap, stay while nothing comes over them, and are loaded else."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.host.image.ring import place_in_ring


def check(sizes, uses, room, align=1, *, ends=False, within=None):
    """Follow the memory through all periods; returns the number of loads, None if refused."""
    placed = place_in_ring(sizes, uses, room, align, ends=ends, within=within)
    if placed is None:
        return None
    fixed, moving = placed
    memory, loads = np.full(room, -1), 0
    for item, first in fixed.items():
        assert (memory[first:first + sizes[item]] == -1).all()
        assert first + sizes[item] <= (within or {}).get(item, room)
        memory[first:first + sizes[item]] = item
    for use, period in zip(uses, moving, strict=True):
        assert {*use} <= fixed.keys() | period.keys()
        for item, (first, is_new) in period.items():
            assert first % align == 0
            assert first + sizes[item] <= (within or {}).get(item, room)
            assert first + sizes[item] <= room
            if is_new:
                memory[first:first + sizes[item]] = item
                loads += 1
        for item in use:
            first = fixed.get(item, period.get(item, (0,))[0])
            assert (memory[first:first + sizes[item]] == item).all()
    return loads


def test_all_stay_if_they_fit():
    assert check({0: 3, 1: 4, 2: 1}, [[0], [1], [2, 0]], 8) == 0


def test_neighbours_lie_apart_if_both_fit():
    fixed, moving = place_in_ring(dict.fromkeys(range(4), 4), [[0], [1], [2], [3]], 9)
    firsts = [next(iter(period.values()))[0] for period in moving]
    assert fixed == {}
    assert firsts[0] != firsts[1] != firsts[2] != firsts[3]


def test_the_items_used_most_stay():
    fixed, _ = place_in_ring({0: 2, 1: 5, 2: 5}, [[0, 1], [2], [0, 1], [2], [0]], 12)
    assert 0 in fixed


def test_a_period_that_does_not_fit():
    assert place_in_ring({0: 5, 1: 5}, [[0, 1]], 9) is None


def test_random_periods():
    rng, kinds = random_of(8), set()
    for _ in range(300):
        count = int(rng.integers(1, 9))
        align = int(rng.choice([1, 4]))
        sizes = {item: align * int(rng.integers(1, 9)) for item in range(count)}
        uses  = [rng.permutation(count)[:rng.integers(1, 4)].tolist() for _ in range(6)]
        sizes = {item: size for item, size in sizes.items() if any(item in use for use in uses)}
        loads = check(sizes, uses, align * int(rng.integers(8, 40)), align)
        kinds.add(loads if loads is None else loads > 0)
    assert kinds == {None, True, False}


@pytest.mark.parametrize("ends", [False, True])
def test_random_periods_with_limits(ends):
    rng, kinds = random_of(9), set()
    for _ in range(300):
        count = int(rng.integers(1, 9))
        align = int(rng.choice([1, 4]))
        sizes = {item: align * int(rng.integers(1, 9)) for item in range(count)}
        uses  = [rng.permutation(count)[:rng.integers(1, 4)].tolist() for _ in range(6)]
        sizes = {item: size for item, size in sizes.items() if any(item in use for use in uses)}
        room  = int(rng.integers(8, 160))
        within = {item: int(rng.integers(1, 40)) for item in sizes if rng.integers(3) == 0}
        loads  = check(sizes, uses, room, align, ends=ends, within=within)
        kinds.add(loads if loads is None else loads > 0)
    assert kinds == {None, True, False}


def test_large_neighbours_lie_at_both_ends():
    """In 25 words two periods of 15 can share 5; the ring makes the third one wait for 10."""
    sizes = {0: 15, 1: 4, 2: 15, 3: 15}
    _, moving = place_in_ring(sizes, [[0], [1, 2], [3]], 25, ends=True)
    places = [{item: at for item, (at, _) in period.items()} for period in moving]
    assert places[0] == {0: 0}
    assert places[1][2] == 10
    assert places[2] == {3: 0}
