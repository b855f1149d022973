# SPDX-License-Identifier: Apache-2.0
"""The index of the largest element as passes against the golden kernel."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden import xs3
from xymac.golden.xs3 import Integers
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.errors import Refusal, accept
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.plan import Plan


@each_size
@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 17, 63, 64, 65, 200])
def test_index_equals_golden(config, count):
    rng = random_of(count)
    for top in (1 << 15, 2, 1):  # elements of one value, too
        x = rng.integers(-top, top, count, np.int16)
        assert_equals_golden(config, xs3.Argmax16(), Integers(x))
        assert_equals_golden(config, xs3.Argmax16(), Integers(np.minimum(x, -1)))


@pytest.mark.parametrize("config", [TINY, BASE])
@pytest.mark.parametrize("place", [0, 1, 37, 99])
def test_every_place(config, place):
    for low, high in ((-32768, 32767), (-32768, -32767), (32766, 32767)):
        x = np.full(100, low, np.int16)
        x[[place, 99]] = high
        run = assert_equals_golden(config, xs3.Argmax16(), Integers(x))
        assert run.output.data.tolist() == [place]


def test_long_vectors():
    x = np.zeros(9000, np.int16)
    x[8765:] = 1
    assert assert_equals_golden(SMALL, xs3.Argmax16(), Integers(x[:7000])).output.data == 0
    assert assert_equals_golden(BASE, xs3.Argmax16(), Integers(x)).output.data == 8765


def test_x_has_no_room_for_more_than_the_indices_of_15_bits():
    """Not even the largest X: what does not fit it says so; what does is exact to its end."""
    largest = replace(BASE, x_rows=4096)
    with pytest.raises(Refusal, match=(
            r"^Layer 0 \(Argmax16\): its output needs 65632 bytes of X memory: of its 131072 bytes "
            r"65504 are free")):
        Plan(largest, [xs3.Argmax16()], Integers(np.zeros(32769, np.int16)))
    x = np.zeros(32752, np.int16)
    x[-1] = 1
    assert assert_equals_golden(largest, xs3.Argmax16(), Integers(x)).output.data == 32751


def test_inputs_in_parts_are_refused():
    x = Integers(np.zeros(9, np.int16))
    layout = replace(TensorLayout.flat(x, 4), parts=(4, 5))
    with pytest.raises(ValueError, match=r"^The input must be contiguous, not in pieces of "
                                         r"\(4, 5\) elements$"):
        accept(find_lowering(xs3.Argmax16(), [x], 4).find_target([layout]))
