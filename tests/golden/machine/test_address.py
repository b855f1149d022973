# SPDX-License-Identifier: Apache-2.0
"""Whether an access stays in its window, against all its addresses one by one."""

from itertools import product

import pytest

from tests.support.seed import random_of
from xymac.golden.machine.address import keeps_inside
from xymac.hdl.isa import Access, AguMode
from xymac.hdl.isa.groups import Loop


def reached(access, loop, span):
    """All addresses of a linear access."""
    strides = (*access.outer, *access.taps)
    return {access.base + sum(index * stride for index, stride in zip(at, strides, strict=True))
            + beside for at in product(*map(range, (*loop.outer, *loop.taps)))
            for beside in range(span)}


@pytest.mark.parametrize("seed", range(60))
def test_a_linear_access_stays_inside_or_leaves(seed):
    rng  = random_of(seed)
    loop = Loop(tuple(rng.integers(1, 4, 3).tolist()), tuple(rng.integers(1, 4, 3).tolist()))
    span = int(rng.integers(1, 5))
    access = Access(1000, 0, 0, tuple(rng.integers(-9, 10, 3).tolist()),
                    tuple(rng.integers(-9, 10, 3).tolist()))
    all_ = reached(access, loop, span)
    for low, high in product((-1, 0, 1), repeat=2):
        window = Access(access.base, min(all_) + low, max(all_) + high, access.outer, access.taps)
        assert keeps_inside(window, loop, span) == (low <= 0 <= high)


def test_other_modes_are_never_known_to_stay():
    for mode in AguMode:
        access = Access(5, 0, 100, mode=mode)
        assert keeps_inside(access, Loop(), 1) == (mode is AguMode.LINEAR)
