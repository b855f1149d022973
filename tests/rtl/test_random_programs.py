# SPDX-License-Identifier: Apache-2.0
"""Random programs of all operations, reductions and saved sums: RTL equals the golden machine."""

import pytest

from tests.support.random_programs import draw_program
from tests.support.rtl_device import assert_same, run_rtl
from tests.support.seed import random_of
from xymac.hdl.isa import Status

COUNT = {"tiny": 40, "small": 40, "base": 40}  #: Programs without --stimuli.


@pytest.mark.parametrize("size", COUNT)
def test_random_programs(size, rtl, stimuli, counted):
    device, count, statuses = rtl(size), stimuli(COUNT[size]), set()
    device.harness.reset()
    rng = random_of([404, len(size)])
    for number in range(count):
        program, expected = draw_program(rng, device.config, number % 50)

        run = run_rtl(device, program, seed=number % 50)

        assert_same(run, expected, program)
        statuses.add(expected.result.status)
    counted(f"random programs in RTL, {size}", count)

    assert {Status.OK, Status.X_ACCESS, Status.EMPTY} <= statuses
