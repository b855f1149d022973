# SPDX-License-Identifier: Apache-2.0
"""Rectangles move every unit once, whatever its positions, and few suffice for regular ones."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.host.image.rectangles import cut_rectangles


def moved(rectangles):
    """Dict from core to external positions."""
    found = {}
    for each in rectangles:
        for row in range(each.rows):
            for unit in range(each.size):
                core = each.core + row * each.core_stride + unit
                assert core not in found
                found[core] = each.external + row * each.external_stride + unit
    return found


def grid(shape, core, external):
    """Core and external positions of an index space, by strides."""
    index = np.indices(shape).reshape(len(shape), -1)
    return np.array(core) @ index, np.array(external) @ index


@pytest.mark.parametrize(("shape", "core", "external", "most"), [
    ((40,), (1,), (1,), 1), ((9, 5), (8, 1), (5, 1), 1), ((9, 5), (1, 9), (5, 1), 9),
    ((4, 300, 4), (4, 16, 1), (1200, 4, 1), 4),  # strips
    ((16, 80, 3, 9), (2240, 28, 9, 1), (960, 6, 480, 1), 48),  # windows, which overlap outside
    ((3, 4, 5), (200, 20, 2), (20, 5, 1), 12), ((7, 3), (3, 1), (0, 1), 1)])
def test_regular_positions_take_few(shape, core, external, most):
    core, external = grid(shape, core, external)
    found = cut_rectangles(core, external)
    assert moved(found) == dict(zip(core.tolist(), external.tolist(), strict=True))
    assert len(found) <= most


def test_any_positions():
    rng = random_of(3)
    for _ in range(40):
        count = int(rng.integers(1, 200))
        core  = rng.permutation(3 * count)[:count]
        external = rng.integers(0, count, count) if count % 2 else core // 2
        found = cut_rectangles(core, external, longest=int(rng.integers(1, 9)))
        assert moved(found) == dict(zip(core.tolist(), external.tolist(), strict=True))


def test_moved_positions_have_the_same_cut():
    rng  = random_of(4)
    core = rng.permutation(300)[:100]
    external = rng.integers(0, 90, 100)

    found = [replace(each, core=each.core + 7, external=each.external - 3)
             for each in cut_rectangles(core, external)]

    assert cut_rectangles(core + 7, external - 3) == found


def test_no_position_takes_none():
    assert cut_rectangles([], []) == []


def test_rows_are_limited():
    core, external = grid((70000,), (2,), (3,))
    found = cut_rectangles(core, external)
    assert max(each.rows for each in found) <= 65535
    assert sum(each.rows for each in found) == 70000
