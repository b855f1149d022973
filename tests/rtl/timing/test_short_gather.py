# SPDX-License-Identifier: Apache-2.0
"""A gather of a few steps right behind another pass: the records of both are whole."""

from dataclasses import replace

import pytest

from tests.support.rtl_device import assert_counters, assert_same, run_machine, run_rtl
from xymac.hdl.isa import Access, Op, Pass, State, Width


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 7, 9])
@pytest.mark.parametrize("wait", [False, True])
def test_records_of_a_short_gather(steps, wait, rtl):
    device = rtl("tiny")
    held   = Pass(x=Access(5, 5, 5), y=Access(0, 0, 15, outer=(1, 0, 0)), z=Access(0, 0, 3),
                  outer=(16, 1, 1), y_width=Width.BITS16, shift=-16, hold=True)
    gather = Pass(x=Access(0, 0, 15, outer=(0, 0, 1)), y=Access(0, 0, 3), z=Access(64, 64, 79),
                  outer=(1, 1, steps), op=Op.GATHER, x_width=Width.BITS16, wait=wait)
    summed = Pass(x=Access(0, 0, 0), y=Access(0, 0, 0), z=Access(80, 80, 80), beats=1,
                  resume=True, last=True)
    program = [held, gather, summed]
    device.harness.reset()
    run_rtl(device, [replace(summed, resume=False)], seed=1)  # another record of the first pass
    actual = run_rtl(device, program, seed=1)
    assert actual.result.state is State.DONE
    assert_same(actual, run_machine(device.config, program, seed=1), program)
    assert_counters(actual.result)
