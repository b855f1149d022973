# SPDX-License-Identifier: Apache-2.0
"""Tables of 256 elements as passes against the golden kernel."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from xymac.golden import xs3
from xymac.golden.xs3 import Integers
from xymac.hdl.config import BASE, SIZES, SMALL, TINY
from xymac.hdl.isa import Engine
from xymac.host.plan.plan import Plan

EVERY = np.arange(256, dtype=np.uint8)
#: Cores whose tables cannot be written.
PLAIN = [replace(config, name=f"{config.name}-plain", engine=Engine.MICROPROGRAM)
         for config in SIZES.values()]


@pytest.mark.parametrize("config", [*SIZES.values(), *PLAIN], ids=lambda config: config.name)
@pytest.mark.parametrize("table", [
    EVERY, EVERY[::-1], EVERY * 0 + 77, (EVERY > 3) * 255, np.where(EVERY % 2, 255, 0),
    random_of(0).permutation(EVERY)], ids=range(6))
def test_every_element_of_a_table(config, table):
    """Among them a table of one value, and one with all steps of full height."""
    rng = random_of(1)
    x   = Integers(rng.permutation(EVERY))
    assert_equals_golden(config, xs3.Lookup8(Integers(table.astype(np.uint8))), x)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(("config", "shape"), [
    (TINY, (1,)), (TINY, (7, 5)), (SMALL, (3, 5, 7)), (BASE, (9,)), (BASE, (520,)),
    (PLAIN[0], (1,)), (PLAIN[0], (7, 5)), (PLAIN[1], (3, 5, 7)), (PLAIN[2], (9,)),
    (PLAIN[2], (520,))])
def test_shapes_and_types(config, shape, dtype):
    """Among them loops over chunks of planes, with and without a rest."""
    rng   = random_of(2)
    table = rng.integers(0, 256, 256).astype(np.uint8).view(dtype)
    x     = rng.integers(0, 256, shape, np.uint8)
    for other in (np.uint8, np.int8):
        assert_equals_golden(config, xs3.Lookup8(Integers(table)), Integers(x.view(other)))


def test_long_inputs_are_a_loop():
    layer   = xs3.Lookup8(Integers(EVERY))
    lengths = [[len(Plan(config, [layer], Integers(np.zeros(size, np.int8))).program)
                for size in (128, 80 * 128, 80 * 128 + 17)] for config in (BASE, PLAIN[2])]

    assert lengths == [[1, 1, 2], [2, 2, 6]]


def test_flat_stretches_of_a_table_take_no_planes():
    steps = xs3.Lookup8(Integers(np.minimum(EVERY, 3)))
    x     = Integers(np.zeros(64, np.int8))

    assert [pass_.loop.outer[0] for pass_ in Plan(PLAIN[2], [steps], x).program] == [
        4, 1]
