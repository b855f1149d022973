# SPDX-License-Identifier: Apache-2.0
"""Held sums and loops on the RTL where they are tight: programs written for one case each."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.rtl_device import assert_equals_machine, assert_same, run_rtl, sizes_of
from tests.support.sizes import each_name
from xymac.hdl.config import SIZES
from xymac.hdl.isa import (
    ROUNDINGS,
    Access,
    AccumulatorRange,
    Flag,
    Memory,
    Move,
    Pass,
    RoundMode,
    Width,
)
from xymac.host.device.device import MachineDevice
from xymac.host.plan.program.waits import set_waits

#: Two outputs of two steps on 16-bit noise; the results keep the lowest bits of the sums.
PASS = Pass(x=Access(40, 30, 99, (2, 0, 0), (0, 0, 1)), y=Access(30, 20, 99, (3, 0, 0), (0, 0, 1)),
            z=Access(200, 200, 299, (4, 0, 0)), outer=(2, 1, 1), taps=(1, 1, 2),
            x_width=Width.BITS16, y_width=Width.BITS16, z_width=Width.BITS16, shift=8,
            clip=(-(1 << 15), (1 << 15) - 1))
SHORT = replace(PASS, taps=(1, 1, 1), outer=(1, 1, 1), z=Access(300, 300, 399))


@each_name
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("shift", [-16, -1, 0, 1, 5, 30])
def test_a_sum_is_resumed_as_soon_as_it_is_held(size, rounding, shift, rtl):
    """The pass that resumes is fetched long before, so that nothing but the hold is waited for."""
    long = replace(SHORT, taps=(1, 1, 60), x=Access(40, 30, 99, taps=(0, 0, 1)),
                   y=Access(30, 20, 99, taps=(0, 0, 1)))
    held = replace(PASS, hold=True, shift=shift, rounding=rounding)
    for low, sums, entry in ((0, 2, 5), (4, 2, 5), (0, 1, 6)):  # both halves; the last one at once
        resumed = replace(PASS, resume=True, taps=(1, 1, 1), shift=low)
        assert_equals_machine(rtl(size), [long, *(
            replace(each, outer=(sums, 1, 1), entry=entry) for each in (held, resumed))], seed=3)


@each_name
@pytest.mark.parametrize("shift", [0, 1, 8, 15, 16])
@pytest.mark.parametrize("wide", AccumulatorRange)
def test_what_a_left_shift_pushes_out(size, shift, wide, rtl):
    """Beyond 32 bits it saturates, beyond 40 it is lost and flagged; other passes are not."""
    whole  = replace(PASS, acc_range=AccumulatorRange.BITS40)
    held   = replace(PASS, hold=True, shift=-shift, rounding=RoundMode.FLOOR, acc_range=wide)
    result = assert_equals_machine(rtl(size), [whole, held, replace(whole, resume=True)], seed=3)

    flagged = [record.overflow for record in result.trace]
    assert not flagged[0]
    if wide is AccumulatorRange.BITS40 and shift in (0, 16):
        assert flagged[1] == (shift == 16)


@each_name
@pytest.mark.parametrize("advance", [20, -20])
def test_overflow_in_any_iteration_shows_in_the_trace(size, advance, rtl):
    """Only one iteration, the first or the last, meets products that are not 0."""
    config = SIZES[size]
    base   = 40 if advance > 0 else 100
    first  = replace(PASS, taps=(1, 1, 5), outer=(1, 1, 1), x=replace(
        PASS.operands.x, base=base, high=199, move=Move.FIRST))
    other  = replace(SHORT, x=Access(150, 150, 199))
    last    = replace(other, repeat=3, back=1, advance=(advance, 0))
    program = set_waits([other, first, last], config)
    with MachineDevice(config) as machine:
        device, results = rtl(size), []
        device.harness.reset()
        for each in (machine, device):
            for memory, count in sizes_of(config).items():
                each.write_cells(memory, 0, np.full(count, 0x8000 * (memory is Memory.Y), "<u2"))
            each.write_cells(Memory.X, 40 * config.ways, np.full(5 * config.ways, 0x8000, "<u2"))
            results.append(run_rtl(each, program))

    assert_same(results[1], results[0], program)
    assert [record.overflow for record in results[1].result.trace] == [False, True, False]
    assert results[1].result.flags is Flag.OVERFLOW
