# SPDX-License-Identifier: Apache-2.0
"""Scalars on the RTL against the golden machine: they are of elements as they are written."""

from dataclasses import replace

import pytest

from tests.support.rtl_device import assert_equals_machine, assert_same, run_machine, run_rtl
from tests.support.sizes import each_name
from xymac.hdl.config import SIZES
from xymac.hdl.isa import (
    Access,
    Adjust,
    Op,
    Pass,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    Status,
    Table,
    Width,
)

#: Results of 16 bits, most of them beyond 8: the maximum of low bytes is not that of words. So few
#: that the range of low bytes is sometimes narrow.
PASS = Pass(x=Access(40, 40, 99, outer=(0, 0, 4)), y=Access(20, 20, 20),
            z=Access(200, 200, 299, outer=(0, 0, 4)), outer=(1, 1, 1), x_shape=Shape.LANES,
            y_shape=Shape.LANES, x_width=Width.BITS16, y_width=Width.BITS16, shift=15,
            z_width=Width.BITS8, clip=(-(1 << 15), (1 << 15) - 1))
USER = replace(PASS, z=Access(400, 400, 499, outer=(0, 0, 4)), z_width=Width.BITS16, wait=True)


SWEEP = replace(PASS, outer=(1, 1, 1), taps=(1, 1, 9), op=Op.MAX, reduce=Reduce.RANGE,
                x=replace(PASS.operands.x, outer=(0, 0, 0), taps=(0, 0, 4)))


@pytest.mark.parametrize("size", [name for name, config in SIZES.items() if config.has("extremes")])
@pytest.mark.parametrize("width", [Width.BITS8, Width.BITS16])
@pytest.mark.parametrize("use", [
    {"anchored": True}, {"adjust": Adjust.SHIFT},
    {"adjust": Adjust.TABLE, "table": Table.EXP, "anchored": True, "table_shift": 4}])
def test_a_range_is_of_what_is_read_and_known_at_once(size, width, use, rtl):
    """Also by a pass of a single step, which follows as closely as it can."""
    user = replace(USER, x_width=width, wait=False, **use)
    for seed in range(4):
        sweep = replace(SWEEP, x_width=width, x_zero=0 if width is Width.BITS16 else seed - 2)
        other = replace(sweep, fresh=False, taps=(1, 1, 1), x=replace(sweep.operands.x, base=80))
        assert_equals_machine(rtl(size), [sweep, user], seed=seed)
        assert_equals_machine(rtl(size), [
            sweep, other, replace(user, z=replace(USER.epilogue.z, base=500, low=500, high=599)),
            replace(sweep, wait=True), user], seed=seed)


@pytest.mark.parametrize("size", [name for name, config in SIZES.items()
                                  if not config.has("extremes")])
def test_other_sizes_have_no_range(size, rtl):
    assert Reduce.RANGE not in SIZES[size].capabilities.reductions
    program = [PASS, replace(SWEEP, last=True)]

    run = run_rtl(rtl(size), program, seed=1)

    assert_same(run, run_machine(SIZES[size], program, seed=1), program)
    assert (run.result.status, run.result.pass_index) == (Status.OPCODE, 1)


@each_name
@pytest.mark.parametrize(("shift", "rounding"), [(0, RoundMode.UP), (-16, RoundMode.FLOOR),
                                                 (9, RoundMode.CONVERGENT), (40, RoundMode.UP)])
def test_shares_of_a_sum(size, shift, rounding, rtl):
    """Whatever parameters a scaled pass before has left in the scale units."""
    scaled = replace(PASS, shift=0, scale=Scale.BITS32, addend=True, bias_row=9,
                     z=replace(PASS.epilogue.z, base=600, low=600, high=699))
    summed = replace(PASS, reduce=Reduce.SUM, z_width=Width.BITS16)
    share  = replace(USER, op=Op.SHARE, adjust=Adjust.PLACES, shift=shift, rounding=rounding,
                     taps=(1, 1, 5))
    for seed in range(4):
        assert_equals_machine(rtl(size), [scaled, summed, share, replace(
            share, z=replace(USER.epilogue.z, base=500, low=500, high=599), bias_row=3)], seed=seed)


@each_name
@pytest.mark.parametrize("width", [Width.BITS8, Width.BITS16])
@pytest.mark.parametrize(("kinds", "use"), [
    ((Reduce.SUM,), {"inverted": True}), ((Reduce.SUM,), {"adjust": Adjust.PLACES}),
    ((Reduce.MAX, Reduce.MIN), {"anchored": True}),
    ((Reduce.MIN, Reduce.MAX), {"adjust": Adjust.SHIFT, "x_width": Width.BITS8})])
def test_scalars_of_what_is_written(size, width, kinds, use, rtl):
    folding = [replace(PASS, reduce=kind, z_width=width) for kind in kinds]
    for seed in range(4):
        assert_equals_machine(rtl(size), [*folding, replace(USER, **use)], seed=seed)
