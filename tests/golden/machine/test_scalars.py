# SPDX-License-Identifier: Apache-2.0
"""Scalars of the golden machine: maximum, sum and inverse that a pass leaves to those after it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.support.random_passes import SMALL, machine_with_noise
from xymac.golden.machine.machine import Machine, ProgramError
from xymac.hdl.config import BASE
from xymac.hdl.isa import (
    SHIFT_MAX,
    SHIFT_MIN,
    Access,
    Adjust,
    Op,
    Pass,
    Reduce,
    RoundMode,
    Shape,
    State,
    Table,
    Width,
)


def element_pass(first, groups, **changes):
    """Copy ``groups`` full outputs of 16-bit X from group ``first`` on to group 1000."""
    lanes = Access(base=first, low=first, high=first + 4 * groups - 1, outer=(0, 0, 4))
    ones  = Access(base=0, low=0, high=0)
    out   = Access(base=1000, low=1000, high=1000 + 4 * groups - 1, outer=(0, 0, 4))
    return Pass(x=lanes, y=ones, z=out, outer=(1, 1, groups), x_shape=Shape.LANES,
                y_shape=Shape.LANES, x_width=Width.BITS16, y_width=Width.BITS16,
                z_width=Width.BITS16, clip=(-32768, 32767), **changes)


def run_elements(values, *passes, config=SMALL):
    """Elements that the last of ``passes`` writes when X begins with ``values``."""
    machine = Machine(config)
    machine.x[:len(values)] = np.array(values, np.int16).view(np.uint16)
    machine.y[:config.lanes] = 1
    program = [replace(pass_, wait=True) for pass_ in passes]
    machine.load([*program[:-1], replace(program[-1], last=True)])
    assert machine.run().state is State.DONE
    start = 1000 * config.ways
    return machine.x[start:start + len(values)].view(np.int16).tolist()


@pytest.mark.parametrize("spread", [0, 1, 200, 32767, 32768, 32769, 65535])
@pytest.mark.parametrize("top", [32767, 32766, 20000, 3])
def test_an_anchored_pass_counts_from_the_maximum(top, spread):
    values = [top, max(top - spread, -32768), *range(top - 2, top - 8, -1)]
    wide   = top - min(values) > 32768

    elements = run_elements(values, element_pass(0, 1, reduce=Reduce.MAX),
                            element_pass(0, 1, reduce=Reduce.MIN),
                            element_pass(0, 1, anchored=True))

    assert elements == [max((value >> 1) - (top >> 1) if wide else value - top, -32768)
                        for value in values]


@pytest.mark.parametrize(("total", "rounding"), [
    (1, RoundMode.UP), (32767, RoundMode.UP), (32768, RoundMode.UP), (98303, RoundMode.CONVERGENT),
    (65535, RoundMode.UP), (131071, RoundMode.CONVERGENT), (40001, RoundMode.FLOOR),
    (0, RoundMode.UP), (-5, RoundMode.UP)])
def test_inverse_and_places_of_a_sum(total, rounding):
    parts  = [min(max(total - 32767 * index, -32768), 32767) if total > 0 else 0
              for index in range(8)]
    values = [part if part > 0 else 0 for part in parts] if total > 0 else [total, *[0] * 7]
    total  = max(total, 1)
    places = total.bit_length() - 1
    whole, rest = divmod(total << 30 - places, 1 << 16)
    whole += rounding is not RoundMode.FLOOR and (
        rest > 1 << 15 or (rest == 1 << 15 and (rounding is RoundMode.UP or whole % 2 == 1)))
    inverse = min(2 ** 29 // min(whole, 32767), 32767)
    summed  = element_pass(0, 1, reduce=Reduce.SUM, table_rounding=rounding)

    assert run_elements(values, summed, element_pass(0, 1, inverted=True)) == [inverse] * 8
    assert run_elements(values, summed, element_pass(0, 1, adjust=Adjust.PLACES)) == [
        int(Fraction(value, 1 << places).__round__()) for value in values]


def test_before_any_sum_the_inverse_is_the_largest_and_places_are_0():
    values = [5, -1, 2, 3, 4, 100, 200, 9]

    assert run_elements(values, element_pass(0, 1, inverted=True)) == [32767] * 8
    assert run_elements(values, element_pass(0, 1, adjust=Adjust.PLACES)) == values


def test_scalars_fold_over_passes_and_drop_the_end():
    values = [5, 1, 2, 3, 4, 100, 200, 9]

    kept = run_elements(values, element_pass(0, 1, reduce=Reduce.SUM, drop=2),
                        element_pass(0, 1, reduce=Reduce.SUM, fresh=False, drop=3),
                        element_pass(0, 1, shift=-5, adjust=Adjust.PLACES))

    # small has two elements a group: at most two are dropped
    assert (sum(values[:6]) * 2).bit_length() - 1 == 7
    assert kept == [round(Fraction(value, 4)) for value in values]


@pytest.mark.parametrize("fresh", [True, False])
def test_a_range_is_of_what_steps_read(fresh):
    """Whatever is written, and of all four groups of a step."""
    values = [-9, 3, 250, 7, -300, 5, 6, 40]
    before = element_pass(0, 2, reduce=Reduce.MAX)
    range_ = element_pass(0, 1, reduce=Reduce.RANGE, fresh=fresh)
    lower  = replace(range_, clip=(0, 0))

    assert run_elements(values, lower, element_pass(0, 1, anchored=True), config=BASE) == [
        value - 250 for value in values]
    assert run_elements(values, before, lower, element_pass(0, 1, anchored=True),
                        config=BASE) == [value - 250 for value in values]


def test_a_range_goes_on_where_it_is_not_fresh():
    values = [-9, 3, 250, 7, 5, 6, 40, *range(9), *[-300] * 16]
    first, second = (element_pass(start, 1, reduce=Reduce.RANGE, fresh=start == 0)
                     for start in (0, 4))
    machine = [element_pass(0, 2, reduce=Reduce.MAX), first, second,
               element_pass(0, 1, anchored=True)]

    assert run_elements(values, *machine, config=BASE)[:8] == [value - 250 for value in values[:8]]


def test_a_range_is_known_at_once_but_must_not_be_in_use():
    machine = machine_with_noise(BASE, 0)
    range_, user = element_pass(0, 1, reduce=Reduce.RANGE), element_pass(0, 1, anchored=True)
    user = replace(user, z=replace(user.epilogue.z, base=2000, low=2000, high=2003))
    machine.load([range_, range_, replace(user, last=True)])
    assert machine.run().state is State.DONE

    for other in (user, element_pass(0, 1, reduce=Reduce.MAX)):
        machine.load([range_, other, replace(range_, last=True)])
        with pytest.raises(ProgramError, match=r"^Pass 2 must wait: pass 1 uses or makes a range"):
            machine.run()


@pytest.mark.parametrize("shift", [-16, 0, 3, 40])
def test_a_share_is_its_sum_times_the_inverse(shift):
    values  = [-30000, 1, 2, 3, 30000, 100, 200, 9]
    places  = sum(values).bit_length() - 1
    inverse = (1 << 29) // ((sum(values) << 30 - places) + (1 << 15) >> 16)

    shares = run_elements(values, element_pass(0, 1, reduce=Reduce.SUM,
                                               table_rounding=RoundMode.UP),
                          element_pass(0, 1, op=Op.SHARE, adjust=Adjust.PLACES, shift=shift))

    scaled = [round(Fraction(value * inverse) / Fraction(2) ** min(shift + places, 40))
              for value in values]
    assert shares == [min(max(value, -32768), 32767) for value in scaled]


def test_a_scalar_must_be_waited_for():
    machine = machine_with_noise(SMALL, 0)
    machine.load([element_pass(0, 1, reduce=Reduce.SUM),
                  element_pass(0, 1, inverted=True, last=True)])

    with pytest.raises(ProgramError, match=r"^Pass 1 must wait: it uses a scalar of pass 0$"):
        machine.run()


def test_a_scalar_of_another_reduction_need_not_be_waited_for():
    machine = machine_with_noise(SMALL, 0)
    machine.load([element_pass(0, 1, reduce=Reduce.SUM), element_pass(0, 1, anchored=True),
                  element_pass(0, 1, reduce=Reduce.MIN),
                  element_pass(0, 1, adjust=Adjust.SHIFT, last=True)])

    with pytest.raises(ProgramError, match=r"^Pass 3 must wait: it uses a scalar of pass 2$"):
        machine.run()


@pytest.mark.parametrize(("adjust", "field", "end"), [
    (Adjust.SHIFT, "shift", SHIFT_MIN), (Adjust.PLACES, "shift", SHIFT_MAX),
    (Adjust.TABLE, "table_shift", 0)])
def test_adjusted_shifts_stay_within_their_range(adjust, field, end):
    """At the end of the range a pass does what it does without an adjustment."""
    values = [32767, -32768, 5, 3, -7, 100, 200, 9]
    table  = {"table": Table.TANH} if field == "table_shift" else {}
    before = [element_pass(0, 1, reduce=kind) for kind in (Reduce.MAX, Reduce.MIN)]
    large  = replace(element_pass(0, 1, reduce=Reduce.SUM), clip=(20000, 32767))
    plain, adjusted = (element_pass(0, 1, adjust=kind, **{field: end}, **table)
                       for kind in (Adjust.NONE, adjust))

    assert run_elements(values, *before, large, adjusted) == run_elements(values, plain)
