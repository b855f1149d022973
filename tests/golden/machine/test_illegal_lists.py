# SPDX-License-Identifier: Apache-2.0
"""Command lists that no compiler writes on the golden machine: each ends, nothing else changes."""

from collections import Counter

import numpy as np

from tests.support.illegal_lists import SIZE, draw_list
from tests.support.random_passes import without_faults
from tests.support.seed import random_of
from xymac.golden.machine.commands import HazardError, run_list
from xymac.golden.machine.machine import Machine, ProgramError
from xymac.hdl.config import find_size
from xymac.hdl.isa import PASS_STRIDE, ListStatus, Region, State, Table

CONFIG  = find_size("small,dma=32")
COUNT   = 400  #: Lists without --stimuli.
REGIONS = {Region.X: CONFIG.x_bytes, Region.Y: CONFIG.y_bytes,
           Region.PROGRAM: 8 * PASS_STRIDE * CONFIG.passes, Region.TABLES: 4096,
           Region.PLACES: 4 * len(Table)}


def test_illegal_lists(stimuli, counted):
    count, rng, statuses = stimuli(COUNT), random_of(411), Counter()
    machine = Machine(CONFIG)
    for number in range(count):
        if number % 50 == 0:  # lists write other words over the program
            machine.load([without_faults(rng, CONFIG) for _ in range(CONFIG.passes)])
        image = draw_list([412, number], CONFIG, REGIONS)
        before, cells = image.copy(), machine.x.copy()
        try:
            result = run_list(machine, image, 0)
        except (HazardError, ProgramError) as error:
            statuses[type(error)] += 1
            continue
        statuses[result.status] += 1
        assert (result.state is State.DONE) == (result.status is ListStatus.OK)
        assert result.entry <= SIZE // 32
        if result.entry == 0 and result.status is not ListStatus.PROGRAM:
            np.testing.assert_array_equal(image, before)
            np.testing.assert_array_equal(machine.x, cells)
    counted("illegal command lists on the golden machine", count)

    assert {ListStatus.OK, ListStatus.ILLEGAL, ListStatus.OUTSIDE, ListStatus.PROGRAM} <= {
        *statuses}, statuses
