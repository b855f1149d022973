# SPDX-License-Identifier: Apache-2.0
"""Loops over groups: what they cover, and how few passes they are."""

import numpy as np
import pytest

from xymac.golden.mli1 import Tensor
from xymac.hdl.config import BASE
from xymac.hdl.isa import Access
from xymac.host.lower.sweep import Loop, copy, cover
from xymac.host.memory.layout import TensorLayout

ONE = Access(0, 0, 0)


def images():
    """Source of 2 x 3 x 4 x 5 x 6 groups, target of twice that."""
    x = Tensor(np.zeros((2, 3, 4, 5, 24), np.int8), 0)
    wide = Tensor(np.zeros((2, 3, 4, 5, 48), np.int8), 0)
    return (TensorLayout.of(tensor, range(5), BASE.ways) for tensor in (x, wide))


def written(passes):
    """Pairs (group read, group written) of passes that copy."""
    for pass_ in passes:
        for index in np.ndindex(*pass_.loop.outer):
            x, z = (access.base + int(np.dot(index, access.outer))
                    for access in (pass_.operands.x, pass_.epilogue.z))
            yield from ((x + beat, z + beat) for beat in range(pass_.epilogue.beats))


@pytest.mark.parametrize("groups", [1, 3, 4, 6])
def test_more_loops_than_a_pass_has_become_passes(groups):
    source, target = images()
    loops = [Loop(size, source.step(axis) + 1, 0, target.step(axis))
             for axis, size in enumerate(source.dims)]

    passes = copy(source, target, ONE, groups, loops)

    expected = {(sum(i * (source.step(axis) + 1) for axis, i in enumerate(index)) + group,
                 sum(i * target.step(axis) for axis, i in enumerate(index)) + group)
                for index in np.ndindex(*source.dims) for group in range(groups)}
    pairs = list(written(passes))
    assert len(pairs) == len(expected)
    assert set(pairs) == expected


def test_what_lies_together_is_one_loop():
    source, _ = images()
    loops = [Loop(size, source.step(axis), 0, source.step(axis))
             for axis, size in enumerate(source.dims)]
    [pass_] = copy(source, source, ONE, source.pitch, loops)
    assert (pass_.loop.outer, pass_.epilogue.beats) == ((1, 1, source.groups // 4), 4)


def test_rows_that_follow_one_another_are_one_loop():
    source, target = images()
    loops = [Loop(size, source.step(axis), 0, target.step(axis))
             for axis, size in enumerate(source.dims)]
    full, rest = copy(source, target, ONE, source.pitch, loops)
    assert (full.loop.outer, full.epilogue.beats) == ((1, 1, 120), 4)
    assert (rest.loop.outer, rest.epilogue.beats) == ((1, 1, 120), 2)
    assert (rest.operands.x.base, rest.epilogue.z.base) == (4, 4)


@pytest.mark.parametrize("groups", [*range(4, 20), 249, 250, 252])
def test_a_tile_meets_all_groups_and_no_others(groups):
    counts, strides = cover(groups)
    met = {int(np.dot(index, strides)) + beat for index in np.ndindex(*counts) for beat in range(4)}
    assert met == set(range(groups))
