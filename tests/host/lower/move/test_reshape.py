# SPDX-License-Identifier: Apache-2.0
"""Layouts of the same elements in another shape."""

from itertools import permutations

import numpy as np

from tests.support.seed import random_of
from tests.support.tflite.moves import factors_of
from xymac.golden.tflm import Tensor
from xymac.host.lower.move.reshape import rename_layout
from xymac.host.memory.layout import TensorLayout


def blank(*shape):
    return Tensor(np.zeros(shape, np.int8))


def layouts_of(x, ways):
    """All TensorLayouts with runs in one part."""
    rank = len(x.shape)
    return [TensorLayout.of(x, order, ways, inner=inner)
            for order in permutations(range(rank)) for inner in range(rank + 1)]


def test_there_is_a_layout_if_any_lies_so():
    count_renamed = 0
    for key in range(60):
        rng     = random_of(key)
        count   = int(rng.choice([12, 24, 30, 36]))
        x, y    = blank(*factors_of(rng, count, 3)), blank(*factors_of(rng, count, 3))
        layouts = layouts_of(x, 4)
        layout  = layouts[rng.integers(len(layouts))]
        others  = [other for other in layouts_of(y, 4)
                   if np.array_equal(other.places(), layout.places())]
        renamed = rename_layout(layout.at(3), y)

        assert renamed is not None or not others
        if renamed is not None:
            count_renamed += 1
            assert (renamed.shape, renamed.row) == (y.shape, 3)
            assert np.array_equal(renamed.places(), layout.places())
    assert 10 < count_renamed < 50


def test_several_runs_are_one_of_several_parts():
    layout  = TensorLayout.of(blank(2, 4, 4, 10), range(4), 4)
    renamed = rename_layout(layout, blank(2, 160))

    assert (renamed.order, renamed.inner, renamed.parts) == ((0, 1), 1, (10,) * 16)


def test_what_is_wanted_decides_if_it_can():
    layout = TensorLayout.of(blank(1, 4, 4, 8), range(4), 4)

    for inner in (1, 2):
        wanted = TensorLayout.of(blank(1, 128), range(2), 4, inner=inner)
        assert rename_layout(layout, blank(1, 128), wanted) == wanted
    assert rename_layout(layout, blank(1, 128), TensorLayout.of(blank(1, 128), (1, 0), 4)) == (
        TensorLayout.of(blank(1, 128), range(2), 4))
